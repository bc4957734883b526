"""Samples of fixed size, spreads, rank correlations; norms of several batches, kinds and sizes, and their settings."""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from scipy.stats import spearmanr

from headwork.heads.norms.cancelling import Cancelling
from headwork.heads.norms.frequency_ranks import DRAWS, FrequencyRanks, rhos_of_drawn_pieces
from headwork.heads.norms.vector_norms import VectorNorms
from headwork.heads.norms.weights_and_norms import Norms
from headwork.heads.statistics.rare import Frequencies
from headwork.heads.statistics.spearman import spearman
from headwork.heads.statistics.spread import Spread
from headwork.heads.statistics.token_classes import CLASSES, TokenClasses
from headwork.heads.streaming.batches import Side, single_batch, translation_batch
from headwork.heads.streaming.measure import measure
from headwork.heads.streaming.sample import Sample
from headwork.lens.anatomy import anatomy
from headwork.sites import Site

sys.path.insert(0, str(Path(__file__).parents[1] / "lens"))
from small_models import VOCABULARY, output, padded_batch, small_model

from headwork.settings.heads import CancellingSettings

CLASS_OF = TokenClasses(CLASSES, torch.arange(VOCABULARY) % len(CLASSES))


def test_a_sample_has_every_thing_while_there_is_room_and_then_each_with_equal_chance():
    small = Sample(10, seed=0)
    slots, items = small.offer(4)
    assert items.tolist() == [0, 1, 2, 3]
    assert small.taken[slots].all()
    assert small.taken.sum() == 4
    chosen = np.zeros(40)
    for seed in range(400):
        sample, held = Sample(10, seed), np.full(10, -1)
        for start in range(0, 40, 8):
            slots, items = sample.offer(8)
            held[slots] = start + items
        assert len(set(held.tolist())) == 10
        chosen[held] += 1
    # 100 expected of each, standard deviation 9
    assert chosen.min() > 60
    assert chosen.max() < 140


def test_spearman_is_scipys():
    random = np.random.default_rng(0)
    x, y = random.integers(0, 5, (30, 3)), random.normal(size=(30, 3))
    expected = [spearmanr(x[:, column], y[:, column]).statistic for column in range(3)]
    np.testing.assert_allclose(spearman(x, y), expected)
    np.testing.assert_allclose(spearman(x[:, :1], y)[1], spearmanr(x[:, 0], y[:, 1]).statistic)
    assert np.isnan(spearman(np.ones((4, 1)), y[:4, :1]))


def test_drawn_correlations_are_of_rows_copied_as_often_as_their_piece_is_drawn():
    random = np.random.default_rng(0)
    ids = random.integers(0, 12, 80)
    ranks, values = ids // 2, random.normal(size=(80, 2)).round(1)
    values[:, 0] -= ranks
    chance, expected = np.random.default_rng(5), []
    pieces = np.unique(ids)
    for _ in range(DRAWS):
        rows = np.concatenate([np.flatnonzero(ids == pieces[n]) for n in chance.integers(12, size=12)])
        expected.append([spearmanr(ranks[rows], values[rows, column]).statistic for column in range(2)])
    np.testing.assert_allclose(rhos_of_drawn_pieces(ids, ranks, values, seed=5), expected)


def test_copies_of_a_token_do_not_narrow_the_interval():
    random = np.random.default_rng(1)
    ids = ranks = np.arange(60)
    values = (ranks + 30 * random.normal(size=60))[:, None]
    once = rhos_of_drawn_pieces(ids, ranks, values)
    again = rhos_of_drawn_pieces(ids.repeat(50), ranks.repeat(50), values.repeat(50, axis=0))
    np.testing.assert_allclose(again, once)
    assert np.ptp(np.percentile(once, [2.5, 97.5])) > 0.2
    one = np.zeros(9, dtype=int)
    assert np.isnan(rhos_of_drawn_pieces(one, one, np.arange(9.0)[:, None])).all()


def test_a_spread_by_hand():
    spread = Spread("lengths")
    for values in ([[1.0], [3.0]], [[5.0], [7.0]]):
        spread.add(Site("encoder", 1), torch.tensor(values))
    values = spread.table().set_index("key")["value"]
    assert values[["mean", "min", "max"]].tolist() == [4, 1, 7]
    assert values["sd"] == pytest.approx(5**0.5)
    assert values["cv"] == pytest.approx(5**0.5 / 4)


def side_of(ids, present):
    real = present.clone()
    real[:, 0] = False
    return Side(ids, present.bool(), real.bool(), torch.zeros_like(ids))


def batches_of(model, size=None):
    """The padded batch of a family, whole or in batches of `size` sentences."""
    inputs = padded_batch(model, 4)
    for rows in torch.arange(4).split(size or 4):
        source = side_of(inputs["input_ids"][rows], inputs["attention_mask"][rows])
        if model.config.is_encoder_decoder:
            target = side_of(inputs["decoder_input_ids"][rows], inputs["decoder_attention_mask"][rows])
            yield translation_batch(source, target, model.config.decoder_start_token_id)
        else:
            yield single_batch(source, anatomy(model).heads()[0].kind)


def statistics_of(model, **settings):
    vectors = VectorNorms(model)
    ranks = torch.arange(VOCABULARY) + 1
    frequencies = {kind: Frequencies(ranks, ranks, VOCABULARY) for kind in ("encoder", "decoder", "cross")}
    chosen = [
        Norms(vectors, CLASS_OF),
        Cancelling(vectors, CLASS_OF, CancellingSettings(**settings)),
        FrequencyRanks(vectors, frequencies),
    ]
    return vectors, chosen


def measured(model, size=None, **settings):
    vectors, chosen = statistics_of(model, **settings)
    with vectors.reading():
        table = measure(model, list(batches_of(model, size)), chosen)
    return table, chosen


@pytest.mark.parametrize("family", ["bert", "gpt2", "marian", "pegasus"])
def test_batches_do_not_matter_and_padding_is_not_seen(family):
    model = small_model(family)
    whole, _ = measured(model)
    alone, _ = measured(model, size=1)
    place = ["kind", "layer", "head", "statistic", "key"]
    both = whole.merge(alone, on=place, suffixes=("", "_alone"))
    assert len(both) == len(whole) == len(alone)
    assert (both["count"] == both["count_alone"]).all()
    # ranks of norms that are nearly equal may turn
    rho = both["statistic"].str.endswith("rho")
    np.testing.assert_allclose(both["value"][~rho], both["value_alone"][~rho], rtol=1e-4)
    np.testing.assert_allclose(both["value"][rho], both["value_alone"][rho], atol=0.02)
    assert set(whole["kind"]) == {site.kind for site in anatomy(model).sites}


def test_a_pair_counts_once_and_a_difference_is_that_of_two_correlations():
    table, (_, cancelling, ranks) = measured(small_model("pegasus"))
    # a pair is one thing, however many heads see it
    alone = table[table["statistic"] == "weight-norm-rho"].groupby(["kind", "key"])["count"].unique()
    for row in cancelling.together().itertuples():
        assert alone[row.kind, row[2]].tolist() == [row.count]
    correlations = ranks.correlations()
    by_measure = correlations.set_index(["kind", "key", "measure"])["value"].abs().unstack()
    signed = correlations[correlations["measure"] == "difference"].set_index(["kind", "key"])["value"]
    np.testing.assert_allclose(signed, (by_measure["norm"] - by_measure["weight"])[signed.index])


def test_a_difference_of_correlations_is_drawn_in_pairs():
    """Two measures that are nearly one differ by nearly nothing, however wide the interval of either is."""
    ranks = FrequencyRanks(VectorNorms(small_model("bert")), {})
    random = np.random.default_rng(2)
    rank = random.permutation(30)
    norm = rank + 20 * random.normal(size=30)
    tokens = {
        "kind": "encoder",
        "id": rank,
        "rank": rank,
        "real": True,
        "norm": norm,
        "weight": norm + 1e-9 * rank,
    }
    ranks.tokens = lambda: pd.DataFrame(tokens)
    rows = ranks.correlations().set_index(["key", "measure"])
    assert rows["high"]["all", "norm"] - rows["low"]["all", "norm"] > 0.3
    assert rows["low"]["all", "difference"] == rows["high"]["all", "difference"] == 0


def test_a_small_sample_stays_small():
    model = small_model("bert")
    table, (_, cancelling, _) = measured(model, size=2, pairs=5)
    rho = table[table["statistic"] == "weight-norm-rho"]
    assert (rho["count"] <= 5).all()
    every, _ = measured(model)
    assert (every[every["statistic"] == "weight-norm-rho"]["count"] > 5).any()
    norms = cancelling.scatter()["norm"]
    spread = every[every["statistic"] == "norm-spread"].set_index("key")["value"]
    assert norms.between(spread["min"].min() * 0.9999, spread["max"].max() * 1.0001).all()


def test_reading_leaves_no_trace_on_the_model():
    model = small_model("bert")
    before = output(model, padded_batch(model))
    vectors = VectorNorms(model)
    with vectors.reading():
        output(model, padded_batch(model))
        assert vectors[Site("encoder", 1)].transformed.shape == (3, 4, 9)
    with pytest.raises(ValueError, match="input_ids"), vectors.reading():
        model()
    assert all(not part.value._forward_hooks for part in anatomy(model).sites.values())
    assert torch.equal(output(model, padded_batch(model)), before)
    with pytest.raises(KeyError):
        vectors[Site("encoder", 1)]
