"""Influence of a token by frequency rank, as in figure 5, for models trained with (solid) and without (dotted)
random replacement of a tenth of the source tokens.

Replacements are drawn uniformly from the source vocabulary. The paper attributes the peak at rare tokens,
which replacement removes, to overfitting.
"""

from headwork.studies import style

from .drawings import group_curves, groups_in, shown
from .tables import OBJECTIVES, estimates, of_objective

REPLACED = "replaced tokens"


def draw(influence, published):
    rows = estimates(influence, "influence/rank")
    pairs = [pair for pair in OBJECTIVES if pair in set(rows.loc[rows["domain"] == REPLACED, "pair"])]
    rows = rows[rows["pair"].isin(pairs)]
    figure, ranks = style.new(style.PAGE, 6.8), groups_in(rows, published)
    panels = figure.subplots(1, len(pairs), squeeze=False, sharey=True)[0]
    for pair, axes in zip(pairs, panels, strict=True):
        own = of_objective(rows, pair)
        replaced = own["domain"] == REPLACED
        group_curves(axes, own[~replaced], ranks, ":x", named=False)
        group_curves(axes, own[replaced], ranks, height=0.9)  # above the published values
        theirs = published[published["pair"] == pair]
        look = {"color": style.PUBLISHED, "markersize": 4, "linestyle": ""}
        axes.plot(theirs["key"].map(ranks.index), theirs["value"], "D", label="published, layer 1", **look)
        axes.set(title=pair, xlabel="frequency rank")
    look = {"loc": "outside right center", "fontsize": 6, "title_fontsize": 6}
    title = "tokens replaced;\ndotted: not replaced"
    figure.legend(*panels[0].get_legend_handles_labels(), title=title, **look)
    panels[0].set_ylim(0, None)
    panels[0].set_ylabel("influence, PWCCA distance")
    return figure, shown(rows, published, domain=REPLACED, statistic="influence/rank")
