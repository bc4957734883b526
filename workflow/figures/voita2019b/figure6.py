"""Voita et al. (2019b), figure 6: influence by frequency if a tenth of the tokens was replaced in training.

Solid with replaced tokens, dotted without. Published is layer 1 of the rarest group alone.
"""

from headwork.jobs import job
from headwork.papers import style
from headwork.papers.evolution import group_curves, groups_in, shown
from headwork.papers.evolution_tables import OBJECTIVES, chosen, of_objective, read_evolution
from headwork.papers.item import save
from headwork.papers.published import read_published
from headwork.papers.tables import gather

KEYS = ("pair", "key", "layer")
REPLACED = "replaced tokens"


def draw(influence, published):
    """The figure and its numbers."""
    rows = chosen(influence, "influence/rank")
    pairs = [pair for pair in OBJECTIVES if pair in set(rows.loc[rows["domain"] == REPLACED, "pair"])]
    rows = rows[rows["pair"].isin(pairs)]
    figure = style.new(style.PAGE, 6.8)
    for pair, axes in zip(pairs, figure.subplots(1, len(pairs), squeeze=False)[0], strict=True):
        own = of_objective(rows, pair)
        replaced = own["domain"] == REPLACED
        group_curves(axes, own[~replaced], groups_in(rows), ":x", named=False)
        group_curves(axes, own[replaced], groups_in(rows))
        theirs = published[published["pair"] == pair]
        note = ", ".join(f"{row['value']:g} in layer {row['layer']}" for _, row in theirs.iterrows())
        axes.set_title(f"{pair}\n(published, replaced, rarest: {note})", fontsize=7)
        axes.set(ylabel="influence, PWCCA distance", ylim=(0, None))
        axes.legend(title="replaced; dotted: not", fontsize=6, title_fontsize=6)
    return figure, shown(rows, published, domain=REPLACED, statistic="influence/rank")


if "snakemake" in globals():
    with job(snakemake.log[0]):
        table = gather(snakemake.input.influence, snakemake.params.runs, read_evolution)
        save(*draw(table, read_published(snakemake.input.published, KEYS)), snakemake.output)
