"""Hao et al. (2021), figure 2: accuracy when k heads of every layer are removed, chosen for each example by itself."""

from headwork.papers.drawing import style
from headwork.papers.item import save
from headwork.papers.tables.attribution import read_effect
from headwork.papers.tables.readers import gather
from headwork.papers.views.attributions import over_seeds
from headwork.run.frame import job

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
                rows = own[(own["measure"] == measure) & (own["first"] == first)].sort_values("removed")
                axes.fill_between(
                    rows["removed"], rows["low"], rows["high"], color=colour, alpha=0.12, linewidth=0
                )
                label = f"{measure}, {told}"
                axes.plot(
                    rows["removed"],
                    rows["accuracy"],
                    line,
                    color=colour,
                    label=label,
                    **look,
                )
        style.share_axis(axes)
        axes.set(title=domain, xlabel="heads removed per layer", xticks=sorted(own["removed"].unique()))
    panels[0].set_ylabel("accuracy")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=2, handlelength=4)
    return figure, table


if "snakemake" in globals():
    with job(snakemake.log[0]):
        save(*draw(gather(snakemake.input.effect, snakemake.params.runs, read_effect)), snakemake.output)
