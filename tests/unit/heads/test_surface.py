"""Planted heads have the share that was planted; even attention has the share of chance."""

import numpy as np
import pandas as pd
import pytest
import torch
from hand_made import side_of_ids, table_of
from studies.clark2019.tables import behaviours
from tiny_bert import tiny_bert

from headwork.heads.statistics.entropy import Entropy
from headwork.heads.statistics.surface import Surface
from headwork.heads.statistics.token_classes import CLASSES, TokenClasses
from headwork.heads.streaming.batches import Batch, single_batch
from headwork.heads.streaming.measure import measure
from headwork.settings.heads import EntropySettings, SurfaceSettings

# 0 padding, 1 [CLS], 2 [SEP], 3 "."
TABLE = TokenClasses(CLASSES, torch.tensor([3, 0, 1, 2, *[3] * 16]))
IDS = torch.tensor([[1, 5, 6, 3, 2, 7, 3, 2], [1, 8, 2, 9, 3, 2, 0, 0]])
AS_PUBLISHED = EntropySettings(drop_special_queries=False, smoothing=1e-4, average="sentences", first=True)


def batch_of(ids):
    return single_batch(side_of_ids(ids), "encoder")


def planted(ids):
    """Heads that look at the next token, the previous one, themselves, [CLS], evenly at [SEP], evenly everywhere."""
    size, present = ids.shape[1], (ids != 0).double()
    eye = torch.eye(size, dtype=torch.float64)
    maps = torch.zeros(len(ids), 6, size, size, dtype=torch.float64)
    maps[:, 0] = eye.roll(1, 1)
    maps[:, 1] = eye.roll(-1, 1)
    maps[:, 2] = eye
    maps[:, 3] = (ids == 1)[:, None]
    maps[:, 4] = ((ids == 2) / (ids == 2).sum(1, keepdim=True))[:, None]
    maps[:, 5] = (present / present.sum(1, keepdim=True))[:, None]
    for row, length in enumerate(present.sum(1).int().tolist()):
        # at the edges, where there is no neighbour, at itself
        maps[row, 0, length - 1] = eye[length - 1]
        maps[row, 1, 0] = eye[0]
    return maps


def values_of(table):
    return table.set_index(["head", "key"])["value"]


def test_planted_heads_are_found():
    batch = batch_of(IDS)
    surface, entropy = Surface(TABLE), Entropy(AS_PUBLISHED)
    table = table_of(surface, planted(IDS), batch)
    found = values_of(table)
    neighbours = np.mean([7 / 8, 5 / 6])
    assert found[1, "next"] == pytest.approx(neighbours)
    assert found[2, "previous"] == pytest.approx(neighbours)
    of_one = [(3, "self"), (4, "cls"), (5, "sep"), (5, "sep-to-sep"), (5, "other-to-sep"), (3, "sep-to-sep")]
    for place in of_one:
        assert found[place] == pytest.approx(1), place
    assert found[3, "other-to-sep"] == 0
    assert table["count"].eq(2).all()
    both = pd.concat([table, table_of(entropy, planted(IDS), batch)])
    rules = [("broad", "entropy", "", 1.8)]
    named = behaviours(both)["behaviour"].tolist()
    assert named == ["next", "previous", "", "cls", "sep", ""]
    assert behaviours(both, rules)["behaviour"].tolist() == ["", "", "", "", "", "broad"]


def test_even_attention_is_chance():
    statistic = Surface(TABLE)
    found = values_of(table_of(statistic, planted(IDS), batch_of(IDS)))
    chance = statistic.chance().set_index("key")["value"]
    for key, value in chance.items():
        assert found[6, key] == pytest.approx(value, abs=1e-6), key
    # by hand: 2 of 8 and 2 of 6 tokens are [SEP]
    assert chance["sep"] == pytest.approx((2 / 8 + 2 / 6) / 2)
    assert chance["previous"] == pytest.approx((7 / 64 + 5 / 36) / 2)


def test_every_text_or_every_token_counts_alike():
    maps = torch.zeros(2, 1, 8, 8, dtype=torch.float64)
    maps[0, 0, :, 0] = 1
    maps[1, 0, :6, 5] = 1
    batch = batch_of(IDS)
    assert values_of(table_of(Surface(TABLE), maps, batch))[1, "cls"] == 0.5
    tokens = table_of(Surface(TABLE, SurfaceSettings(average="tokens")), maps, batch)
    assert values_of(tokens)[1, "cls"] == pytest.approx(8 / 14)
    assert tokens.set_index("key")["count"][["cls", "sep-to-sep", "other-to-sep"]].tolist() == [14, 4, 10]


def test_padding_and_other_texts_of_the_batch_change_nothing():
    short = IDS[1:, :6]
    alone = values_of(table_of(Surface(TABLE), planted(short), batch_of(short)))
    poisoned = planted(IDS)
    poisoned[1, :, 6:, :] = 9
    padded = values_of(table_of(Surface(TABLE), poisoned[1:], batch_of(IDS[1:])))
    pd.testing.assert_series_equal(alone, padded)


def test_smoothed_entropy_of_even_and_single_attention():
    found = values_of(table_of(Entropy(AS_PUBLISHED), planted(IDS), batch_of(IDS)))
    for key in ("", "first"):
        assert found[6, key] == pytest.approx(np.log([8, 6]).mean())
    assert 0 < found[3, ""] < 0.003


def test_untrained_heads_do_nothing():
    ids = torch.randint(4, 20, (6, 24), generator=torch.manual_seed(0))
    ids[:, 0], ids[:, 11], ids[:, 23] = 1, 2, 2
    model = tiny_bert(range(20), hidden_size=32, num_attention_heads=4).base_model
    table = measure(model, [batch_of(ids)], [Surface(TABLE), Entropy(AS_PUBLISHED)])
    assert set(behaviours(table)["behaviour"]) == {""}


def test_two_texts_have_no_surface():
    side, other = (batch_of(ids).queries["encoder"] for ids in (IDS, IDS[:, :6]))
    batch = Batch({}, {"cross": side}, {"cross": other})
    assert table_of(Surface(TABLE), torch.full((2, 3, 8, 6), 1 / 6), batch, "cross").empty
