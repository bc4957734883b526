"""WordPiece: the contract of tokenizer.json as BERT has it, and the same file from every process."""

import pytest
from transformers import AutoTokenizer

from headwork.corpora.subwords.learning import BERT_SPECIALS, learn, save
from headwork.errors import InputError
from headwork.models.loading.checkpoints import read_tokenizer
from headwork.settings.corpora import Subwords

WORDS = ["low", "lower", "lowest", "new", "newer", "wider", "Café", "cafés", "it's"]


@pytest.fixture
def text(tmp_path):
    lines = [" ".join(WORDS[(i * 5 + j * 2) % 9] for j in range(6)) + " ." for i in range(200)]
    # paragraphs end with an empty line
    (tmp_path / "train.txt").write_text("\n".join(lines[:100]) + "\n\n" + "\n".join(lines[100:]) + "\n")
    return tmp_path / "train.txt"


def wordpiece(text, **settings):
    return learn([text], Subwords(kind="wordpiece", **{"vocabulary": 70, **settings}))


def test_contract(text):
    tokenizer = wordpiece(text)
    assert [tokenizer.token_to_id(piece) for piece in BERT_SPECIALS] == [0, 1, 2, 3, 4]
    assert tokenizer.get_vocab_size() <= 70
    assert {each.content for each in tokenizer.get_added_tokens_decoder().values()} == set(BERT_SPECIALS)
    encoding = tokenizer.encode("lowest it's", "newer .")
    assert encoding.tokens[0] == "[CLS]"
    ends = [n for n, piece in enumerate(encoding.tokens) if piece == "[SEP]"]
    assert ends == [encoding.type_ids.index(1) - 1, len(encoding) - 1]
    assert "".join(encoding.tokens).replace("##", "") == "[CLS]lowestit's[SEP]newer.[SEP]"
    assert not any(piece.startswith("##") for piece in encoding.tokens if piece in ("'", "it", "s"))
    assert tokenizer.decode(tokenizer.encode("lower wider").ids) == "lower wider"


def test_longest_piece_first(text):
    """Greedy, from the left, the longest piece of the vocabulary, ## within a word (Devlin et al. 2019)."""
    tokenizer = wordpiece(text)
    vocabulary = tokenizer.get_vocab()

    def by_hand(word):
        pieces, start = [], 0
        while start < len(word):
            ends = range(len(word), start, -1)
            fitting = (("##" if start else "") + word[start:end] for end in ends)
            piece = next((piece for piece in fitting if piece in vocabulary), None)
            if piece is None:
                return ["[UNK]"]
            pieces.append(piece)
            start += len(piece.removeprefix("##"))
        return pieces

    for word in ["lowest", "newest", "widest", "slow", "wolw"]:
        assert tokenizer.encode(word, add_special_tokens=False).tokens == by_hand(word), word


def test_case_and_accents(text):
    cased, lowered = wordpiece(text), wordpiece(text, lowercase=True)
    assert lowered.encode("CAFÉ").tokens == lowered.encode("cafe").tokens
    assert cased.encode("Café").tokens != cased.encode("cafe").tokens
    assert "C" in cased.get_vocab()
    assert "C" not in lowered.get_vocab()


def test_transformers_gives_the_same_pieces(text, tmp_path):
    tokenizer = wordpiece(text)
    save(tokenizer, tmp_path / "tokenizer.json")
    wrapped = read_tokenizer(tmp_path / "tokenizer.json")
    wrapped.save_pretrained(tmp_path / "model")
    ours = tokenizer.encode("lowest cafés it's", "new")
    for theirs in (wrapped, AutoTokenizer.from_pretrained(tmp_path / "model")):
        encoded = theirs("lowest cafés it's", "new")
        assert encoded["input_ids"] == ours.ids
        assert encoded["token_type_ids"] == ours.type_ids
        assert theirs.mask_token_id == 4


def test_errors(text):
    with pytest.raises(InputError, match=r"a vocabulary of 20 has no room for 5 specials, \d+ characters"):
        wordpiece(text, vocabulary=20)
