"""Everything that a model consists of is an input: weights in several files, vocabulary, Stanza's models."""

import pytest
from safetensors.torch import load_file, save_file
from small_tokenizers import TEXT, wordpiece
from tiny_bert import tiny_bert

from headwork.models.loading.wheels import files_of_model
from headwork.plan.asked import asked_files
from headwork.settings.atlas import AtlasRequest


def sharded(folder):
    words = wordpiece()
    tiny_bert(words, vocab_size=len(words)).save_pretrained(folder, max_shard_size="10KB")
    words.save_pretrained(folder)
    return folder


def names(paths):
    return {path.rpartition("/")[2] for path in paths}


def test_all_that_transformers_reads(tmp_path):
    folder = sharded(tmp_path / "model")
    more = ("vocab.json", "merges.txt", "sentencepiece.bpe.model", "source.spm", "special_tokens_map.json")
    for name in (*more, "generation_config.json", "adapter_config.json", "vocab.txt"):
        (folder / name).touch()
    others = ("run.json", "history.csv", "scores.json", "README.md", "training_args.bin", ".hidden.json")
    for name in others:
        (folder / name).touch()
    found = files_of_model(folder)
    assert found[0].endswith(".safetensors")
    assert names(found) == {path.name for path in folder.iterdir()} - set(others)
    assert sum(name.startswith("model-0") for name in names(found)) > 2
    asked = asked_files(AtlasRequest(model=str(folder), compare=str(folder)))
    assert asked["model_files"] == asked["compare_files"] == found
    assert files_of_model("owner/bert") == files_of_model(tmp_path / "nothing") == []


def test_stanza_models(tmp_path):
    parser, text = tmp_path / "stanza", tmp_path / "my.txt"
    (parser / "en" / "pos").mkdir(parents=True)
    text.write_text("a b\n")
    for name in ("resources.json", "en/pos/a.pt"):
        (parser / name).touch()
    asked = asked_files(AtlasRequest(model="bert", text=str(text), parser=f"stanza:{parser}"))
    assert asked["text_files"] == [str(text), str(parser / "en/pos/a.pt"), str(parser / "resources.json")]


@pytest.mark.workflow
@pytest.mark.slow
def test_changed_parts_of_a_model_make_the_page_anew(clone):
    folder = sharded(clone / "tiny")
    (clone / "my.txt").write_text("\n".join(TEXT) + "\n")
    options = ["--config", "model=tiny", "text=my.txt"]
    clone.snakemake(*options, "--", "atlas")
    assert clone.planned("atlas", options=options) == {}
    shard = next(folder.glob("model-0*.safetensors"))
    save_file({name: weight * 1.5 for name, weight in load_file(shard).items()}, shard, {"format": "pt"})
    assert clone.planned("atlas", options=options) == {"atlas": 1}
    clone.snakemake(*options, "--", "atlas")
    with (folder / "tokenizer_config.json").open("a") as file:
        file.write("\n")
    assert clone.planned("atlas", options=options) == {"atlas": 1}
