"""Single targets of edge probes, layer by layer: those that the probes are unsure of (Tenney et al. 2019, figure 3)."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from headwork.parses.labelled_spans import Labelled
from headwork.representations.probes.edge import Targets

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
        spans = [
            [
                int(np.searchsorted(starts, start, side="right")) - 1,
                int(np.searchsorted(starts, start + length)),
            ]
            for start, length in zip(targets.starts[row], targets.lengths[row], strict=True)
        ]
        own = found[:, row]
        traces.append(
            {
                "task": task,
                "words": words,
                "spans": spans,
                "right": known[right],
                "wrong": known[wrong],
                "p_right": np.round(own[:, right], 4).tolist(),
                "p_wrong": np.round(own[:, wrong], 4).tolist(),
                "p_other": np.round(own.sum(1) - own[:, right] - own[:, wrong], 4).tolist(),
            }
        )
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
