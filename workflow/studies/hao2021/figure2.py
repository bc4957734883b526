"""Accuracy on dev when k heads of every layer are removed, in ascending or descending order of attribution or
attention.

Heads are ranked for each example separately, with its gold label: this diagnoses attribution and is no
pruning method, and accuracy may rise above that of the whole model. Attention: the largest weight of a head's
map, since the mean is the same for all heads. Bands: 95 % intervals over examples and seeds. Published: not
available as numbers.
"""

from headwork.studies import style
from headwork.studies.rows import where

from .tables import over_seeds

COLOURS = {"attribution": style.SERIES[0], "attention": style.SERIES[1]}
# solid with dots against dashed with open squares: told apart in the legend too
FIRST = {
    "least": ("-", {"marker": "o", "markersize": 2.5}, "least first"),
    "most": ("--", {"marker": "s", "markersize": 3.5, "markerfacecolor": "white"}, "most first"),
}


def draw(effect):
    """The figure, a panel a task, and the accuracies."""
    table = over_seeds(effect, ["domain", "measure", "first", "removed"])
    domains = list(dict.fromkeys(table["domain"]))
    figure = style.new(style.PAGE, 6.2)
    panels = figure.subplots(1, len(domains), sharey=True, squeeze=False)[0]
    for axes, domain in zip(panels, domains, strict=True):
        own = table[table["domain"] == domain]
        for measure, colour in COLOURS.items():
            for first, (line, look, told) in FIRST.items():
                rows = where(own, measure=measure, first=first).sort_values("removed")
                band = {"color": colour, "alpha": 0.12, "linewidth": 0}
                axes.fill_between(rows["removed"], rows["low"], rows["high"], **band)
                label = f"{measure}, {told}"
                axes.plot(rows["removed"], rows["accuracy"], line, color=colour, label=label, **look)
        style.share_axis(axes)
        axes.set(title=domain, xlabel="heads removed per layer", xticks=sorted(own["removed"].unique()))
    panels[0].set_ylabel("accuracy")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=2, handlelength=4)
    return figure, table
