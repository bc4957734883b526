"""Distances against scipy's, their limits, and their independence of batches and chunks."""

import numpy as np
import pandas as pd
import pytest
import torch
from hand_made import look
from scipy.spatial.distance import jensenshannon
from tiny_bert import tiny_bert

from headwork.heads.statistics import divergence
from headwork.heads.statistics.divergence import JensenShannon
from headwork.heads.streaming.batches import Side, single_batch
from headwork.heads.streaming.measure import measure
from headwork.settings.heads import DistanceSettings


def batch_of(lengths):
    present = torch.arange(max(lengths)) < torch.tensor(lengths)[:, None]
    ids = present.long() * 3
    return single_batch(Side(ids, present, present, ids), "encoder")


def random_maps(sites, heads, lengths, seed=0):
    size = max(lengths)
    scores = 3 * torch.randn(
        sites, len(lengths), heads, size, size, generator=torch.manual_seed(seed), dtype=torch.float64
    )
    for row, length in enumerate(lengths):
        scores[:, row, :, :, length:] = -torch.inf
    return scores.softmax(-1)


def shown(maps, lengths, settings=None):
    statistic, batch = JensenShannon(settings), batch_of(lengths)
    statistic.start(batch)
    for layer, weights in enumerate(maps, start=1):
        look(statistic, weights, batch, layer=layer)
    return statistic.table()


def square(table):
    own = [f"{row.kind} {row.layer}-{row.head}" for row in table.itertuples()]
    return table.assign(own=own).pivot_table(index="own", columns="key", values="value").to_numpy()


@pytest.mark.parametrize("weights_at_once", [1, 100, 2**18])
def test_equals_scipy(weights_at_once, monkeypatch):
    monkeypatch.setattr(divergence, "WEIGHTS_AT_ONCE", weights_at_once)
    lengths = [7, 4]
    maps = random_maps(2, 3, lengths)
    found = square(shown(maps, lengths, DistanceSettings(smoothing=0)))
    flat = maps.transpose(0, 1).flatten(1, 2).numpy()  # text, head of all layers, query, key
    expected = np.zeros((6, 6))
    for text, length in enumerate(lengths):
        rows = flat[text, :, :length]
        # scipy gives the root of the divergence
        expected += (jensenshannon(rows[:, None], rows[None], axis=-1) ** 2).sum(-1)
    np.testing.assert_allclose(found, expected / sum(lengths), atol=1e-12)


def test_limits():
    """Heads that never look at the same key are ln 2 apart, equal ones 0; distances are symmetric."""
    eye = torch.eye(5, dtype=torch.float64)
    maps = torch.stack([eye, eye.roll(1, 1), eye])[None, None]
    found = square(shown(maps, [5], DistanceSettings(smoothing=0)))
    apart = np.log(2)
    np.testing.assert_allclose(found, [[0, apart, 0], [apart, 0, apart], [0, apart, 0]], atol=1e-12)
    smoothed = square(shown(maps, [5]))
    assert (np.diag(smoothed) == 0).all()
    assert 0.98 * apart < smoothed[0, 1] < apart
    assert np.array_equal(smoothed, smoothed.T)


def test_some_tokens_evenly_spread():
    lengths = [8, 2]
    maps = random_maps(1, 2, lengths)
    table = shown(maps, lengths, DistanceSettings(smoothing=0, tokens=4))
    assert table["count"].eq(4 + 2).all()
    chosen = [maps[0, 0, :, query] for query in (0, 2, 4, 6)] + [maps[0, 1, :, query] for query in (0, 1)]
    expected = np.mean([jensenshannon(*rows.numpy()) ** 2 for rows in chosen])
    assert square(table)[0, 1] == pytest.approx(expected)


def test_a_stream_of_batches_adds_up():
    model = tiny_bert(range(20)).base_model
    ids = torch.randint(1, 20, (4, 9))
    ids[2:, 6:] = 0

    def batch(rows):
        own = ids[rows][:, : int((ids[rows] != 0).sum(1).max())]
        return single_batch(Side(own, own != 0, own != 0, own), "encoder")

    together = measure(model, [batch(slice(0, 4))], [JensenShannon()])
    apart = measure(model, [batch(slice(row, row + 1)) for row in range(4)], [JensenShannon()])
    columns = ["kind", "layer", "head", "key", "count"]
    pd.testing.assert_frame_equal(together[columns], apart[columns])
    np.testing.assert_allclose(together["value"], apart["value"], atol=1e-6)
    assert together["count"].eq(2 * 9 + 2 * 6).all()
    assert len(together) == 4 * 4
