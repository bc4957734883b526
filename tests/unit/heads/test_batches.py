"""Sides know their real tokens; batches hold every sentence once; trees that are not the text's are refused."""

import pytest
from hand_made import ending_tokenizer

from headwork.errors import InputError
from headwork.heads.streaming.batches import (
    read_by_decoder,
    side_of,
    single_batch,
    texts,
    translation_batch,
    translation_batches,
)
from headwork.parses.conllu import Sentence, Word

LINES = ["the cat saw the dog", "dogs sleep", "the dog saw cats sleep now", "now"]


@pytest.fixture(scope="module")
def tokenizer():
    return ending_tokenizer(sorted({word for line in LINES for word in line.split()}))


def tree(line):
    words = [Word(form, head=place, deprel="dep") for place, form in enumerate(line.split())]
    return Sentence(words)


def test_real_tokens_are_neither_padding_nor_the_end_mark(tokenizer):
    side = side_of(list(texts(LINES[:2], tokenizer)), padding=0)
    assert side.present.sum(1).tolist() == [6, 3]
    assert side.real.sum(1).tolist() == side.lengths.tolist() == [5, 2]
    assert side.words.tolist() == [[0, 1, 2, 3, 4, -1], [0, 1, -1, -1, -1, -1]]
    assert side.first.tolist() == [0, 0]
    assert side.last.tolist() == [4, 1]


def test_unknown_words_are_real(tokenizer):
    side = side_of(list(texts(["the zebra sleep"], tokenizer)), padding=0)
    assert side.ids[0, 1] == 2
    assert side.real[0].tolist() == [True, True, True, False]


def test_a_decoder_reads_the_target_one_place_later_and_never_the_end_mark(tokenizer):
    side = side_of(list(texts(LINES[:2], tokenizer)), padding=0)
    read = read_by_decoder(side, start=0)
    assert read.ids[0].tolist() == [0, *side.ids[0, :5].tolist()]
    assert read.real.tolist() == [[False] + [True] * 5, [False, True, True, False, False, False]]
    assert read.words[0].tolist() == [-1, 0, 1, 2, 3, 4]
    # the start piece is padding's id, but it is there; it is what the first prediction is made from
    assert read.present[:, 0].all()


def test_a_shorter_row_of_a_batch_is_read_no_further_than_it_is_alone(tokenizer):
    side = side_of(list(texts(["the cat saw the dog", "now"], tokenizer)), padding=0)
    read = read_by_decoder(side, start=0)
    assert read.present.sum(1).tolist() == [6, 2]
    assert not (read.present & (read.ids == tokenizer.eos_token_id)).any()


def test_attention_kinds_have_their_sides(tokenizer):
    source, target = (side_of(list(texts(lines, tokenizer)), padding=0) for lines in (LINES[:2], LINES[2:]))
    batch = translation_batch(source, target, decoder_start=0)
    assert batch.queries["encoder"] is batch.keys["encoder"] is batch.keys["cross"] is source
    assert batch.queries["decoder"] is batch.keys["decoder"] is batch.queries["cross"]
    moved = batch.to("cpu")
    assert moved.queries["encoder"] is moved.keys["cross"]
    assert single_batch(source, "encoder").inputs["attention_mask"].sum() == 9


def test_every_pair_once_within_the_budget(tokenizer):
    sources, targets = list(texts(LINES, tokenizer)), list(texts(LINES[::-1], tokenizer))
    batches = translation_batches(sources, targets, padding=0, decoder_start=0, tokens=12)
    assert len(batches) > 1
    assert all(
        batch.inputs[name].numel() <= 12 for batch in batches for name in ("input_ids", "decoder_input_ids")
    )
    seen = [
        tokenizer.decode(row, skip_special_tokens=True)
        for batch in batches
        for row in batch.inputs["input_ids"]
    ]
    assert sorted(seen) == sorted(LINES)


def test_trees_go_with_their_lines(tokenizer):
    found = list(texts(LINES, tokenizer, map(tree, LINES), "trees.conllu"))
    side = side_of(found[:2], padding=0)
    assert [sentence.text for sentence in side.sentences] == LINES[:2]
    assert side_of(list(texts(LINES, tokenizer)), padding=0).sentences is None


@pytest.mark.parametrize(
    ("trees", "message"),
    [
        (LINES[:2], r"trees.conllu:3: there are fewer trees than lines"),
        ([*LINES, "more"], r"trees.conllu: there are more trees than the 4 lines"),
        ([LINES[0], "dogs slept", *LINES[2:]], r"trees.conllu:2: the tree for this line is of 'dogs slept'"),
    ],
)
def test_trees_of_another_text_are_refused(tokenizer, trees, message):
    with pytest.raises(InputError, match=message):
        list(texts(LINES, tokenizer, map(tree, trees), "trees.conllu"))


def test_unequal_sides_are_refused(tokenizer):
    sources = list(texts(LINES, tokenizer))
    with pytest.raises(InputError, match="4 source and 3 target"):
        translation_batches(sources, sources[:3], padding=0, decoder_start=0, tokens=50)
