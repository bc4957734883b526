"""The map between words and pieces, and attention between words."""

import gzip
from itertools import islice

import pytest
import torch
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import BertTokenizerFast, PreTrainedTokenizerFast

from headwork.errors import InputError
from headwork.parses.align import pieces_of, to_words
from headwork.parses.conllu import read_conllu

TEXT = ["the cat sat on the mat", "a lower cafe\u0301 is the lowest", "don't unhappily unlower the café"]

# composed and decomposed accents, a no-break space and a joined emoji inside words, signs the vocabulary lacks
ODD = ["The", "lowest", "cafe\u0301", "café", "a\u00a0mat", "\U0001f469\u200d\U0001f469\u200d\U0001f467"]
ODD += ["☃", "don't", "n't", "\u4e2d\u6587", "ﬁne", "</s>", "."]
ODD += ["don't", "n't", "\u4e2d\u6587", "ﬁne", "</s>", "."]


def _subwords(normaliser=None):
    """Words split at spaces into BPE pieces, as this project's corpora are."""
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", end_of_word_suffix="</w>"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    if normaliser is not None:
        tokenizer.normalizer = normaliser
    how = {"vocab_size": 70, "special_tokens": ["<pad>", "</s>", "<unk>"], "end_of_word_suffix": "</w>"}
    tokenizer.train_from_iterator(TEXT, trainers.BpeTrainer(**how, show_progress=False))
    tokenizer.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    return tokenizer


def _bert(tmp_path):
    words = "[PAD] [UNK] [CLS] [SEP] [MASK] the low ##est cafe a mat don ' t n fine ."
    (tmp_path / "vocab.txt").write_text(words.replace(" ", "\n") + "\n", encoding="utf-8")
    return BertTokenizerFast.from_pretrained(str(tmp_path), do_lower_case=True)


def _bytes(trim):
    """Byte-level pieces that hold the space before their word, as GPT-2's."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=290, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator(TEXT, trainer)
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=trim)
    return tokenizer


def _metaspace():
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = trainers.BpeTrainer(vocab_size=60, special_tokens=["<unk>"], show_progress=False)
    tokenizer.train_from_iterator(TEXT, trainer)
    return tokenizer


TOKENISERS = {
    "subwords": lambda _: _subwords(),
    "lower case": lambda _: _subwords(normalizers.Lowercase()),
    "composed": lambda _: _subwords(normalizers.NFC()),
    "compatible": lambda _: _subwords(normalizers.Sequence([normalizers.NFKD(), normalizers.StripAccents()])),
    "BERT": _bert,
    "bytes": lambda _: _bytes(trim=False),
    "bytes, trimmed": lambda _: _bytes(trim=True),
    "metaspace": lambda _: _metaspace(),
    "transformers": lambda _: PreTrainedTokenizerFast(tokenizer_object=_subwords(), eos_token="</s>"),
}


@pytest.mark.parametrize("name", TOKENISERS)
def test_every_piece_comes_from_its_word(name, tmp_path):
    tokenizer = TOKENISERS[name](tmp_path)
    pieces = pieces_of(ODD, tokenizer)
    backend = getattr(tokenizer, "backend_tokenizer", tokenizer)
    whole = backend.encode(" ".join(ODD))
    assert pieces.ids == whole.ids  # the very pieces of running text
    real = [word for word in pieces.words if word >= 0]
    assert real == sorted(real)
    assert set(real) == set(range(len(ODD)))
    text, starts = " ".join(ODD), [len(" ".join(ODD[:place])) + bool(place) for place in range(len(ODD))]
    for piece, (word, (start, end)) in enumerate(zip(pieces.words, pieces.spans, strict=True)):
        if word >= 0:
            low, high = whole.offsets[piece]
            # a space that is a piece of its own has the place of the space here, of the word's first sign there
            assert text[low:high].strip(" ") in ("", ODD[word][start:end])
            assert start == end or text[starts[word] + start] == ODD[word][start]


@pytest.mark.parametrize("name", ["subwords", "lower case", "bytes", "bytes, trimmed"])
def test_spans_cover_the_word(name, tmp_path):
    pieces = pieces_of(ODD, TOKENISERS[name](tmp_path))
    for number, word in enumerate(ODD):
        covered = {place for start, end in _spans(pieces, number) for place in range(start, end)}
        # a no-break space is white space to WhitespaceSplit, and so in no piece
        assert covered == {place for place, sign in enumerate(word) if sign != "\u00a0" or "bytes" in name}


def test_unknown_words_specials_and_the_text_of_specials():
    pieces = pieces_of(["☃", "☃☃", "</s>"], _subwords())
    assert pieces.ids == [2, 2, 2, 1, 1]
    assert pieces.words == [0, 1, 1, 2, -1]
    assert pieces.spans == [(0, 1), (0, 1), (1, 2), (0, 4), (0, 0)]
    assert pieces_of([], _subwords()) == ([1], [-1], [(0, 0)])


@pytest.mark.parametrize("words", [["mat"], ["the", "mat"], ["☃", "the"], ["the", "☃"]])
@pytest.mark.parametrize("trim", [False, True])
def test_pieces_that_hold_spaces(words, trim):
    pieces = pieces_of(words, _bytes(trim))
    for number, word in enumerate(words):
        starts, ends = zip(*_spans(pieces, number), strict=True)
        assert (min(starts), max(ends)) == (0, len(word))


def test_long_sentences_are_whole_whatever_the_tokeniser_was_told():
    tokenizer = _subwords()
    words = ["lowest", "cat"] * 700
    expected = pieces_of(words, tokenizer)
    tokenizer.enable_truncation(16)
    tokenizer.enable_padding(length=5000)
    assert pieces_of(words, tokenizer) == expected
    assert tokenizer.truncation["max_length"] == 16


def test_what_cannot_be_mapped_is_refused():
    without_unknown = Tokenizer(models.BPE(vocab={"a": 0}, merges=[]))
    without_unknown.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    with pytest.raises(InputError, match=r"no piece of word 2, '☃', of 'a ☃ a'"):
        pieces_of(["a", "☃", "a"], without_unknown)
    merges = [("a", " "), ("a ", "a")]
    across = Tokenizer(models.BPE(vocab={"a": 0, " ": 1, "a ": 2, "a a": 3}, merges=merges))
    with pytest.raises(InputError, match="one piece of several words, 'a a'"):
        pieces_of(["a", "a"], across)


def _spans(pieces, number):
    """Where the pieces of a word lie in it."""
    return [span for owner, span in zip(pieces.words, pieces.spans, strict=True) if owner == number]


def _random_maps(draw, batch=2, heads=3, queries=7, keys=6):
    return torch.rand(batch, heads, queries, keys, generator=draw).softmax(-1)


QUERIES = torch.tensor([[0, 0, 1, 2, 2, 2, -1], [0, 1, 1, -1, -1, -1, -1]])
KEYS = torch.tensor([[0, 1, 1, 2, -1, -1], [-1, 0, 0, 0, 1, -1]])


@pytest.mark.parametrize("from_", ["mean", "first", "last"])
@pytest.mark.parametrize("to", ["sum", "first", "last"])
def test_word_maps_restate_the_definition(from_, to):
    weights = _random_maps(torch.Generator().manual_seed(1))
    words = to_words(weights, QUERIES, KEYS, 4, from_, to)
    assert words.shape == (2, 3, 4, 4)
    for row in range(2):
        for query in range(4):
            for key in range(4):
                froms = [place for place, word in enumerate(QUERIES[row].tolist()) if word == query]
                tos = [place for place, word in enumerate(KEYS[row].tolist()) if word == key]
                froms = {"mean": froms, "first": froms[:1], "last": froms[-1:]}[from_]
                tos = {"sum": tos, "first": tos[:1], "last": tos[-1:]}[to]
                for head in range(3):
                    expected = sum(weights[row, head, q, k].item() for q in froms for k in tos)
                    expected /= max(len(froms), 1)
                    assert words[row, head, query, key].item() == pytest.approx(expected, abs=1e-6)


def test_rows_keep_the_mass_that_went_to_words():
    weights = _random_maps(torch.Generator().manual_seed(2))
    words = to_words(weights, QUERIES, KEYS, 3)
    to_specials = weights[1, :, 0, [0, 5]].sum(-1)
    torch.testing.assert_close(words[1, :, 0].sum(-1), 1 - to_specials)


@pytest.mark.parametrize("from_", ["mean", "first", "last"])
@pytest.mark.parametrize("to", ["sum", "first", "last"])
def test_whole_words_change_nothing(from_, to):
    weights = _random_maps(torch.Generator().manual_seed(3), 1, 2, 5, 5).double()
    places = torch.arange(5)[None]
    torch.testing.assert_close(to_words(weights, places, places, 5, from_, to), weights)


def test_gradients_pass():
    weights = _random_maps(torch.Generator().manual_seed(4)).requires_grad_()
    to_words(weights, QUERIES, KEYS, 3)[..., 0].sum().backward()
    assert (weights.grad[1, :, 0] != 0).tolist() == [[False, True, True, True, False, False]] * 3


def test_real_text_through_the_vocabulary_of_bert(real_data, tmp_path):
    (tmp_path / "vocab.txt").write_bytes(gzip.decompress((real_data / "bert" / "vocab.txt.gz").read_bytes()))
    tokenizer = BertTokenizerFast.from_pretrained(str(tmp_path), do_lower_case=True)
    sentences = list(islice(read_conllu(real_data / "treebank" / "en_ewt-ud-dev.conllu.gz"), 0, 800, 4))
    split = 0
    for sentence in sentences:
        pieces = pieces_of(sentence.forms, tokenizer)
        tokens = tokenizer.convert_ids_to_tokens(pieces.ids)
        for word, (start, end), token in zip(pieces.words, pieces.spans, tokens, strict=True):
            if word >= 0 and token != "[UNK]" and sentence.forms[word].isascii():
                assert sentence.forms[word][start:end].lower() == token.removeprefix("##")
        split += len(pieces.ids) - 2 > len(sentence)
    assert split > len(sentences) / 4
