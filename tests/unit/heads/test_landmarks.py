"""Planted heads attend to the first, the last and the same token; uniform attention has the share of chance."""

import pytest
import torch
from hand_made import side_of_ids, table_of

from headwork.heads.statistics.landmarks import Landmarks
from headwork.heads.streaming.batches import Batch, single_batch

# [CLS] a b a [SEP], and [CLS] c [SEP] with padding
IDS = torch.tensor([[1, 5, 6, 5, 2], [1, 7, 2, 0, 0]])


def shown(maps, batch, kind="encoder"):
    statistic = Landmarks()
    found = table_of(statistic, maps, batch, kind).set_index(["head", "key"])
    return found["value"], statistic.chance().set_index("key")["value"]


def test_planted_heads_have_their_landmark():
    """The first and the last token are [CLS] and [SEP]: special tokens count at both ends."""
    maps = torch.zeros(2, 3, 5, 5)
    maps[:, 0, :, 0] = 1
    maps[0, 1, :, 4], maps[1, 1, :, 2] = 1, 1
    maps[0, 2, [1, 3], [3, 1]] = 1
    values, _ = shown(maps, single_batch(side_of_ids(IDS), "encoder"))
    assert values.loc[1, "first"] == values.loc[2, "last"] == values.loc[3, "same-token"] == 1
    assert values.loc[3, "first"] == values.loc[1, "same-token"] == 0
    assert values.loc[3, "last"] == values.loc[1, "last"] == values.loc[2, "first"] == 0


def test_without_special_tokens_the_ends_are_words():
    maps = torch.zeros(1, 2, 3, 3)
    maps[:, 0, :, 0] = maps[:, 1, :, 2] = 1
    values, _ = shown(maps, single_batch(side_of_ids(torch.tensor([[5, 6, 7]])), "encoder"))
    assert values.loc[1, "first"] == values.loc[2, "last"] == 1
    assert values.loc[2, "first"] == values.loc[1, "last"] == 0


@pytest.mark.parametrize("kind", ["encoder", "decoder"])
def test_uniform_attention_has_the_share_of_chance(kind):
    present = (IDS != 0).float()
    maps = present[:, None, None].expand(-1, 1, 5, -1)
    maps = maps.tril() if kind == "decoder" else maps
    maps = maps / maps.sum(3, keepdim=True)
    values, chance = shown(maps, single_batch(side_of_ids(IDS), kind), kind)
    keys = {"first", "last", "same-token"}
    # no token of a causal model sees the last one, but that itself
    for key in keys - {"last"} if kind == "decoder" else keys:
        assert values.loc[1, key] == pytest.approx(chance[key])


def test_in_cross_attention_the_first_query_attends_to_the_first_key_too():
    target, source = side_of_ids(torch.tensor([[1, 9, 9]])), side_of_ids(torch.tensor([[9, 8]]))
    batch = Batch({}, {"cross": target}, {"cross": source})
    maps = torch.zeros(1, 1, 3, 2)
    maps[..., 0] = 1
    values, chance = shown(maps, batch, "cross")
    assert values.loc[1, "first"] == values.loc[1, "same-token"] == 1
    assert chance.to_dict() == pytest.approx({"first": 0.5, "last": 0.5, "same-token": 0.5})
