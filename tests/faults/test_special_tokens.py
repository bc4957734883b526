"""A special token's role is that of its place: first before the text, a separator between and behind texts."""

import pytest
import torch
from small_tokenizers import TEXT, byte_pairs, wordpiece
from transformers import OPTConfig, OPTForCausalLM

from headwork import atlas
from headwork.heads.statistics.token_classes import token_classes
from headwork.heads.streaming.batches import read_by_decoder, side_of, texts

NAMES = ("cls", "sep", "punctuation", "other")


def classes(tokenizer, lines, start=None, target=False):
    """The classes of the tokens of texts, beside the tokens."""
    side = side_of(list(texts(lines, tokenizer, target=target)), tokenizer.pad_token_id or 0)
    side = side if start is None else read_by_decoder(side, start)
    found = token_classes(tokenizer).of_side(side)
    return [
        [
            (tokenizer.convert_ids_to_tokens(number), NAMES[own])
            for number, own, present in zip(ids.tolist(), row.tolist(), there.tolist(), strict=True)
            if present
        ]
        for ids, row, there in zip(side.ids, found, side.present, strict=True)
    ]


def opt(tokenizer, layers=1):
    torch.manual_seed(1)
    config = OPTConfig(
        vocab_size=len(tokenizer),
        hidden_size=24,
        word_embed_proj_dim=24,
        num_hidden_layers=layers,
        num_attention_heads=4,
        ffn_dim=32,
        max_position_embeddings=128,
        pad_token_id=tokenizer.pad_token_id,
        bos_token_id=0,
        eos_token_id=0,
    )
    return OPTForCausalLM(config).eval()


@pytest.mark.parametrize("pad", ["<pad>", "</s>"])
def test_an_end_token_in_front_is_the_first_token(pad):
    tokenizer = byte_pairs(bos="</s>", eos="</s>", pad=pad)
    found = atlas(opt(tokenizer), TEXT, tokenizer=tokenizer).table
    assert "sep" not in set(found["measure"])  # no text has one
    rows = found[found["measure"] == "special-weight"].set_index(["layer", "head"])["value"]
    first = found[found["measure"] == "first"].set_index(["layer", "head"])["value"]
    assert (rows > first * 0.9).all()  # over all queries, the first token among them
    assert {own for row in classes(tokenizer, TEXT) for token, own in row if token == "</s>"} == {"cls"}


def test_bert_has_its_own():
    (row,) = classes(wordpiece(), ["The cat , the dog ."])
    assert [own for token, own in row if token == "[CLS]"] == ["cls"]
    assert [own for token, own in row if token == "[SEP]"] == ["sep"]
    assert [own for token, own in row if token in ",."] == ["punctuation"] * 2


def test_language_codes_and_starts_of_decoders():
    from test_targets import mbart, nllb  # tokenizers with languages
    from transformers import MBartTokenizer

    (row,) = classes(nllb(), ["The cat"])
    assert row[0] == ("eng_Latn", "cls")
    assert row[-1] == ("</s>", "sep")
    (row,) = classes(nllb(), ["The cat"], start=2, target=True)
    assert row[:2] == [("</s>", "cls"), ("fra_Latn", "cls")]
    assert {own for _, own in row[2:]} == {"other"}
    (row,) = classes(mbart(MBartTokenizer), ["The cat"])
    assert row[-2:] == [("</s>", "sep"), ("en_XX", "sep")]


def test_a_beginning_that_is_not_called_cls():
    tokenizer = byte_pairs(bos="<s>", eos="</s>", pad="<pad>")
    (row,) = classes(tokenizer, ["The cat"])
    assert row[0] == ("<s>", "cls")


def test_a_text_without_words_has_a_separator():
    tokenizer = wordpiece()
    side = side_of(list(texts(["The"], tokenizer)), 0)
    bare = type(side)(
        side.ids[:, [0, 2]], side.present[:, [0, 2]], side.real[:, [0, 2]], side.words[:, [0, 2]]
    )
    assert token_classes(tokenizer).of_side(bare).tolist() == [[0, 1]]
