"""What items and claims show of structural probes: rows of one representation, and predictions for sentences."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from headwork.errors import InputError
from headwork.studies.rows import where
from headwork.studies.selection import Untestable

UNTRAINED = "untrained"
ENCODER = "Penn Treebank"  # the domain of the encoder, beside which those of objectives are shown
MEASURES = {"uuas": "UUAS", "dspr": "DSpr", "root": "root", "nspr": "NSpr"}


def test_rows(table: pd.DataFrame) -> pd.DataFrame:
    """The rows that were scored on the test part."""
    return table[table["part"] == "test"]


def layers(table: pd.DataFrame, measure: str) -> pd.DataFrame:
    """The rows of hidden states for one measure, by layer, then in the order of the runs."""
    rows = where(table, part="test", representation="states", measure=measure)
    return rows.sort_values("layer", kind="stable")


def representation(table: pd.DataFrame, name: str, measure: str) -> pd.Series:
    """The row of one representation: of hidden states the chosen layer; ``untrained`` are those of the untrained run.

    Raises Untestable if it is not in the table.
    """
    kind = "states" if name == UNTRAINED else name
    rows = table[table["trained"].astype(bool) == (name != UNTRAINED)]
    rows = where(rows, part="test", representation=kind, measure=measure)
    rows = rows[rows["chosen"].astype(bool)] if kind == "states" else rows
    if rows.empty:
        raise Untestable(f"there is no {measure} of the representation {name}")
    return rows.iloc[0]


def baseline(table: pd.DataFrame, name: str, measure: str) -> float:
    """The score of a representation of the first trained run, NaN if it was not measured."""
    rows = where(table, part="test", representation=name, measure=measure)
    return float(rows["value"].iloc[0]) if len(rows) else float("nan")


def predictions(
    examples: Sequence[Sequence[Mapping[str, Any]]], runs: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """The sentences that all runs show, each with what they predict of it, by name.

    `examples[i]` is what `headwork.representations.jobs.structural_probes` kept of `runs[i]`. The decayed embeddings
    are those of the first run.
    """
    shown = []
    for own in zip(*examples, strict=True):
        if len({tuple(each["words"]) for each in own}) > 1:
            raise InputError("structural probes: the runs show other sentences; probe them on one treebank")
        systems = {
            f"{'encoder' if run['trained'] else 'untrained'}, layer {each['layer']}": each["states"]
            for run, each in zip(runs, own, strict=True)
        }
        shown.append({**own[0], "systems": systems | {"decayed embeddings": own[0]["decayed"]}})
    return shown


def gold_arcs(sentence: Mapping[str, Any]) -> list[tuple[int, int]]:
    """The arcs of the gold tree between words that are no punctuation, places from 0."""
    real = {place for place, name in enumerate(sentence["relations"]) if name.split(":", 1)[0] != "punct"}
    arcs = [(place, head - 1) for place, head in enumerate(sentence["heads"]) if head]
    return [arc for arc in arcs if real.issuperset(arc)]


def gold_depths(sentence: Mapping[str, Any]) -> list[int]:
    """The number of arcs between each word and the root."""
    depths = []
    for place in range(len(sentence["heads"])):
        depth = 0
        while head := sentence["heads"][place]:
            place, depth = head - 1, depth + 1
        depths.append(depth)
    return depths
