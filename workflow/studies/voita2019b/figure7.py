"""Change of tokens (as in figure 4) and influence on others (as in figure 5), by Penn part-of-speech tag.

A dot is a layer, the darker the higher; error bars are jackknife intervals over tenths of the text. Tags with
fewer tokens than the others' sample size are left out; the csv gives their counts. Published: not available
as numbers.
"""

import pandas as pd

from headwork.studies import style

from .drawings import groups_in, shown, tag_dots
from .tables import OBJECTIVES, estimates, of_objective


def draw(evolution, influence):
    change, exerted = estimates(evolution, "change/pos"), estimates(influence, "influence/pos")
    change = change[change["layer"] >= 2]
    figure, kept = style.new(style.PAGE, 15.0), []
    parts = figure.subfigures(2, 1)
    for part, rows, what in zip(parts, (change, exerted), ("change", "influence"), strict=True):
        panels = part.subplots(1, len(OBJECTIVES), sharex=True, sharey=True)
        for axes, pair in zip(panels, OBJECTIVES, strict=True):
            tag_dots(axes, of_objective(rows, pair), groups_in(rows))
            axes.set(title=f"{pair}, {what}", xlabel=f"{what}, PWCCA distance")
        panels[0].set_xlim(0, None)
        panels[0].set_ylabel("part of speech (Penn)")
        handles = panels[0].get_legend_handles_labels()
        part.legend(*handles, loc="outside right center", fontsize=6)
        kept.append(shown(rows[rows["trained"]]))
    return figure, pd.concat(kept, ignore_index=True)
