"""Hao et al. (2021), figure 6: receptive field: length of the attribution trees' edges, by layer."""

from headwork.papers.drawing import style
from headwork.papers.drawing.layers import layer_axis
from headwork.papers.item import save
from headwork.papers.tables.attribution import read_edges
from headwork.papers.tables.readers import gather
from headwork.papers.views.attributions import receptive_field
from headwork.run.frame import job

ASIDE = 0.09  # from one task's line to the next, layers


def draw(edges):
    """The figure: distances with their deviations over examples; edges between the two parts of pairs. The table."""
    table = receptive_field(edges)
    figure = style.new(style.PAGE, 6.2)
    left, right = figure.subplots(1, 2)
    domains = list(dict.fromkeys(edges["domain"]))
    for number, domain in enumerate(domains):
        own = table[table["domain"] == domain].sort_values("layer")
        colour, moved = style.SERIES[number], own["layer"] + (number - (len(domains) - 1) / 2) * ASIDE
        left.errorbar(moved, own["distance"], own["sd"], color=colour, marker="o", markersize=3, linewidth=1.1,
                      elinewidth=0.6, label=domain)  # fmt: skip
        if own["between"].any():
            right.plot(own["layer"], own["between"], "o-", color=colour, markersize=3, linewidth=1.1)
    layers = int(table["layer"].max()) if len(table) else 1
    for axes in (left, right):
        layer_axis(axes, layers)
    left.set(title="receptive field", ylabel="distance of query and key, tokens")
    left.set_ylim(bottom=0)
    style.share_axis(right)
    right.set(title="edges between the two sentences", ylabel="share of edges")
    figure.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=4)
    return figure, table


if "snakemake" in globals():
    with job(snakemake.log[0]):
        save(*draw(gather(snakemake.input.edges, snakemake.params.runs, read_edges)), snakemake.output)
