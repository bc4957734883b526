"""Batches of like-long pairs."""

from itertools import islice

import numpy as np
import pytest
import torch
from tokenizers import normalizers, pre_tokenizers
from toy_corpus import data_of, tokenizer_of, write_corpus

from headwork.errors import InputError
from headwork.models.training.batches import Collator, Side, TokenBudget, TranslationData, cut


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return write_corpus(tmp_path_factory.mktemp("batches"), {"train": 500}, longest=12)


@pytest.mark.parametrize("change", ["none", "lower case", "pieces cross spaces"])
def test_words_that_are_cut_once_become_the_pieces_of_whole_lines(corpus, change):
    tokenizer = tokenizer_of(corpus)
    if change == "lower case":
        tokenizer.backend_tokenizer.normalizer = normalizers.Lowercase()
    elif change != "none":
        tokenizer.backend_tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    lines = ["ba be ba", " ba  be ", "ba\tbe\u00a0bi", "ba</s>be </s>", "Ba é bé", "", " ", "ba be ba bi"]
    side = Side.encode(iter(lines), tokenizer)
    expected = [tokenizer(line)["input_ids"] for line in lines]
    assert [side[number].tolist() for number in range(len(lines))] == expected
    assert side.lengths.tolist() == list(map(len, expected))
    assert side.pieces.dtype == np.int32


def test_long_and_empty_pairs_are_dropped_and_counted(tmp_path, corpus):
    (tmp_path / "s").write_text("ba\nba be bi bo bu\n\nbe\n")
    (tmp_path / "t").write_text("bax\nbax\nbax\n\n")
    data = TranslationData.read(tmp_path / "s", tmp_path / "t", tokenizer_of(corpus), longest=4)
    assert (len(data), data.dropped) == (1, 3)
    assert data[0][0].tolist() == tokenizer_of(corpus)("ba")["input_ids"]


@pytest.mark.parametrize(
    ("source", "target", "longest", "message"),
    [
        (b"ba\nbe\n", b"bax\n", 9, r"s has 2 lines and .*t has 1"),
        (b"ba\nbe\n", b"bax\n\xff\n", 9, r"t:2: .*UTF-8"),
        (b"ba\nbe\n", b"ba\nbe\n", 1, "no pair"),
    ],
)
def test_files_that_make_no_pairs(tmp_path, corpus, source, target, longest, message):
    (tmp_path / "s").write_bytes(source)
    (tmp_path / "t").write_bytes(target)
    with pytest.raises(InputError, match=message):
        TranslationData.read(tmp_path / "s", tmp_path / "t", tokenizer_of(corpus), longest=longest)


def test_a_pass_has_every_pair_once_within_the_budget(corpus):
    data = data_of(corpus, "train")
    sampler = TokenBudget(data, 60, 1, seed=1, window=200)
    batches = sampler.one_pass(0)
    assert sorted(np.concatenate(batches)) == list(range(len(data)))
    for batch in batches:
        assert len(batch) == 1 or len(batch) * sampler.lengths[:, batch].max() <= 60


def test_like_lengths_meet(corpus):
    data = data_of(corpus, "train")
    lengths = np.stack([data.source.lengths, data.target.lengths])

    def filled(batches):
        padded = sum(2 * len(batch) * lengths[:, batch].max() for batch in batches)
        return lengths.sum() / padded

    ours = cut(np.arange(len(data)), lengths, 200)
    unsorted = np.array_split(np.arange(len(data)), len(ours))
    assert filled(ours) > 0.9 > 0.7 > filled(unsorted)


def test_order_depends_on_seed_and_pass_only(corpus):
    data = data_of(corpus, "train")
    steps = 3 * len(TokenBudget(data, 60, 1, seed=1).one_pass(0))
    whole = list(TokenBudget(data, 60, steps, seed=1))
    assert len(whole) == steps == len(TokenBudget(data, 60, steps, seed=1))
    again = TokenBudget(data, 60, steps, seed=1)
    list(islice(again, 7))
    assert list(again) == whole, "a sampler that was read before says the same"
    assert list(TokenBudget(data, 60, steps, seed=2)) != whole
    assert whole[: steps // 3] != whole[steps // 3 : 2 * steps // 3], "each pass has its own order"
    counted = TokenBudget(data, 60, steps, seed=1).target_tokens()
    assert counted.tolist() == [sum(len(data[pair][1]) for pair in batch) for batch in whole]


def test_collated_tensors():
    batch = Collator(padding=0, decoder_start=0)(
        [(np.array([5, 6, 1]), np.array([7, 1])), (np.array([8, 1]), np.array([9, 4, 1]))]
    )
    assert batch["input_ids"].tolist() == [[5, 6, 1], [8, 1, 0]]
    assert batch["attention_mask"].tolist() == [[1, 1, 1], [1, 1, 0]]
    assert batch["labels"].tolist() == [[7, 1, -100], [9, 4, 1]]
    assert batch["decoder_input_ids"].tolist() == [[0, 7, 1], [0, 9, 4]]
    assert all(tensor.dtype == torch.int64 for tensor in batch.values())
