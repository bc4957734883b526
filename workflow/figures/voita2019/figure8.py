"""Voita et al. (2019), figure 8: functions of the encoder heads that pruning keeps, subtitles EN-RU.

One stack for each number of heads kept, of the first run that keeps so many; the published stacks at the right.
"""

import pandas as pd

from headwork.papers.drawing import stacks, style
from headwork.papers.item import save
from headwork.papers.published import read_published
from headwork.papers.tables.readers import gather, read_functions, read_gates
from headwork.papers.views.sweeps import functions_of_heads, of_kept_heads
from headwork.run.frame import job

KEYS = ("domain", "pair", "kept", "group")


def draw(functions, gates, published):
    """The figure, and the number of heads of each group in every stack; `functions` has the baseline's first."""
    heads = functions_of_heads(of_kept_heads(functions, gates))
    heads["kept"] = heads.groupby("run")["head"].transform("size")
    ours = heads[heads["run"].isin(heads.drop_duplicates("kept")["run"])]
    runs = ours.drop_duplicates("kept")[["kept", "run"]]
    theirs = published.astype({"kept": int})
    figure = style.new(style.PAGE, 11.0)
    left, right = figure.subplots(1, 2)
    label = functions["label"].iloc[0]
    stacks.stack_panel(left, ours, f"{label}, this run")
    stacks.stack_panel(right, stacks.squares_of_counts(theirs), "EN-RU, published")
    for axes in (left, right):
        axes.set_ylabel("encoder heads")
    figure.legend(handles=style.function_key(), loc="outside lower center", ncols=4)
    counted = stacks.counts_of_squares(ours).merge(runs, on="kept").assign(origin="this run", source="")
    columns = ["origin", "run", "kept", "group", "value", "source"]
    return figure, pd.concat([counted, theirs.assign(origin="published")])[columns]


if "snakemake" in globals():
    with job(snakemake.log[0]):
        given, runs = snakemake.input, snakemake.params.runs
        gated = [run for run in runs if run["method"] == "gates"]
        figure, table = draw(
            gather(given.pruned_functions, runs, read_functions),
            gather(given.gates, gated, read_gates),
            read_published(given.published, KEYS),
        )
        save(figure, table, snakemake.output)
