"""Share of a token's nearest neighbours, among occurrences of the same type, with the same CCG tag, the same
arguments to the left, or the same arguments to the right.

Types with one dominant tag are left out. Dotted: expected by chance; error bars: jackknife intervals over
tenths of the text. Published tags are from a supertagger, ours from the annotation of the generated corpus or
from a file.
"""

import pandas as pd

from headwork.studies import style

from .drawings import curve_handles, objective_curves, published_curves, shown
from .tables import estimates

PARTS = {"same": "same tag", "left": "same left part", "right": "same right part"}


def draw(evolution, published):
    figure, kept = style.new(style.PAGE, 10.4), []
    above, below = figure.subplots(2, 3, sharey=True)
    for ours, theirs, (key, name) in zip(above, below, PARTS.items(), strict=True):
        rows, known = estimates(evolution, "tag", key), published[published["key"] == key]
        objective_curves(ours, rows)
        published_curves(theirs, known)
        ours.set_title(f"{name}, this run")
        theirs.set_title(f"{name}, published")
        kept.append(shown(rows, known, statistic="tag"))
    for axes in (above[0], below[0]):
        axes.set_ylabel("share of nearest neighbours")
    figure.legend(handles=curve_handles(above[0], "by chance"), loc="outside lower center", ncols=5)
    return figure, pd.concat(kept, ignore_index=True)
