"""Kobayashi et al. (2020), table 2: alignment error rates from attention, and of statistical aligners."""

import pandas as pd

from headwork.papers.drawing.sheet import draw_sheet
from headwork.papers.item import save
from headwork.papers.notation import share
from headwork.papers.published import read_published
from headwork.papers.tables.encoders import read_aligners, read_alignments
from headwork.papers.tables.readers import gather
from headwork.papers.views.encoders import LAYERS, error_rates_of_layers
from headwork.run.frame import job

KEYS = ("setting", "measure", "which")
SETTINGS = {"output": "AWO, output token", "input": "AWI, input token"}
MEASURES = {"weight": "weights", "norm": "norms"}


def draw(alignments, aligners, published):
    """The table drawn, and its numbers."""
    ours = error_rates_of_layers(alignments)
    theirs = published.rename(columns={"value": "published"})
    table = ours.merge(theirs, on=list(KEYS), how="left")
    rows = [["", "", "this run", "published"]]
    for setting, told in SETTINGS.items():
        for measure, name in MEASURES.items():
            for which in LAYERS:
                row = table[(table[list(KEYS)] == (setting, measure, which)).all(axis=1)].iloc[0]
                place = f"best layer ({row['layer']:.0f})" if which == LAYERS[1] else which
                known = share(row["published"])
                rows.append([f"{name}, {told}", place, share(row["aer"]), known])
    for _, row in aligners.iterrows():
        rows.append([f"aligner: {row['model']}", row["joined"], share(row["aer"]), "–"])
    notes = [
        f"Alignment error rate (AER); {aligners['n'].max():.0f} sentences.",
        "Published: German to English, means of five models.",
    ]
    figure = draw_sheet(rows, [5.6, 3.8, 2.0, 2.0], rules=(5, 9), notes=notes)
    others = aligners.assign(which=aligners["joined"], measure=aligners["model"], setting="aligner")
    columns = [*KEYS, "layer", "aer", "published", "uncertainty", "source"]
    return figure, pd.concat([table, others]).reindex(columns=columns)


if "snakemake" in globals():
    with job(snakemake.log[0]):
        given, runs = snakemake.input, snakemake.params.runs
        tables = gather(given.alignments, runs, read_alignments), gather(given.aligners, runs, read_aligners)
        save(*draw(*tables, read_published(given.published, KEYS)), snakemake.output)
