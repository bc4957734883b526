"""Measures of importance against what heads are worth, on made-up tables: numbers of the synthesis."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

from headwork.studies.measures import MEASURES, areas, correlations, rank_correlation

RUNS = (("news-s1", "news", "BLEU", 12), ("mnli-s1", "MNLI", "accuracy", 16))


def labelled(table, run, domain):
    return table.assign(run=run, domain=domain, pair="EN", label="the world's English", trained=True)


def heads():
    """`attribution` ranks heads as their worth does, `confidence` the other way round; other measures are random."""
    tables = []
    for run, domain, _, count in RUNS:
        chance = np.random.default_rng(1)
        places = list(product(["encoder"], range(1, count // 4 + 1), range(1, 5)))
        worth = np.arange(count, dtype=float)
        values = {"score": worth, "likelihood": worth**2, "attribution": worth**3, "confidence": -worth}
        for measure in MEASURES:
            if measure == "random" or (measure == "lrp" and domain == "MNLI"):
                continue
            own = values.get(measure, chance.random(count))
            rows = [(measure, *place, value) for place, value in zip(places, own, strict=True)]
            tables.append(
                labelled(
                    pd.DataFrame(rows, columns=["measure", "kind", "layer", "head", "value"]), run, domain
                )
            )
    return pd.concat(tables, ignore_index=True)


def curves():
    """`attribution` loses nothing until all heads are gone, `confidence` everything at once; others fall evenly."""
    tables = []
    for run, domain, metric, count in RUNS:
        shapes = dict.fromkeys(MEASURES, (1.0, 0.5, 0.0)) | {
            "attribution": (1.0, 1.0, 0.0),
            "confidence": (1.0, 0.0, 0.0),
        }
        if domain == "MNLI":
            del shapes["lrp"]
        rows = [
            (measure, order, share, int(count * share), 20 + 10 * kept, -2 + kept, metric)
            for measure, shape in shapes.items()
            for order in range(2 if measure == "random" else 1)
            for share, kept in zip((0.0, 0.5, 1.0), shape, strict=True)
        ]
        columns = ["measure", "order", "share", "removed", "score", "likelihood", "metric"]
        tables.append(labelled(pd.DataFrame(rows, columns=columns), run, domain))
    return pd.concat(tables, ignore_index=True)


def test_rank_correlations_and_their_intervals():
    chance = np.random.default_rng(0)
    one = chance.random(16)
    other = one + chance.random(16)
    rho, low, high = rank_correlation(one, other)
    assert rho == pytest.approx(spearmanr(one, other).statistic)
    # Fieller's variance of atanh(rho)
    assert np.arctanh(high) - np.arctanh(rho) == pytest.approx(1.96 * (1.06 / 13) ** 0.5)
    assert np.arctanh(rho) - np.arctanh(low) == pytest.approx(1.96 * (1.06 / 13) ** 0.5)
    assert np.isnan(rank_correlation(one, np.zeros(16))).all()  # not defined
    # under no relation nine in ten intervals and more hold 0
    holding = [
        low <= 0 <= high for _, low, high in (rank_correlation(*chance.random((2, 16))) for _ in range(300))
    ]
    assert 0.9 < np.mean(holding) < 0.99


def test_correlations_of_every_measure():
    found = correlations(heads()).set_index(["run", "measure", "truth"])
    for run in ("news-s1", "mnli-s1"):
        assert found.loc[(run, "attribution", "score"), "rho"] == pytest.approx(1)
        assert found.loc[(run, "confidence", "likelihood"), "rho"] == pytest.approx(-1)
        assert found.loc[(run, "score", "likelihood"), "rho"] == pytest.approx(1)
    assert ("news-s1", "score", "score") not in found.index
    assert found.loc[("news-s1", "taylor", "score"), "heads"] == 12


def test_areas_are_of_what_heads_add():
    found = areas(curves()).set_index(["run", "measure"])
    assert found.loc[("news-s1", "attribution"), "score"] == pytest.approx(0.75)
    assert found.loc[("news-s1", "confidence"), "likelihood"] == pytest.approx(0.25)
    assert found.loc[("mnli-s1", "random"), "score"] == pytest.approx(0.5)
    nothing_to_lose = curves().assign(likelihood=-1.0)
    nothing_to_lose.loc[nothing_to_lose["share"] == 1, "score"] = 99.0  # better without any head
    assert areas(nothing_to_lose)[["score", "likelihood"]].isna().all(axis=None)
