"""Attention to the same token in the other sentence: by hand, against loops, and a planted head."""

import numpy as np
import pandas as pd
import pytest
import torch
from hand_made import table_of
from task_trees import EXAMPLES, tokenizer

from headwork.corpora.annotated.glue import Example
from headwork.heads.statistics.counterparts import UNIFORM, WEIGHT, Counterparts, alike
from headwork.heads.streaming.task_texts import task_batches, task_texts

HEADS = 3


def batch_of(*examples):
    texts, seconds, _ = task_texts(examples, tokenizer(), 40)
    return task_batches(texts, seconds, tokenizer().pad_token_id, 100)[0]


def maps_of(batch):
    torch.manual_seed(0)
    present = batch.queries["encoder"].present
    scores = torch.randn(len(present), HEADS, present.shape[1], present.shape[1]) * 2
    return scores.masked_fill(~present[:, None, None], -1e9).softmax(-1)


def measured(batch, maps):
    return table_of(Counterparts(), maps, batch).set_index(["key", "head"])


def test_the_equation_with_loops():
    """[CLS] the cat sees not the owl . [SEP] it sees the dog . [SEP], and the shorter pair before it."""
    batch = batch_of(*EXAMPLES)
    maps = maps_of(batch)
    found = measured(batch, maps)
    # the counterparts of each token that has some
    longer = {1: [11], 3: [10], 5: [11], 7: [13], 10: [3], 11: [1, 5], 13: [7]}
    shorter = {2: [7], 3: [8], 7: [2], 8: [3]}
    for head in range(HEADS):
        means = [
            np.mean([sum(float(weights[query, key]) for key in keys) for query, keys in pairs.items()])
            for weights, pairs in zip(maps[:, head], (shorter, longer), strict=True)
        ]
        assert found.loc[(WEIGHT, head + 1), "value"] == pytest.approx(np.mean(means), rel=1e-5)
        uniform = [1 / 10, np.mean([1, 1, 1, 1, 1, 2, 1]) / 15]
        assert found.loc[(UNIFORM, head + 1), "value"] == pytest.approx(np.mean(uniform))
    assert found["count"].eq(2).all()


def test_a_head_that_finds_the_same_token_and_one_that_stays_in_its_sentence():
    batch = batch_of(*EXAMPLES)
    pairs = alike(batch.queries["encoder"])
    maps = torch.zeros(len(pairs), HEADS, *pairs.shape[1:])
    planted = pairs / pairs.sum(-1, keepdim=True).clamp_min(1)
    planted[..., 0] += ~pairs.any(-1)  # tokens without a counterpart attend to [CLS]
    maps[:, 0] = planted
    maps[:, 1] = torch.eye(pairs.shape[1])
    present = batch.queries["encoder"].present
    maps[:, 2] = (present / present.sum(1, keepdim=True))[:, None]
    values = measured(batch, maps)["value"]
    assert values[WEIGHT].tolist() == pytest.approx([1, 0, values[UNIFORM, 3]])


def test_texts_without_a_common_token_do_not_count():
    different, single = (
        Example(1, "the cat sees", "it eats .", "a"),
        Example(0, "the cat sees the owl .", None, "a"),
    )
    alone, together = batch_of(EXAMPLES[1]), batch_of(EXAMPLES[1], different)
    maps = maps_of(together)
    length = alone.inputs["input_ids"].shape[1]
    last = maps[-1:, :, :length, :length]  # texts are in the order of their lengths
    found = measured(together, maps)
    assert found["count"].eq(1).all()
    pd.testing.assert_frame_equal(found, measured(alone, last))
    for batch in (batch_of(different), batch_of(single)):
        assert measured(batch, maps_of(batch)).empty
