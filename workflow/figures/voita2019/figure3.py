"""Voita et al. (2019), figure 3: position of the dependent of each relation relative to its head, news.

The height of the highest bar is the positional baseline, whose value in the published table 1 is drawn beside it. Our
table 1 has the same share over the sentences on which heads are measured; here it is over the whole split.
"""

import numpy as np

from headwork.papers.compare import OURS, THEIRS, beside, shares
from headwork.papers.drawing import style
from headwork.papers.item import save
from headwork.papers.notation import RELATIONS
from headwork.papers.published import read_published
from headwork.papers.tables.readers import gather, read_relations
from headwork.papers.views.accuracies import KEYS
from headwork.run.frame import job

WINDOW = range(-7, 6)  # offsets shown, as in the paper


def draw(relations, published):
    """The figure and the share of each offset; `relations` is of one corpus."""
    relations = relations.sort_values(["relation", "offset"], ignore_index=True)
    counts = relations.groupby("relation")["count"]
    table = relations.assign(
        key="syntactic/" + relations["relation"] + "/to-dependent",
        quantity=np.where(relations.index.isin(counts.idxmax()), "baseline", "share"),
        share=relations["count"] / counts.transform("sum"),
        total=counts.transform("sum"),
    )
    table = beside(shares(table, "share", "total"), published, KEYS)
    figure = style.new(style.PAGE, 5.6)
    for axes, relation in zip(figure.subplots(1, len(RELATIONS), sharey=True), RELATIONS, strict=True):
        rows = table[table["relation"] == relation]
        shown = rows[rows["offset"].isin(WINDOW)]
        axes.bar(shown["offset"], shown["ours"], color=style.SERIES[0], width=0.8)
        for level in rows["published"].dropna():
            axes.axhline(level, color=style.PUBLISHED, lw=0.8, ls="--", label="highest bar, published")
        beyond = abs(rows["ours"].sum() - shown["ours"].sum())  # a rounding error may be negative
        axes.set_title(f"{relation}\nn = {rows['count'].sum()}\nbeyond: {beyond:.2f}")
        axes.set(xlim=(WINDOW[0] - 0.6, WINDOW[-1] + 0.6), xticks=range(-6, 5, 2))
        style.share_axis(axes)
    figure.axes[0].set_ylabel("share of instances")
    figure.supxlabel("position of the dependent minus position of its head, words", fontsize=7.5)
    figure.legend(*figure.axes[0].get_legend_handles_labels(), loc="outside upper right")
    columns = ["domain", "run", "relation", "offset", "quantity", "count", *OURS, *THEIRS]
    return figure, table[columns]


if "snakemake" in globals():
    with job(snakemake.log[0]):
        relations = gather(snakemake.input.relations, snakemake.params.runs, read_relations)
        save(*draw(relations, read_published(snakemake.input.published, KEYS)), snakemake.output)
