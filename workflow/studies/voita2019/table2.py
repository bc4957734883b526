"""BLEU of models pruned in all attention: encoder self-attention (e), decoder self-attention (d) and
decoder-encoder attention (d-e).

"From trained": gates are added to the trained model. "From scratch": a model with the same heads in each
layer and no others, trained from random initialisation for the steps of its recipe: at the miniature scale as
many as training and pruning together, at the paper scale as many as the unpruned model. Intervals of single
runs are bootstrap intervals; of several runs from scratch the mean is shown, and the interval includes the
variation over seeds. The published table has neither seeds nor intervals, and its differences of 0.1 BLEU are
within the variation over seeds. Its BLEU is on other test sets with another scorer.
"""

from itertools import zip_longest

import pandas as pd

from headwork.studies.drawing.sheet import draw_sheet
from headwork.studies.notation import ATTENTIONS
from headwork.studies.sweeps import against_scratch, of_role, published_against_scratch, roles

KEYS = ("domain", "pair", *ATTENTIONS, "method")


def cells(row, decimals):
    """Heads kept as ``14/31/30``, and both BLEUs, with intervals where there are any; a dash for what is not known."""
    shown = ["/".join(f"{row[kind]:.0f}" for kind in ATTENTIONS)]
    for name, ends in (("bleu", ("low", "high")), ("scratch", ("scratch_low", "scratch_high"))):
        text = "–" if pd.isna(row[name]) else f"{row[name]:.{decimals}f}"
        if ends[0] in row and not pd.isna(row[ends[0]]):
            text += f" [{row[ends[0]]:.1f}, {row[ends[1]]:.1f}]"
        shown.append(text)
    return shown


def draw(sweeps, kept, published):
    ours = against_scratch(sweeps, kept).assign(origin="this run", source="")
    theirs = published_against_scratch(published).assign(origin="published")
    names = ["heads e/d/d-e", "from trained", "from scratch"]
    rows, rules = [[""] * 7, ["", *names, *names]], []
    for role in roles(ours):
        left = [cells(row, 1) for _, row in of_role(ours, role).iterrows()]
        right = [cells(row, 2) for _, row in of_role(theirs, role).iterrows()]
        names = [f"{role.domain}, {role.label}", *[""] * (len(left) + len(right))]
        rules.append(len(rows))
        both = zip_longest(left, right, fillvalue=[""] * 3)
        rows += [[name, *own, *other] for name, (own, other) in zip(names, both, strict=False)]
    notes = [
        "First row of each: the unpruned model. A run from scratch has the same heads as its row; 95 % intervals."
    ]
    spans = [(0, 1, 3, "this run"), (0, 4, 6, "published, EN-RU")]
    widths = [4.1, 2.3, 2.8, 2.8, 2.3, 1.9, 1.9]
    figure = draw_sheet(rows, widths, headings=2, spans=spans, rules=rules[1:], notes=notes)
    scratch = ["scratch", "scratch_low", "scratch_high", "scratch_runs", "source"]
    columns = ["origin", *KEYS[:2], "run", "method", "seed", *ATTENTIONS, "bleu", "low", "high", *scratch]
    return figure, pd.concat([ours, theirs])[columns]
