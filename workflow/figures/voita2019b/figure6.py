"""Voita et al. (2019b), figure 6: influence by token frequency, with a tenth of the tokens replaced in training.

Solid with replaced tokens, dotted without; whiskers are jackknife intervals over tenths of the text. Published is layer
1 of the rarest group alone.
"""

from headwork.papers.drawing import style
from headwork.papers.drawing.evolution import group_curves, groups_in, shown
from headwork.papers.item import save
from headwork.papers.published import read_published
from headwork.papers.tables.evolution import OBJECTIVES, estimates, of_objective, read_evolution
from headwork.papers.tables.readers import gather
from headwork.run.frame import job

KEYS = ("pair", "key", "layer")
REPLACED = "replaced tokens"


def draw(influence, published):
    """The figure and its numbers."""
    rows = estimates(influence, "influence/rank")
    pairs = [pair for pair in OBJECTIVES if pair in set(rows.loc[rows["domain"] == REPLACED, "pair"])]
    rows = rows[rows["pair"].isin(pairs)]
    figure, ranks = style.new(style.PAGE, 6.8), groups_in(rows, published)
    panels = figure.subplots(1, len(pairs), squeeze=False, sharey=True)[0]
    for pair, axes in zip(pairs, panels, strict=True):
        own = of_objective(rows, pair)
        replaced = own["domain"] == REPLACED
        group_curves(axes, own[~replaced], ranks, ":x", named=False)
        group_curves(axes, own[replaced], ranks)
        theirs = published[published["pair"] == pair]
        look = {"color": style.PUBLISHED, "markersize": 4, "linestyle": ""}
        axes.plot(theirs["key"].map(ranks.index), theirs["value"], "D", label="published, layer 1", **look)
        axes.set(title=pair, xlabel="frequency rank")
    figure.legend(
        *panels[0].get_legend_handles_labels(),
        title="tokens replaced;\ndotted: not replaced",
        loc="outside right center",
        fontsize=6,
        title_fontsize=6,
    )
    panels[0].set_ylim(0, None)
    panels[0].set_ylabel("influence, PWCCA distance")
    return figure, shown(rows, published, domain=REPLACED, statistic="influence/rank")


if "snakemake" in globals():
    with job(snakemake.log[0]):
        table = gather(snakemake.input.influence, snakemake.params.runs, read_evolution)
        save(*draw(table, read_published(snakemake.input.published, KEYS)), snakemake.output)
