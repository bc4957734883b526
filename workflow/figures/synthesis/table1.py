"""Synthesis, table 1: agreement of importance measures with head ablation, and their cost."""

import textwrap

from headwork.papers.drawing.sheet import draw_sheet
from headwork.papers.item import save
from headwork.papers.tables.readers import gather
from headwork.papers.views.measures import (
    MEASURES,
    TRUTH,
    areas,
    correlations,
    read_measure_curves,
    read_measures,
)
from headwork.run.frame import job

LETTERS = 6.8  # of a note, in a cm
NOTE = (
    "ρ: Spearman's correlation over heads with what is lost when the head alone is removed, of the score and of the "
    "log-likelihood, with 95 % intervals. Area: under the curve of the score, and of the likelihood, when heads are "
    "removed in the order of the measure; 1: the whole model, 0: no heads. Cost: passes over the "
    "text, for n heads in l layers."
)


def draw(heads, curves):
    """The table drawn, and its numbers."""
    table = correlations(heads).pivot_table(["rho", "low", "high"], ["run", "measure"], "truth")
    table.columns = [f"{name}_{truth}" for name, truth in table.columns]
    found = areas(curves).rename(columns={truth: f"area_{truth}" for truth in TRUTH})
    labels = heads[["run", "domain", "label"]].drop_duplicates()
    table = labels.merge(found, on="run").merge(table.reset_index(), on=["run", "measure"], how="left")
    counts = heads.drop_duplicates(["run", "kind", "layer", "head"]).groupby("run").size()
    metrics = curves.groupby("run", sort=False)["metric"].first()
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
        row = [name, cost]
        for run in runs:
            known = (run, measure) in cells.index
            row += _row(cells.loc[(run, measure)]) if known else ["–"] * 4
        rows.append(row)
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
    return [*shown, *(f"{cells[f'area_{truth}']:.2f}" for truth in TRUTH)]


if "snakemake" in globals():
    with job(snakemake.log[0]):
        given, runs = snakemake.input, snakemake.params.runs
        tables = (
            gather(given.measures, runs, read_measures),
            gather(given.measure_curves, runs, read_measure_curves),
        )
        save(*draw(*tables), snakemake.output)
