"""Receptive field of every layer: the mean distance in tokens between the ends of the attribution tree's edges.

Left: means over examples; error bars are one standard deviation. Right: the share of edges that link the two
sentences of a pair. The last layer is left out, since it only has the edges of [CLS]. All seeds are pooled.
Published: not available as numbers.
"""

from headwork.studies import style
from headwork.studies.drawing.layers import layer_axis

from .tables import receptive_field

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
        look = {"color": colour, "marker": "o", "markersize": 3, "linewidth": 1.1, "elinewidth": 0.6}
        left.errorbar(moved, own["distance"], own["sd"], label=domain, **look)
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
