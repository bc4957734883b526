"""Mean absolute gradient of the masked-token loss with respect to attention weights, by the token attended to:
all tokens that were not masked, [SEP], full stops and commas.

A dot is a head, a line joins the means of layers. The paper specifies neither the texts nor how losses and
gradients were averaged. Both panels are therefore divided by the value for all tokens in layer 1, so that
only shapes can be compared. The csv has the gradients themselves.
"""

import pandas as pd

from headwork.studies import style
from headwork.studies.drawing.layers import heads_and_means, layer_means, one_head, published_line
from headwork.studies.drawing.panels import depth_axis, same_y

NAMES = {"unmasked": "all tokens but masked ones", "sep": "[SEP]", "punctuation": "full stops, commas"}


def relative(rows, layer_of_first=1):
    """The rows with their value divided by the mean over all tokens in the first layer."""
    first = rows[(rows["layer"].astype(int) == layer_of_first) & (rows["key"] == "unmasked")]["value"].mean()
    return rows.assign(value=rows["value"] / first, gradient=rows["value"])


def draw(sensitivity, published):
    """The figure and its numbers: relative, and the gradients themselves."""
    ours, theirs = relative(sensitivity), relative(published)
    figure, shown = style.new(style.PAGE, 6.4), []
    left, right = figure.subplots(1, 2)
    for (key, name), colour in zip(NAMES.items(), style.SERIES, strict=False):
        own, other = ours[ours["key"] == key], theirs[theirs["key"] == key]
        heads_and_means(left, own, colour, name)
        published_line(right, other, colour, name)
        gradient = layer_means(own, "gradient")["value"]
        shown.append(layer_means(own).assign(origin="this run", key=key, gradient=gradient))
        shown.append(other.assign(origin="published"))
    for axes, rows, title in ((left, ours, "this run"), (right, theirs, "published")):
        depth_axis(axes, int(rows["layer"].astype(int).max()))
        axes.set(title=title, ylabel="mean |gradient|, relative to\nall tokens in layer 1", ylim=(0, None))
    same_y([left, right])
    handles = [*right.get_legend_handles_labels()[0], one_head()]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles))
    columns = ["origin", "key", "layer", "value", "low", "high", "heads", "gradient", "uncertainty", "source"]
    return figure, pd.concat(shown)[columns]
