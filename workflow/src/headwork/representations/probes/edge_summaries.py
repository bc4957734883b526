"""Scores of edge probes by layer, and what they come to over layers, with intervals (Tenney et al. 2019, section 3)."""

import numpy as np
import pandas as pd
from jaxtyping import Float

from headwork.representations.probes import layer_summaries as summaries
from headwork.representations.probes.edge import f1


def tables(
    by_sentence: Float[np.ndarray, "sentence seed layer 3"],
    weights: Float[np.ndarray, "seed layer"],
    draws: int,
    seed: int,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The tables of one task: scores by layer, and quantities over layers (see `jobs.edge_probes`).

    `by_sentence` has the counts that `edge.f1` reads; intervals are of `draws` bootstrap samples of sentences.
    """
    chance = np.random.default_rng(seed)
    count = len(by_sentence)
    times = chance.multinomial(count, np.full(count, 1 / count), size=draws)
    drawn = np.median(f1(np.tensordot(times, by_sentence, 1)), axis=1)  # (draw, layer)
    own = np.median(f1(by_sentence.sum(0)), axis=0)
    low, high = np.percentile(drawn, [2.5, 97.5], axis=0)
    scores = pd.DataFrame(
        {
            "layer": np.arange(len(own)),
            "f1": own,
            "low": low,
            "high": high,
            "weight": np.median(weights, axis=0),
            "weight_low": weights.min(0),
            "weight_high": weights.max(0),
        }
    )
    gain = drawn[:, -1] - drawn[:, 0]
    defined = np.percentile(gain, 2.5) > 0
    rows = [
        ("first", own[0], *np.percentile(drawn[:, 0], [2.5, 97.5])),
        ("last", own[-1], *np.percentile(drawn[:, -1], [2.5, 97.5])),
        ("gain", own[-1] - own[0], *np.percentile(gain, [2.5, 97.5])),
    ]
    for name, summary in (
        ("expected-layer", summaries.expected_layer),
        ("k-delta", summaries.divergence_of_gains),
    ):
        ends = np.nanpercentile(summary(drawn), [2.5, 97.5]) if defined else (np.nan, np.nan)
        rows.append((name, float(summary(own)) if defined else np.nan, *ends))
    for name, summary in (("centre-of-gravity", summaries.centre_of_gravity), ("k-s", summaries.divergence)):
        values = summary(weights.astype(float))
        rows.append((name, np.median(values), values.min(), values.max()))
    return scores, pd.DataFrame(rows, columns=["quantity", "value", "low", "high"])
