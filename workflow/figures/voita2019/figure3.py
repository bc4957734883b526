"""Voita et al. (2019), figure 3: where the dependent of each relation stands relative to its head, news.

The height of the highest bar is the positional baseline of table 1, whose published value is drawn beside it.
"""

from headwork.jobs import job
from headwork.papers import style
from headwork.papers.compare import shares
from headwork.papers.item import save
from headwork.papers.notation import RELATIONS
from headwork.papers.published import read_published
from headwork.papers.tables import gather, read_relations

KEYS = ("domain", "pair", "key", "quantity")
WINDOW = range(-7, 6)  # offsets shown, as in the paper


def draw(relations, published):
    """The figure and the share of each offset; `relations` is of one corpus."""
    totals = relations.groupby("relation")["count"].transform("sum")
    table = shares(relations.assign(share=relations["count"] / totals, total=totals), "share", "total")
    baselines = published[
        (published["quantity"] == "baseline") & (published["domain"] == table["domain"].iloc[0])
    ]
    baselines = baselines.set_index("key")
    figure = style.new(style.PAGE, 5.6)
    for axes, relation in zip(figure.subplots(1, len(RELATIONS), sharey=True), RELATIONS, strict=True):
        rows = table[(table["relation"] == relation) & table["offset"].isin(WINDOW)]
        axes.bar(rows["offset"], rows["share"], color=style.SERIES[0], width=0.8)
        key = f"syntactic/{relation}/to-dependent"
        if key in baselines.index:
            level = baselines.loc[key, "value"]
            axes.axhline(
                level, color=style.PUBLISHED, linewidth=0.8, linestyle="--", label="highest bar, published"
            )
        total = int(table.loc[table["relation"] == relation, "count"].sum())
        beyond = max(0.0, 1 - rows["share"].sum()) if total else 0.0
        axes.set_title(f"{relation}\nn = {total}, beyond: {100 * beyond:.0f} %")
        axes.set(xlim=(WINDOW[0] - 0.6, WINDOW[-1] + 0.6), xticks=range(-6, 5, 2))
        style.percent_axis(axes)
    figure.axes[0].set_ylabel("share of instances, %")
    figure.supxlabel("position of the dependent minus position of its head, words", fontsize=7.5)
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper right")
    columns = ["domain", "run", "relation", "offset", "count", "ours", "low", "high", "n"]
    return figure, table.sort_values(["relation", "offset"])[columns]


if "snakemake" in globals():
    with job(snakemake.log[0]):
        figure, table = draw(
            gather(snakemake.input.relations, snakemake.params.runs, read_relations),
            read_published(snakemake.input.published, KEYS),
        )
        save(figure, table, snakemake.output)
