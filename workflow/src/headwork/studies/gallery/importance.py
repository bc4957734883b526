"""The measures of head importance, compared: correlation with ablation, area under the pruning curve.

The numbers are those of synthesis, table 1 (`workflow/studies/synthesis/table1.py`): Spearman's correlation over heads
with what is lost when a head alone is removed, and the area under the score when heads are removed in the order of the
measure.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from headwork.studies.gallery.scales import Scale
from headwork.studies.measures import MEASURES, TRUTH

# by measure: what it is, and who proposed it
DEFINITIONS = {
    "confidence": "mean over queries of the largest attention weight of a row (Voita et al. 2019)",
    "attention": "mean over texts of the largest attention weight of a map (baseline of Hao et al. 2021)",
    "norm": "mean norm of the head's output vectors",
    "lrp": "share of the layer's relevance by layer-wise relevance propagation, α-β rule (Voita et al. 2019)",
    "relevance": "relevance by AttnLRP, which needs one gradient (Achtibat et al. 2024)",
    "taylor": "first-order Taylor expansion in the attention weights (as in Hao et al. 2021)",
    "taylor-context": "first-order Taylor expansion in the head's output (Michel et al. 2019)",
    "attribution": "integrated gradients over the attention map, AttAttr (Hao et al. 2021)",
    "gates": "log α of L0 gates that are learned on the frozen model (Voita et al. 2019)",
    "random": "random orders, as a baseline",
    "likelihood": "ground truth: loss of log-likelihood when the head alone is removed",
    "score": "ground truth: loss of score when the head alone is removed",
}
TRUTHS = dict(zip(TRUTH, ("score", "log-likelihood"), strict=True))


@dataclass(frozen=True)
class Row:
    """One measure on one model: name, definition, cost, correlation with each of `TRUTH`, and both areas."""

    name: str
    definition: str
    cost: str
    correlations: Mapping[str, str]
    areas: Mapping[str, str]


@dataclass(frozen=True)
class Comparison:
    """All measures on one model at one scale, by the area under the curve of the score, largest first."""

    scale: str
    run: str
    model: str
    rows: tuple[Row, ...]


def compare(results: Path, scales: Sequence[Scale]) -> list[Comparison]:
    """A comparison for every model of every scale that has synthesis, table 1."""
    found = []
    for scale in scales:
        path = results / scale.name / "studies/synthesis/table1.csv"
        if not path.is_file():
            continue
        for run, rows in pd.read_csv(path).groupby("run", sort=False):
            rows = rows.sort_values("area_score", ascending=False)
            model = f"{rows['domain'].iloc[0]}, {rows['label'].iloc[0]}"
            found.append(Comparison(scale.name, run, model, tuple(_row(row) for _, row in rows.iterrows())))
    return found


def _row(row: pd.Series) -> Row:
    name, cost = MEASURES.get(row["measure"], (row["measure"], ""))
    correlations = {
        said: "–"
        if pd.isna(row[f"rho_{truth}"])
        else f"{row[f'rho_{truth}']:.2f} [{row[f'low_{truth}']:.2f}, {row[f'high_{truth}']:.2f}]"
        for truth, said in TRUTHS.items()
    }
    areas = {
        said: "–" if pd.isna(area := row[f"area_{truth}"]) else f"{area:.2f}"
        for truth, said in TRUTHS.items()
    }
    return Row(name, DEFINITIONS.get(row["measure"], ""), cost, correlations, areas)
