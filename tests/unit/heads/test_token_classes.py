"""Every piece of a vocabulary has one class, however a tokenizer writes where words begin."""

import pytest
import torch
from tokenizers import Tokenizer
from tokenizers.decoders import BPEDecoder, ByteLevel
from tokenizers.decoders import WordPiece as WordPieceDecoder
from tokenizers.models import WordLevel
from transformers import PreTrainedTokenizerFast

from headwork.heads.statistics.token_classes import CLASSES, token_classes

BERT = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", ".", ",", "...", ";", "##.", "a.m", "cat"]


def tokenizer_of(pieces, decoder, **specials):
    backend = Tokenizer(WordLevel({piece: number for number, piece in enumerate(pieces)}, pieces[0]))
    backend.decoder = decoder
    return PreTrainedTokenizerFast(tokenizer_object=backend, **specials)


def classes_of(tokenizer):
    found = token_classes(tokenizer)
    assert found.names == CLASSES
    numbers = found.of(torch.arange(len(tokenizer))[None])[0].tolist()
    return {
        piece: CLASSES[number]
        for piece, number in zip(
            tokenizer.convert_ids_to_tokens(list(range(len(numbers)))), numbers, strict=True
        )
    }


def test_bert():
    tokenizer = tokenizer_of(
        BERT, WordPieceDecoder(), cls_token="[CLS]", sep_token="[SEP]", mask_token="[MASK]"
    )
    expected = {"[CLS]": "cls", "[SEP]": "sep", ".": "punctuation", ",": "punctuation"}
    assert classes_of(tokenizer) == {piece: expected.get(piece, "other") for piece in BERT}


@pytest.mark.parametrize(
    ("pieces", "decoder"),
    [
        (["<pad>", "</s>", ".</w>", ",</w>", "x</w>"], BPEDecoder(suffix="</w>")),
        (["<pad>", "</s>", "Ġ.", ",", "Ġx"], ByteLevel()),
    ],
)
def test_a_translation_model_ends_its_texts_and_has_no_cls(pieces, decoder):
    found = classes_of(tokenizer_of(pieces, decoder, eos_token="</s>", pad_token="<pad>"))
    assert list(found.values()) == ["other", "sep", "punctuation", "punctuation", "other"]


def test_a_vocabulary_with_gaps():
    backend = Tokenizer(WordLevel({"</s>": 0, "x": 1, ".": 10}, "x"))
    classes = token_classes(PreTrainedTokenizerFast(tokenizer_object=backend, eos_token="</s>"))
    assert classes.of(torch.tensor([[0, 1, 10]])).tolist() == [[1, 3, 2]]
