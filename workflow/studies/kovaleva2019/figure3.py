"""Attention of each head along predicate-argument links, in the model before fine-tuning.

The value is the mean over sentences of the largest weight from a core argument to its predicate, two words or
more away, in sentences with one predicate and at most twelve words. Links are PropBank roles here and
FrameNet frame elements in the paper. Right: the two best heads on one sentence; the darker a line, the larger
the weight. Predicate-argument links have another colour. Published: the two highest means, 0.209 and 0.201.
"""

import pandas as pd

from headwork.studies import style
from headwork.studies.drawing.grids import head_grid
from headwork.studies.drawing.maps import line_key, line_map
from headwork.studies.drawing.panels import colour_bar, heat_range
from headwork.studies.rows import of_statistic

ROLE = "role"


def draw(words, word_examples, published):
    """The figure and its numbers: origin, layer, head, value, count."""
    rows = of_statistic(words, ROLE)
    shown = [example for example in word_examples[0] if example["relation"] == ROLE][:2]
    figure = style.new(style.PAGE, 6.6 if len(rows) else 1.5)
    if rows.empty:
        figure.text(0.5, 0.5, "The trees of this text have no semantic roles.", ha="center", va="center")
    else:
        _show(figure, rows, shown)
    theirs = published.rename(columns={"quantity": "key"}).assign(origin="published")
    ours = rows.assign(origin="this run")
    ranked = rows["value"].sort_values(ascending=False).to_numpy()
    names = ["highest", "second"][: len(ranked)]
    best = pd.DataFrame({"origin": "this run", "key": names, "value": ranked[:2]})
    columns = ["origin", "key", "layer", "head", "value", "count", "uncertainty", "source"]
    return figure, pd.concat([ours, best, theirs])[columns]


def _show(figure, rows, shown):
    first, *others = figure.subplots(1, 3)
    image = head_grid(first, rows, "attention along predicate-\nargument links", *heat_range(rows["value"]))
    first.set(xlabel="head", ylabel="layer")
    what = "mean of the largest weight on a link"
    colour_bar(figure, image, first, what, orientation="horizontal", pad=0.05)
    for axes, example in zip(others, shown, strict=False):
        marked = {tuple(arc) for arc in example["arcs"]}
        line_map(axes, example["words"], example["weights"], style.SERIES[0], marked)
        axes.set_title(example["head"])
    key = line_key("from an argument to its predicate")
    figure.legend(handles=key, loc="outside lower right", ncols=len(key))
    for axes in others[len(shown) :]:
        axes.remove()
