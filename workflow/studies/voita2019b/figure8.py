"""Above: share of a token's {{ config.representations.evolution.preservation.neighbours }} nearest neighbours
with the same token type, among occurrences of many types. Below: 2-D projection (t-SNE) of forms of *to be*.

Dotted: expected by chance; grey: the untrained encoder that all objectives start from; error bars: jackknife
intervals over tenths of the text. The MLM's input has masked tokens, so some of its points are positions at
which the word is hidden. Published: the 50 nearest neighbours, read off a figure.
"""

from headwork.studies import style

from .drawings import curve_handles, objective_curves, planes, published_curves, shown
from .tables import estimates


def draw(evolution, points, published):
    rows = estimates(evolution, "identity", "same")
    figure = style.new(style.PAGE, 17.0)
    curves, maps = figure.subfigures(2, 1, height_ratios=(1, 2.1))
    left, right = curves.subplots(1, 2, sharey=True)
    objective_curves(left, rows)
    published_curves(right, published)
    left.set(title="this run", ylabel="share of nearest neighbours\nof the same token type")
    right.set(title="published")
    left.legend(handles=curve_handles(left, "by chance"), fontsize=6, loc="center left")
    planes(maps, points, "forms")
    return figure, shown(rows, published, statistic="identity", key="same")
