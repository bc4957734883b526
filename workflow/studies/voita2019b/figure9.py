"""Above: mean distance in tokens between the positions of a token and of its nearest neighbours, among
occurrences of the same type; the axis points down. Below: 2-D projection (t-SNE) of the occurrences of one
word, coloured by position.

Dotted: any two occurrences; grey: the untrained encoder; error bars: jackknife intervals over tenths of the
text. At the miniature scale sentences are shorter than in the published text, and so are distances.
"""

from headwork.studies import style
from headwork.studies.drawing.panels import same_y

from .drawings import curve_handles, objective_curves, planes, published_curves, shown
from .tables import estimates


def draw(evolution, points, published):
    rows = estimates(evolution, "position", "distance")
    figure = style.new(style.PAGE, 17.0)
    curves, maps = figure.subfigures(2, 1, height_ratios=(1, 2.1))
    left, right = curves.subplots(1, 2)
    objective_curves(left, rows)
    published_curves(right, published)
    left.set(title="this run", ylabel="mean distance of positions, tokens")
    right.set(title="published")
    left.legend(handles=curve_handles(left, "by chance"), fontsize=6, loc="lower left")
    same_y([left, right])
    for axes in (left, right):
        axes.invert_yaxis()
    planes(maps, points, "position")
    return figure, shown(rows, published, statistic="position", key="distance")
