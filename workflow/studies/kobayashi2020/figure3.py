"""Attention to classes of tokens (a) by weights α and (b) by norms of the weighted vectors ‖αf(x)‖.

Means over the tokens of a text, then over texts. A dot is a head, a line joins the means of layers. The curve
at the right is of Clark et al. (2019), read off their figure: weights α of BERT-base, which Kobayashi et al.
reproduce. Norms, published: not available as numbers.
"""

import pandas as pd

from headwork.studies import style
from headwork.studies.drawing.layers import heads_and_means, layer_means, one_head, published_line
from headwork.studies.drawing.panels import NOT_PUBLISHED, depth_axis, empty_panel, same_y
from headwork.studies.rows import where

CLASSES = {"cls": "[CLS]", "sep": "[SEP]", "punctuation": ". or ,", "other": "other tokens"}
PANELS = {"weight": ("(a) weights", "Σ α, share of attention"), "weighted-norm": ("(b) norms", "Σ ‖α f(x)‖")}


def draw(segments, published):
    """The figure, and the mean, least and greatest of each layer."""
    figure, shown = style.new(style.PAGE, 11.0), []
    panels = figure.subplots(2, 2)
    for axes, (statistic, (title, unit)) in zip(panels[:, 0], PANELS.items(), strict=True):
        for (key, name), colour in zip(CLASSES.items(), style.SERIES, strict=False):
            own = where(segments, statistic=statistic, key=key)
            heads_and_means(axes, own, colour, name)
            shown.append(layer_means(own).assign(origin="this run", statistic=statistic, key=key))
        depth_axis(axes, int(segments["layer"].max()))
        axes.set(title=f"{title}, this run", ylabel=unit, ylim=(0, None))
    for (key, name), colour in zip(CLASSES.items(), style.SERIES, strict=False):
        theirs = published[published["key"] == key]
        if len(theirs):
            published_line(panels[0, 1], theirs, colour, name)
            shown.append(theirs.assign(origin="published", statistic="weight"))
    depth_axis(panels[0, 1], int(published["layer"].astype(int).max()))
    panels[0, 1].set(title="(a) weights, published (Clark et al. 2019)", ylim=(0, None))
    same_y(panels[0])
    empty_panel(panels[1, 1], NOT_PUBLISHED)
    panels[1, 1].set_title("(b) norms, published")
    handles = [*panels[0, 0].get_legend_handles_labels()[0], one_head()]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles))
    columns = ["origin", "statistic", "key", "layer", "value", "low", "high", "heads"]
    return figure, pd.concat(shown)[[*columns, "uncertainty", "source"]]
