"""Where in an encoder a task is solved: scores of edge probes by layer, their summaries over layers, single targets.

Tenney et al. (2019), sections 3 and 4, figure 3:

    centre of gravity   E_s = Σ_l l s_l, l = 0 to L
    differential score  δ^(l) = F1(P^(l)) - F1(P^(l-1)), l = 1 to L
    expected layer      E_δ = Σ_l l δ^(l) / Σ_l δ^(l)
    K(s), K(δ)          Kullback-Leibler divergence from the uniform distribution, in bits

As in the authors' released notebook, K(δ) sets negative differences to 0 and normalises, and E_δ does neither. E_δ is
no mean of a distribution: it may lie outside 1 to L, and means nothing where the whole gain is near 0.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float, Int

from headwork.parses.labelled_spans import Labelled
from headwork.representations.probes.edge import Targets, f1

Scores = Float[np.ndarray, "... layer"]
Gains = Float[np.ndarray, "... gain"]
Values = Float[np.ndarray, "..."] | float


def centre_of_gravity(weights: Scores) -> Values:
    """E_s of the mixing weights of layers 0 to L."""
    return weights @ np.arange(weights.shape[-1])


def differences(scores: Scores) -> Gains:
    """δ of layers 1 to L, from the scores of probes that mix layers 0 to l."""
    return np.diff(scores, axis=-1)


def expected_layer(scores: Scores) -> Values:
    """E_δ; NaN where the last score equals the first."""
    gains = differences(scores)
    total = gains.sum(-1)
    sums = gains @ np.arange(1, gains.shape[-1] + 1)
    return np.divide(sums, total, out=np.full(np.shape(total), np.nan), where=np.abs(total) > 1e-12)


def divergence(shares: Scores) -> Values:
    """K of a distribution over layers: Σ p log2(p n), n layers."""
    known = np.where(shares > 0, shares, 1.0)
    return (shares * np.log2(known * shares.shape[-1])).sum(-1)


def divergence_of_gains(scores: Scores) -> Values:
    """K(δ); NaN where no layer gains."""
    gains = differences(scores).clip(min=0)
    total = gains.sum(-1, keepdims=True)
    shares = np.divide(gains, total, out=np.full(gains.shape, np.nan), where=total > 0)
    return divergence(shares)


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
    scores = pd.DataFrame({"layer": np.arange(len(own)), "f1": own, "low": low, "high": high})
    middle = np.median(weights, axis=0)
    scores = scores.assign(weight=middle, weight_low=weights.min(0), weight_high=weights.max(0))
    gain = drawn[:, -1] - drawn[:, 0]
    defined = np.percentile(gain, 2.5) > 0
    rows = [
        ("first", own[0], *np.percentile(drawn[:, 0], [2.5, 97.5])),
        ("last", own[-1], *np.percentile(drawn[:, -1], [2.5, 97.5])),
        ("gain", own[-1] - own[0], *np.percentile(gain, [2.5, 97.5])),
    ]
    for name, summary in (("expected-layer", expected_layer), ("k-delta", divergence_of_gains)):
        ends = np.nanpercentile(summary(drawn), [2.5, 97.5]) if defined else (np.nan, np.nan)
        rows.append((name, float(summary(own)) if defined else np.nan, *ends))
    for name, summary in (("centre-of-gravity", centre_of_gravity), ("k-s", divergence)):
        values = summary(weights.astype(float))
        rows.append((name, np.median(values), values.min(), values.max()))
    return scores, pd.DataFrame(rows, columns=["quantity", "value", "low", "high"])


UNSURE = 0.7  # targets are shown whose most probable label has at most that probability, averaged over layers


def traces_of(
    task: str,
    labelled: Sequence[Labelled],
    starts_of: Sequence[np.ndarray],
    targets: Targets,
    of: Int[np.ndarray, " target"],
    known: Sequence[str],
    found: Float[np.ndarray, "layer target label"],
) -> list[dict[str, Any]]:
    """Targets about which the probes are unsure: the right label and the best wrong one, by layer.

    `of` has the sentence of each target, `starts_of` the token that each word of a sentence begins with.
    """
    traces = []
    labels = targets.labels.numpy() > 0
    if labels.shape[1] < 2:
        return []
    for row in np.flatnonzero((found.max(2).mean(0) <= UNSURE) & (labels.sum(1) == 1)).tolist():
        right = int(labels[row].argmax())
        wrong = int(np.where(labels[row], -1.0, found[:, row].mean(0)).argmax())
        words, starts = labelled[of[row]].words, starts_of[of[row]]
        firsts, own = targets.starts[row], found[:, row]
        begins = np.searchsorted(starts, firsts, side="right") - 1
        ends = np.searchsorted(starts, firsts + targets.lengths[row])
        trace = {"task": task, "words": words, "spans": np.stack([begins, ends], axis=1).tolist()}
        parts = {"p_right": own[:, right], "p_wrong": own[:, wrong]}
        parts["p_other"] = own.sum(1) - own[:, right] - own[:, wrong]
        labels_of = {"right": known[right], "wrong": known[wrong]}
        traces.append(trace | labels_of | {name: np.round(p, 4).tolist() for name, p in parts.items()})
    return traces


def shown(traces: Sequence[dict[str, Any]], examples: int, targets: int) -> list[dict[str, Any]]:
    """The sentences with unsure targets of most tasks, then with most of them; of each its most changeable targets."""
    by_sentence: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for trace in traces:
        by_sentence.setdefault(tuple(trace["words"]), []).append(trace)

    def change(trace: dict[str, Any]) -> float:
        return -float(np.ptp(np.array(trace["p_right"]) - np.array(trace["p_wrong"])))

    order = sorted(
        (own for own in by_sentence.values() if len(own) > 1),
        key=lambda own: (-len({each["task"] for each in own}), -len(own), own[0]["words"]),
    )
    found = []
    for own in order[:examples]:
        first = {}
        for trace in sorted(own, key=change):  # one of each task before a second of any
            first.setdefault(trace["task"], []).append(trace)
        ranked = sorted(
            ((place, change(trace), trace) for group in first.values() for place, trace in enumerate(group)),
            key=lambda each: each[:2],
        )
        chosen = [trace for _, _, trace in ranked[:targets]]
        kept = [{name: value for name, value in each.items() if name != "words"} for each in chosen]
        found.append({"words": own[0]["words"], "targets": kept})
    return found
