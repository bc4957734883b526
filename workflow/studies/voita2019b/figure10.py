"""Share of a token's nearest neighbours, among occurrences of the same type, with the same left (above) or right
(below) neighbouring token.

Dotted: expected by chance; grey: the untrained encoder that all objectives start from; error bars: jackknife
intervals over tenths of the text.
"""

import pandas as pd

from headwork.studies import style

from .drawings import curve_handles, objective_curves, published_curves, shown
from .tables import estimates

SIDES = {"left": "same token at the left", "right": "same token at the right"}


def draw(evolution, published):
    figure, kept = style.new(style.PAGE, 10.4), []
    panels = figure.subplots(2, 2, sharey=True)
    for (left, right), (side, name) in zip(panels, SIDES.items(), strict=True):
        rows, theirs = estimates(evolution, side, "same"), published[published["statistic"] == side]
        objective_curves(left, rows)
        published_curves(right, theirs)
        left.set(title=f"{name}, this run", ylabel="share of nearest neighbours")
        right.set_title(f"{name}, published")
        kept.append(shown(rows, theirs, key="same"))
    panels[0, 0].set_ylim(0, None)
    figure.legend(handles=curve_handles(panels[0, 0], "by chance"), loc="outside lower center", ncols=5)
    return figure, pd.concat(kept, ignore_index=True)
