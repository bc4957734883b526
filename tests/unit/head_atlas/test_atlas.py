"""A planted head is named for what it does, an untrained model has no function, and the page has the same numbers."""

import json
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import torch
from small_atlas import SCRIPT, SENTENCES, planted, tokenizer
from tiny_bert import tiny_bert, tiny_marian, word_tokenizer
from transformers import BertModel, GPT2Config, GPT2LMHeadModel

import headwork
from headwork.errors import InputError
from headwork.head_atlas import reading as readings
from headwork.head_atlas.page import data
from headwork.heads.statistics.entropy import Entropy
from headwork.heads.streaming.measure import measure
from headwork.lens.anatomy import anatomy
from headwork.models.loading import checkpoints
from headwork.parses.conllu import write_conllu
from headwork.settings.atlas import AtlasSettings
from headwork.sites import Site

SMALL = AtlasSettings(sentences=80, gradients=4, removed=4, shown=2)
LINES = [*SENTENCES.lines, f"{SCRIPT} the"]


@pytest.fixture(scope="module")
def words():
    return tokenizer()


@pytest.fixture(scope="module")
def atlas(words):
    return headwork.atlas(planted(words), LINES, tokenizer=words, settings=SMALL)


def page_of(atlas, path):
    """The data in a saved page, read as a browser reads it: up to the first end of a script."""
    return json.loads(re.search(r'id="data">(.*?)</script', atlas.save(path).read_text(), re.DOTALL)[1])


def test_the_planted_head_is_named_and_no_other(atlas):
    found = atlas.functions
    assert found[["kind", "layer", "head", "does"]].to_numpy().tolist() == [
        ["encoder", 1, 1, "attends to the previous token"]
    ]
    assert found["value"][0] > 0.9
    assert found["baseline"][0] < 0.3


def test_an_untrained_model_has_no_function(words):
    model = tiny_bert(words, max_position_embeddings=64)
    with_trees = headwork.atlas(model, tokenizer=words, settings=SMALL)
    assert with_trees.functions.empty
    assert "nsubj/dependent-to-head" in set(with_trees.table["measure"])


def test_a_pruned_head_has_no_function(words):
    model = planted(words)
    with torch.no_grad():
        anatomy(model).part(Site("encoder", 1)).output_weight()[:, 0] = 0
    found = headwork.atlas(model, SENTENCES.lines, tokenizer=words, settings=SMALL)
    assert found.functions.empty
    assert found.models[0].notes[-1].startswith("Pruned heads: 1.")


def test_uniform_heads_have_the_baseline(atlas):
    table = atlas.table[(atlas.table["layer"] == 2) & atlas.table["baseline"].notna()]
    assert {"previous", "first", "same-token", "entropy", "sep"} <= set(table["measure"])
    # the first of equal weights; nothing to share out
    table = table[~table["measure"].isin(("rare", "relevance"))]
    assert np.allclose(table["value"], table["baseline"], atol=1e-5)


def test_measures_are_those_of_the_library(atlas, words):
    model = planted(words)
    material = replace(SENTENCES, lines=LINES, trees=None)
    batches = readings.read(model, words, material).batches()
    own = measure(model.bert, batches, [Entropy()]).set_index(["layer", "head"])["value"]
    shown = atlas.table[atlas.table["measure"] == "entropy"].set_index(["layer", "head"])["value"]
    pd.testing.assert_series_equal(own, shown, check_names=False)


def test_removal_of_a_head_is_the_loss_without_it(words):
    model = tiny_bert(words, max_position_embeddings=64)
    with torch.no_grad():  # of one head nothing is passed on
        model.bert.encoder.layer[0].attention.output.dense.weight[:, 8:] = 0
    found = headwork.atlas(model, SENTENCES.lines, tokenizer=words, settings=SMALL).table
    values = found[found["measure"] == "removal"].set_index(["layer", "head"])["value"]
    assert values[1, 2] == 0
    assert abs(values[1, 1]) > 1e-6
    relevance = found[(found["measure"] == "relevance") & (found["layer"] == 1)].set_index("head")["value"]
    assert relevance.to_dict() == pytest.approx({1: 1, 2: 0}, abs=1e-5)


def test_the_page_has_the_numbers_of_the_table(atlas, tmp_path):
    shown = page_of(atlas, tmp_path / "atlas.html")
    for row in atlas.table.itertuples():
        place = shown["heads"].index([row.kind, row.layer, row.head])
        found = shown["models"][0]["values"][row.measure][place]
        assert found == (pytest.approx(row.value, rel=1e-5) if np.isfinite(row.value) else None)


def test_the_maps_of_the_page_are_attention(atlas, tmp_path):
    import base64

    shown = page_of(atlas, tmp_path / "atlas.html")
    packed = shown["models"][0]["maps"][0]["weights"]["encoder-1"]
    size = len(shown["texts"][0]["sides"]["encoder"]["keys"]["tokens"])
    codes = np.frombuffer(base64.b64decode(packed["bytes"]), np.uint8).reshape(2, size, size)
    maps = codes * np.array(packed["scale"])[:, None, None]
    assert np.allclose(maps.sum(2), 1, atol=0.02)
    assert maps[0].argmax(1)[1:].tolist() == list(range(size - 1))


def test_a_script_in_the_text_is_data(words, tmp_path):
    atlas = headwork.atlas(planted(words), [f"{SCRIPT} the"], tokenizer=words, name=SCRIPT, settings=SMALL)
    text = atlas.save(tmp_path / "atlas.html").read_text()
    assert SCRIPT not in text
    assert SCRIPT in json.dumps(page_of(atlas, tmp_path / "atlas.html"))
    assert "&lt;iframe" not in atlas._repr_html_()[:20]
    assert SCRIPT not in atlas._repr_html_()


def test_marks_that_turn_text_around_are_shown(words, tmp_path):
    turned = {"tokenizer": words, "name": "a\u202eb", "settings": SMALL}
    atlas = headwork.atlas(planted(words), ["the \u202eowl the"], **turned)
    text = atlas.save(tmp_path / "atlas.html").read_text()
    assert "\u202e" not in text
    assert "a\\u202eb" in text
    assert page_of(atlas, tmp_path / "atlas.html")["models"][0]["name"] == "a\\u202eb"


def test_the_same_atlas_gives_the_same_bytes(atlas, words, tmp_path):
    again = headwork.atlas(planted(words), LINES, tokenizer=words, settings=SMALL)
    assert again.save(tmp_path / "a.html").read_bytes() == atlas.save(tmp_path / "b.html").read_bytes()


def test_two_models_of_one_shape_are_compared(words):
    other = tiny_bert(words, max_position_embeddings=64)
    both = headwork.atlas(planted(words), SENTENCES.lines, tokenizer=words, compare=other, settings=SMALL)
    first, second = data(both)["models"]
    assert first["values"]["previous"][0] > 0.9 > second["values"]["previous"][0]
    assert first["functions"]
    assert not second["functions"]
    other = tiny_bert(words, num_hidden_layers=3, max_position_embeddings=64)
    with pytest.raises(InputError, match=r"4 heads and .* has 6"):
        headwork.atlas(planted(words), SENTENCES.lines, tokenizer=words, compare=other, settings=SMALL)


def test_a_translation_model_has_all_kinds_of_heads_and_attributions(words, tmp_path):
    files = [tmp_path / name for name in ("source.txt", "target.txt")]
    for file in files:
        file.write_text("\n".join(line for line in SENTENCES.lines if len(line.split()) < 12) + "\n")
    model = tiny_marian(words)
    atlas = headwork.atlas(model, tokenizer=words, pair=tuple(files), settings=SMALL)
    assert set(atlas.table["kind"]) == {"encoder", "decoder", "cross"}
    assert {"removal", "taylor-context", "relevance"} <= set(atlas.table["measure"])
    assert set(data(atlas)["models"][0]["maps"][0]) == {"weights", "norms", "attribution"}
    alone = headwork.atlas(model, SENTENCES.lines, tokenizer=words, settings=SMALL)
    assert set(alone.table["kind"]) == {"encoder"}
    assert "only its encoder" in alone.models[0].notes[0]


def test_trees_of_a_pair_are_for_the_encoder(words, tmp_path):
    trees = SENTENCES.trees
    for name in ("source.txt", "target.txt"):
        (tmp_path / name).write_text("".join(" ".join(tree.forms) + "\n" for tree in trees))
    write_conllu(tmp_path / "trees.conllu", trees)
    told = {
        "pair": (tmp_path / "source.txt", tmp_path / "target.txt"),
        "parser": str(tmp_path / "trees.conllu"),
    }
    table = headwork.atlas(tiny_marian(words), tokenizer=words, settings=SMALL, **told).table
    assert set(table[table["measure"] == "nsubj/dependent-to-head"]["kind"]) == {"encoder"}


def test_maps_of_other_sentences_can_be_shown(words, tmp_path):
    other = " ".join(reversed(SENTENCES.lines[3].split()))
    (tmp_path / "own.txt").write_text(f"{other}\n")
    told = {"tokenizer": words, "settings": SMALL}
    plain = headwork.atlas(planted(words), SENTENCES.lines, **told)
    told["examples"] = tmp_path / "own.txt"
    found = headwork.atlas(planted(words), SENTENCES.lines, **told, compare=planted(words))
    assert [shown["text"] for shown in found.shown] == [other]
    assert [len(each.maps) for each in found.models] == [1, 1]
    pd.testing.assert_frame_equal(found.models[0].measured.table, plain.models[0].measured.table)
    with pytest.raises(InputError, match="examples of a pair are a source and a target file"):
        headwork.atlas(planted(words), **told, pair=("a", "b"))


def test_a_language_model_is_read_from_left_to_right(words):
    torch.manual_seed(0)
    config = GPT2Config(
        vocab_size=len(words), n_positions=64, n_embd=16, n_layer=2, n_head=2, bos_token_id=2, eos_token_id=3
    )
    atlas = headwork.atlas(GPT2LMHeadModel(config), SENTENCES.lines, tokenizer=words, settings=SMALL)
    table = atlas.table.set_index("measure")
    assert set(table["kind"]) == {"decoder"}
    assert "next" not in table.index  # what no decoder can do
    assert "previous" in table.index
    assert "relevance" not in table.index  # an activation that AttnLRP has no rule for
    assert any("gelu" in note or "rule" in note for note in atlas.models[0].notes)


def test_an_encoder_without_output_layer_says_what_it_lacks(words):
    model = BertModel(tiny_bert(words, max_position_embeddings=64).config).eval()
    atlas = headwork.atlas(model, SENTENCES.lines, tokenizer=words, settings=SMALL)
    assert "taylor-context" not in set(atlas.table["measure"])
    assert "need a prediction" in atlas.models[0].notes[0]


def test_unknown_words_are_refused(words):
    with pytest.raises(InputError, match="100% of its subword tokens are unknown"):
        headwork.atlas(planted(words), ["сорок тысяч обезьян"], tokenizer=words, settings=SMALL)


def test_settings_may_be_a_mapping(words):
    found = headwork.atlas(planted(words), LINES, tokenizer=words, settings=dict(SMALL) | {"sentences": 12})
    assert found.sentences == 12
    with pytest.raises(InputError, match="settings: unknown key 'sentence'; did you mean 'sentences'"):
        headwork.atlas(planted(words), LINES, tokenizer=words, settings={"sentence": 12})


def test_a_tokenizer_beside_a_folder_takes_the_place_of_its_own(words, tmp_path):
    """The tokens of the folder's are other ones, in the same number."""
    other = word_tokenizer([f"w{number}" for number in range(len(words) - 5)])
    assert len(other) == len(words)
    checkpoints.save(tmp_path, planted(words), other)
    with pytest.raises(InputError, match="of its subword tokens are unknown"):
        headwork.atlas(tmp_path, LINES, settings=SMALL)
    found = headwork.atlas(tmp_path, LINES, tokenizer=words, settings=SMALL)
    assert found.functions["does"].tolist() == ["attends to the previous token"]
    (tmp_path / "tokenizer.json").unlink()
    again = headwork.atlas(tmp_path, LINES, tokenizer=words, settings=SMALL)
    pd.testing.assert_frame_equal(again.table, found.table)


@pytest.mark.parametrize("text", [LINES, ["сорок тысяч обезьян"]], ids=["measured", "refused"])
def test_a_model_is_left_in_its_mode(words, text):
    """In training mode but for one frozen layer, also where the text is refused."""
    model = planted(words).train()
    model.bert.encoder.layer[0].eval()
    modes = [module.training for module in model.modules()]
    assert len(set(modes)) == 2
    try:
        headwork.atlas(model, text, tokenizer=words, settings=SMALL)
    except InputError:
        assert text is not LINES
    assert [module.training for module in model.modules()] == modes


def test_an_object_needs_its_tokenizer():
    with pytest.raises(InputError, match="needs its `tokenizer`"):
        headwork.atlas(tiny_bert(word_tokenizer(["a"])))
