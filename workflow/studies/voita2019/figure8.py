"""Functions of the encoder heads that pruning keeps, on subtitles.

One stack per number of heads kept; a square is a head, coloured by the groups of its functions, and a number
counts its functions if it has several. Functions are measured again in each pruned model. Where several runs
keep the same number of heads, the first of the run sheet is shown. Right: the published stacks, read off the
author's own figure, without the numbers in its squares. A square of two colours has functions of both groups;
in the last four published stacks it is a head for which the source leaves open which of the two. The
published rare-token head at 6 heads kept is read as a half.
"""

import pandas as pd

from headwork.studies import style
from headwork.studies.sweeps import functions_of_heads, of_kept_heads

from . import drawings


def draw(pruned_functions, gates, published):
    """The figure, and the number of heads of each group in every stack; `functions` has the baseline's first."""
    heads = functions_of_heads(of_kept_heads(pruned_functions, gates))
    heads["kept"] = heads.groupby("run")["head"].transform("size")
    ours = heads[heads["run"].isin(heads.drop_duplicates("kept")["run"])]
    runs = ours.drop_duplicates("kept")[["kept", "run"]]
    theirs = published.astype({"kept": int})
    figure = style.new(style.PAGE, 11.0)
    left, right = figure.subplots(1, 2)
    label = pruned_functions["label"].iloc[0]
    drawings.stack_panel(left, ours, f"{label}, this run")
    drawings.stack_panel(right, drawings.squares_of_counts(theirs), "EN-RU, published")
    for axes in (left, right):
        axes.set_ylabel("encoder heads")
    figure.legend(handles=style.function_key(), loc="outside lower center", ncols=4)
    counted = drawings.counts_of_squares(ours).merge(runs, on="kept").assign(origin="this run", source="")
    columns = ["origin", "run", "kept", "group", "value", "source"]
    return figure, pd.concat([counted, theirs.assign(origin="published")])[columns]
