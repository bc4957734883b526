"""BPE over both sides: the contract of tokenizer.json, and the same file from every process."""

import subprocess
import sys

import pytest
from transformers import PreTrainedTokenizerFast

from headwork.corpora.subwords.learning import learn, load, save
from headwork.errors import InputError
from headwork.settings.corpora import Subwords

WORDS = ["low", "lower", "lowest", "new", "newer", "wider", "Дом", "дома", "домом"]


@pytest.fixture
def texts(tmp_path):
    for side, shift in (("source", 0), ("target", 3)):
        lines = [" ".join(WORDS[(i * 5 + j * 2 + shift) % 9] for j in range(6)) + " ." for i in range(200)]
        (tmp_path / f"train.{side}.txt").write_text("\n".join(lines) + "\n")
    return [tmp_path / "train.source.txt", tmp_path / "train.target.txt"]


def test_contract(texts):
    tokenizer = learn(texts, Subwords(vocabulary=60))
    assert [tokenizer.token_to_id(token) for token in ("<pad>", "</s>", "<unk>")] == [0, 1, 2]
    assert tokenizer.get_vocab_size() <= 60
    assert {token.content for token in tokenizer.get_added_tokens_decoder().values()} == {
        "</s>",
        "<pad>",
        "<unk>",
    }
    encoding = tokenizer.encode("lower дома .")
    assert encoding.tokens[-1] == "</s>"
    assert "".join(encoding.tokens[:-1]) == "lower</w>дома</w>.</w>"
    assert encoding.offsets[0][0] == 0
    assert encoding.offsets[-2] == (11, 12)
    assert tokenizer.decode(encoding.ids) == "lower дома ."


def test_pair_template_ends_both_sides(texts):
    encoding = learn(texts, Subwords(vocabulary=60)).encode("low", "new")
    assert encoding.tokens.count("</s>") == 2
    assert encoding.type_ids[-1] == 1


def test_lowercase(texts):
    plain, lowered = (learn(texts, Subwords(vocabulary=60, lowercase=lower)) for lower in (False, True))
    assert "Д" in plain.get_vocab()
    assert "Д" not in lowered.get_vocab()
    assert lowered.encode("Дома").tokens == lowered.encode("дома").tokens


def test_unknown_characters_are_unk(texts):
    assert learn(texts, Subwords(vocabulary=60)).encode("low 猫").tokens[-2:] == ["<unk>", "</s>"]


def test_rare_characters_get_no_piece(texts):
    with open(texts[0], "a") as file:
        file.write("q\n")
    alphabet = len({*"".join(WORDS), "."})
    assert "q" in learn(texts, Subwords(vocabulary=60)).get_vocab()
    assert not {"q", "q</w>"} & set(learn(texts, Subwords(vocabulary=60, alphabet=alphabet)).get_vocab())


@pytest.mark.parametrize(("least", "merged"), [(1, True), (2, False)])
def test_min_frequency(texts, least, merged):
    with open(texts[0], "a") as file:
        file.write("qj\n")
    pieces = learn(texts, Subwords(vocabulary=500, min_frequency=least)).get_vocab()
    assert ("qj</w>" in pieces) is merged


def test_sample_is_spread_over_the_files(texts):
    with open(texts[1], "a") as file:
        file.write("zzz\n")  # line 401 of 401: among every second line, not among every third
    assert "z" in learn(texts, Subwords(vocabulary=60, sample=201)).get_vocab()
    assert "z" not in learn(texts, Subwords(vocabulary=60, sample=134)).get_vocab()


@pytest.mark.parametrize("kind", ["bpe", "wordpiece"])
def test_same_file_from_every_process(texts, tmp_path, kind):
    script = (
        "import sys; from pathlib import Path; from headwork.corpora.subwords.learning import *; "
        f"save(learn([Path(p) for p in sys.argv[2:]], Subwords(kind={kind!r}, vocabulary=55)), Path(sys.argv[1]))"
    )
    for name in ("a.json", "b.json"):
        subprocess.run([sys.executable, "-c", script, tmp_path / name, *texts], check=True)
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()


def test_vocabulary_too_small(texts):
    with pytest.raises(InputError, match=r"a vocabulary of 20 has no room for 3 specials, \d+ characters"):
        learn(texts, Subwords(vocabulary=20))


def test_saved_file_loads_here_and_in_transformers(texts, tmp_path):
    tokenizer, path = learn(texts, Subwords(vocabulary=60)), tmp_path / "new" / "tokenizer.json"
    save(tokenizer, path)
    ids = tokenizer.encode("lowest домом .").ids
    assert load(path).encode("lowest домом .").ids == ids
    named = {"pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"}
    wrapped = PreTrainedTokenizerFast(tokenizer_file=str(path), **named)
    assert wrapped("lowest домом .")["input_ids"] == ids
    assert [each.name for each in path.parent.iterdir()] == ["tokenizer.json"]


def test_file_that_is_no_tokenizer(tmp_path):
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(InputError, match=r"tokenizer\.json: the file is not a tokenizer\.json"):
        load(tmp_path / "tokenizer.json")
