"""Mean squared length of the arcs of each dependency relation, under the structural probe.

Error bars are 95 % intervals of the mean; the number of arcs is in brackets; relations with fewer than ten
arcs are left out. Dotted: the length in the tree. Published values (shaded: their range) are read off the
authors' article on the web, which gives five of them, for layer 16 of BERT-large.
"""

import numpy as np
import pandas as pd

from headwork.studies import style

# Stanford's labels of the same arcs
STANFORD = {"aux:pass": "auxpass", "fixed": "mwe"}
FEW = 10


def draw(arcs, published):
    """The figure, and mean, its 95 % interval, standard deviation and number of each relation's arcs."""
    rows = arcs[arcs["n"] >= FEW].sort_values(["mean", "relation"], ignore_index=True)
    half = 1.96 * rows["sd"] / np.sqrt(rows["n"])
    named = rows.assign(stanford=rows["relation"].replace(STANFORD))
    named = named.assign(low=rows["mean"] - half, high=rows["mean"] + half)
    theirs = published.rename(columns={"relation": "stanford", "value": "published"})
    table = named.merge(theirs, on="stanford", how="left")
    figure = style.new(style.PAGE * 0.75, 1.6 + 0.42 * (len(table) + 2))
    axes = figure.subplots()
    places = np.arange(len(table))
    axes.hlines(places, table["low"], table["high"], color=style.SERIES[0], linewidth=1.0)
    axes.plot(table["mean"], places, "o", color=style.SERIES[0], markersize=4, label=table["label"].iloc[0])
    known = table["published"].notna()
    look = {"color": style.PUBLISHED, "markersize": 3.4, "label": "published"}
    axes.plot(table.loc[known, "published"], places[known], "D", **look)
    axes.axvline(1, color=style.BASELINE, linewidth=0.7, linestyle=":")
    left, right = published["value"].min(), published["value"].max()
    axes.axvspan(left, right, color=style.PALE, zorder=0, label="published range")
    axes.set_yticks(places, [f"{row['relation']} ({row['n']:.0f})" for _, row in table.iterrows()])
    axes.set(xlabel="mean squared length of the arc (1: as in the tree)", ylim=(len(table) - 0.5, -0.5))
    axes.set_xlim(0, max(right, table["high"].max()) + 0.1)
    figure.legend(loc="outside lower center", ncols=3)
    absent = theirs[~theirs["stanford"].isin(table["stanford"])]
    columns = ["run", "label", "relation", "stanford", "mean", "low", "high", "sd", "n"]
    columns += ["published", "uncertainty", "source"]
    return figure, pd.concat([table, absent], ignore_index=True)[columns]
