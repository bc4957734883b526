"""Cosines of maps of two models: against numpy, the same model, another one, and what padding does."""

import copy

import numpy as np
import pytest
import torch
from task_trees import EXAMPLES, tokenizer
from tiny_bert import tiny_bert

from headwork.errors import InputError
from headwork.heads.statistics.map_changes import MapChanges, cosine
from headwork.heads.streaming.measure import measure
from headwork.heads.streaming.task_texts import task_batches, task_texts


@pytest.fixture(scope="module")
def batches():
    texts, seconds, _ = task_texts(EXAMPLES, tokenizer(), 40)
    return task_batches(texts, seconds, tokenizer().pad_token_id, 100)


@pytest.fixture(scope="module")
def models():
    before = tiny_bert(tokenizer(), initializer_range=0.5)
    after = copy.deepcopy(before)
    torch.manual_seed(5)
    with torch.no_grad():
        query = after.bert.encoder.layer[1].attention.self.query
        query.weight[:8] = torch.randn_like(query.weight[:8]) * 2
    return before, after


def map_changes(before, after, batches, include_padding=False):
    return measure(after, batches, [MapChanges(before, after, include_padding)])


def test_equation():
    torch.manual_seed(0)
    ones, others = (torch.randn(2, 3, 6, 6).softmax(-1) for _ in range(2))
    queries = torch.tensor([[True] * 6, [True] * 4 + [False] * 2])
    found = cosine(ones, others, queries)
    for text, length in enumerate((6, 4)):
        for head in range(3):
            a, b = (each[text, head, :length].double().numpy().ravel() for each in (ones, others))
            expected = a @ b / (np.linalg.norm(a) * np.linalg.norm(b))
            assert found[text, head].item() == pytest.approx(expected, abs=1e-5)


def test_only_the_head_that_was_changed_differs(models, batches):
    table = map_changes(*models, batches).set_index(["layer", "head"])
    assert table["count"].eq(2).all()
    same = table.drop(index=[(2, 1)])
    assert same["value"].tolist() == pytest.approx([1] * 3, abs=1e-5)
    assert table.loc[(2, 1), "value"] < 0.99


def test_padding_is_left_out_unless_asked_for(models, batches):
    cropped, padded = (map_changes(*models, batches, include_padding=choice) for choice in (False, True))
    head = (cropped["layer"] == 2) & (cropped["head"] == 1)
    assert cropped.loc[head, "value"].item() != pytest.approx(padded.loc[head, "value"].item(), abs=1e-4)
    alone = [batch for batch in task_batches(*task_texts(EXAMPLES, tokenizer(), 40)[:2], 0, 15)]
    unpadded = map_changes(*models, alone)
    assert unpadded["value"].tolist() == pytest.approx(cropped["value"].tolist(), abs=1e-5)


def test_models_of_different_shapes(models, batches):
    other = tiny_bert(tokenizer(), num_hidden_layers=1)
    with pytest.raises(InputError, match="as many layers and heads"):
        map_changes(models[0], other, batches)
