"""Probes for tags from files to a table; words and their vectors."""

import numpy as np
import pandas as pd
import pytest
from tiny_bert import tiny_bert, tiny_marian, word_tokenizer

from headwork.errors import InputError
from headwork.models.loading.checkpoints import save
from headwork.representations.probes.tagging import tag_run
from headwork.representations.states.hidden_states import States, extract
from headwork.representations.states.words import by_sentence, sentences_in, word_vectors
from headwork.run.frame import Files
from headwork.settings.representations import StatesOnDisk, TagProbing

WORDS = {"ant": "N", "bee": "N", "cat": "N", "eats": "V", "sees": "V", "the": "D", "a": "D"}
SMALL = {
    "tasks": {"pos": {"train": "train", "test": "test"}, "none": None},
    "linear": {"epochs": 60},
    "decoder": {"heads": 2, "feed_forward": 8, "epochs": 1},
}


def tagged(count, seed):
    chance = np.random.default_rng(seed)
    sentences = [chance.choice(list(WORDS), chance.integers(2, 7)) for _ in range(count)]
    return "\n\n".join("\n".join(f"{word}\t{WORDS[word]}" for word in words) for words in sentences) + "\n"


@pytest.fixture(params=["bert", "marian"])
def folder(tmp_path, request):
    tokenizer = word_tokenizer(list(WORDS))
    model = (tiny_bert if request.param == "bert" else tiny_marian)(tokenizer)
    save(tmp_path / "model", model, tokenizer)
    for seed, name in enumerate(("train", "test")):
        (tmp_path / name).write_text(tagged(40, seed))
    return tmp_path


def run(folder, settings=SMALL, table="out/tags.csv"):
    given = Files(model=folder / "model", train=[folder / "train"], test=[folder / "test"])
    how = TagProbing.read(settings, "tags"), StatesOnDisk(shard_tokens=50)
    tag_run(given, Files(table=folder / table), *how, ["pos"])
    return pd.read_csv(folder / table)


def test_a_run(folder):
    table = run(folder)
    words = sum(line != "" for line in (folder / "test").read_text().splitlines())
    baseline = table[table["probe"] == "most-frequent-tag"]
    # a word always has the same tag here
    assert baseline[["measure", "value", "count"]].to_numpy().tolist() == [["precision", 1.0, words]]
    assert baseline["layer"].isna().all()
    linear = table[table["probe"] == "linear"]
    assert linear["layer"].tolist() == [0, 1, 2]
    # embeddings of words alone tell the tag, though random ones
    assert linear["value"].iloc[0] > 0.9
    decoder = table[table["probe"] == "decoder"]
    assert (decoder.loc[decoder["measure"] == "length-errors", "count"] == 40).all()


def test_a_tag_file_that_does_not_align(folder):
    text = (folder / "test").read_text().splitlines()
    text[1] = text[1].split("\t")[0]
    (folder / "test").write_text("\n".join(text))
    with pytest.raises(InputError, match=r"^\S+test:2: 1 column where the rows before have 2: [^\n]+$"):
        run(folder)
    assert not (folder / "out").exists()


def test_words_from_pieces(tmp_path):
    """A tokenizer that cuts words in two: `ab` is a and ##b."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "##b", "c"]
    backend = Tokenizer(models.WordPiece({piece: n for n, piece in enumerate(pieces)}, unk_token="[UNK]"))
    backend.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    backend.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=backend, pad_token="[PAD]", unk_token="[UNK]")
    model = tiny_bert(tokenizer, max_position_embeddings=8)
    # the second line is too long for the model
    extract(model, tokenizer, ["ab c", "c " * 9 + "c", "c ab ab"], tmp_path / "states")
    states = States(tmp_path / "states")
    assert sentences_in(states).tolist() == [0, 2]
    own = [tensor.numpy() for tensor in by_sentence(states, 1)]
    assert [len(sentence) for sentence in own] == [5, 7]
    first, second = own
    wanted = {
        "mean": [first[1:3].mean(0), first[3], second[1], second[2:4].mean(0), second[4:6].mean(0)],
        "first": [first[1], first[3], second[1], second[2], second[4]],
        "last": [first[2], first[3], second[1], second[3], second[5]],
    }
    for how, vectors in wanted.items():
        np.testing.assert_allclose(word_vectors(states, 1, how), np.stack(vectors), rtol=1e-5)
