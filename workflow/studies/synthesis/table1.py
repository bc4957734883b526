"""Agreement of importance measures with head ablation: rank correlation with the loss from removing one head,
and area under the pruning curve.

All measures use the same heads and texts. LRP relevance follows the α-β rule of Voita et al. (2019) for
translation models, and AttnLRP (by gradients) for both models. Gates: log α of L0 gates trained on the frozen
model with a small penalty. Intervals are over heads, of which there are few; correlations below 0.6 may be
due to chance.

This item is headwork's own; it has no published counterpart.
"""

import textwrap
from itertools import chain

from headwork.studies.drawing.sheet import draw_sheet
from headwork.studies.measures import MEASURES, TRUTH, areas, correlations

LETTERS = 6.8  # of a note, in a cm
NOTE = (
    "ρ: Spearman's correlation over heads with what is lost when the head alone is removed, of the score and of the "
    "log-likelihood, with 95 % intervals. Area: under the curve of the score, and of the likelihood, when heads are "
    "removed in the order of the measure; 1: the whole model, 0: no heads. Cost: passes over the "
    "text, for n heads in l layers."
)


def draw(measures, measure_curves):
    table = correlations(measures).pivot_table(["rho", "low", "high"], ["run", "measure"], "truth")
    table.columns = [f"{name}_{truth}" for name, truth in table.columns]
    found = areas(measure_curves).rename(columns={truth: f"area_{truth}" for truth in TRUTH})
    labels = measures[["run", "domain", "label"]].drop_duplicates()
    table = labels.merge(found, on="run").merge(table.reset_index(), on=["run", "measure"], how="left")
    counts = measures.drop_duplicates(["run", "kind", "layer", "head"]).groupby("run").size()
    metrics = measure_curves.groupby("run", sort=False)["metric"].first()
    cells = table.set_index(["run", "measure"])
    runs, spans, head = list(labels["run"]), [], ["", "cost"]
    for number, (_, run) in enumerate(labels.iterrows()):
        first = 2 + 4 * number
        spans.append((0, first, first + 3, f"{run['domain']}, {run['label']}: {counts[run['run']]} heads"))
        head += [f"ρ, {metrics[run['run']]}", "ρ, likelihood", "area", "area, l."]
    rows = [[""] * len(head), head]
    for measure, (name, cost) in MEASURES.items():
        if not any((run, measure) in cells.index for run in runs):
            continue
        places = [(run, measure) for run in runs]
        found = [_row(cells.loc[place]) if place in cells.index else ["–"] * 4 for place in places]
        rows.append([name, cost, *chain.from_iterable(found)])
    widths = [3.5, 2.6, *[2.9, 2.9, 1.0, 1.2] * len(runs)]
    notes = textwrap.wrap(NOTE, int(LETTERS * sum(widths)))
    rules = [number for number, row in enumerate(rows) if row[0] == MEASURES["random"][0]]
    return draw_sheet(rows, widths, headings=2, spans=spans, rules=rules, notes=notes), table


def _row(cells):
    shown = []
    for truth in TRUTH:
        rho, low, high = (cells[f"{name}_{truth}"] for name in ("rho", "low", "high"))
        missing = rho != rho
        shown.append("–" if missing else f"{rho:.2f} [{low:.2f}, {high:.2f}]")
    areas = (cells[f"area_{truth}"] for truth in TRUTH)
    return [*shown, *("–" if area != area else f"{area:.2f}" for area in areas)]
