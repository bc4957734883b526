"""Planted heads look where they were planted, and every query counts in one place."""

import pytest
import torch
from hand_made import side_of_ids, table_of

from headwork.heads.statistics.target_positions import PLACES, Places
from headwork.heads.streaming.batches import single_batch
from headwork.settings.heads import PlaceSettings

# 0 padding, 1 the end mark; sentences of 3 and 2 tokens
IDS = torch.tensor([[5, 6, 7, 1], [8, 9, 1, 0]])


def maps_to(keys):
    """One head per row of `keys`: which key each query of the longest sentence looks at most."""
    maps = torch.full((2, len(keys), 4, 4), 0.1)
    for head, row in enumerate(keys):
        for query, key in enumerate(row):
            maps[:, head, query, key] = 0.5
    return maps


def values_of(keys, settings=None, ids=IDS, last_mark=1):
    batch = single_batch(side_of_ids(ids, last_mark), "encoder")
    return table_of(Places(settings), maps_to(keys), batch).set_index(["head", "key"])


def test_hand_computed_shares():
    # heads that look at: themselves; the token before; the one after; place 3, which is the first sentence's end mark
    table = values_of([[0, 1, 2, 3], [0, 0, 1, 2], [1, 2, 3, 3], [3, 3, 3, 3]])["value"]
    assert table[1, "self"] == pytest.approx(1)
    # the first token has none before it, and looks at itself: (2/3 + 1/2) / 2
    assert table[2, "previous"] == pytest.approx((2 / 3 + 1 / 2) / 2)
    assert table[2, "self"] == pytest.approx((1 / 3 + 1 / 2) / 2)
    # what follows the last token is the end mark
    assert table[3, "next"] == pytest.approx((2 / 3 + 1 / 2) / 2)
    assert table[3, "end"] == pytest.approx((1 / 3 + 1 / 2) / 2)
    # in the second sentence place 3 is padding, which no model gives weight to; here it is a place like any other
    assert table[4, "end"] == pytest.approx(0.5)


def test_the_last_word_is_told_from_the_end_mark():
    table = values_of([[2, 2, 2, 2]])["value"]
    # first sentence: 0 looks at the last word, 1 too, which is the next; 2 is the last word itself
    # second sentence: place 2 is the end mark
    assert table[1, "last"] == pytest.approx((1 / 3) / 2)
    assert table[1, "next"] == pytest.approx((1 / 3) / 2)
    assert table[1, "self"] == pytest.approx((1 / 3) / 2)
    assert table[1, "end"] == pytest.approx(1 / 2)


def test_without_an_end_mark_nothing_is_at_it():
    ids = torch.tensor([[5, 6, 7, 8], [8, 9, 6, 0]])
    table = values_of([[2, 2, 2, 2]], ids=ids, last_mark=0)["value"]
    assert table[1, "end"] == 0
    # place 2 is the second sentence's last token: of its three queries one looks there from afar
    assert table[1, "last"] == pytest.approx((1 / 3) / 2)


@pytest.mark.parametrize("average", ["sentences", "tokens"])
def test_shares_sum_to_one(average):
    torch.manual_seed(0)
    keys = torch.randint(0, 3, (5, 4)).tolist()
    table = values_of(keys, PlaceSettings(average=average))
    assert set(table.reset_index()["key"]) == set(PLACES)
    assert table.groupby("head")["value"].sum().to_numpy() == pytest.approx(1.0)
    assert (table["count"] == (2 if average == "sentences" else 5)).all()


def test_the_average_is_a_choice():
    by_token = values_of([[0, 0, 1, 2]], PlaceSettings(average="tokens"))["value"]
    assert by_token[1, "previous"] == pytest.approx(3 / 5)
