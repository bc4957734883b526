"""Probability of the right label, of the best wrong label, and of all others together, for single spans by
layer.

Each probe mixes the layers 0 to the one shown; probabilities are means over seeds. As published, only spans
are shown whose most probable label has an average probability of at most 0.7. The sentences have such spans
of most tasks; of each task the span with the largest change is shown. Labels have sigmoids of their own, so
that probabilities need not add up to 1. Published: not available as numbers.
"""

import textwrap

import pandas as pd
from matplotlib.lines import Line2D

from headwork.studies import style
from headwork.studies.drawing.panels import empty_panel

from .drawings import NAMES, PARTS, trace_bars

WIDTH = 110  # characters of a line of text


def draw(traces, runs):
    """The figure, of the first run; and every probability of every target and layer."""
    sentences = traces[0]
    figure = style.new(style.PAGE, 1.0 + 5.3 * max(1, len(sentences)))
    parts = figure.subfigures(max(1, len(sentences)), 1, squeeze=False)[:, 0]
    rows = []
    for number, (part, sentence) in enumerate(zip(parts, sentences, strict=False), start=1):
        part.suptitle("\n".join(textwrap.wrap(" ".join(sentence["words"]), WIDTH)), fontsize=7)
        panels = part.subplots(1, max(2, len(sentence["targets"])))
        for axes in panels[len(sentence["targets"]) :]:
            axes.remove()
        for axes, target in zip(panels, sentence["targets"], strict=False):
            spans = [" ".join(sentence["words"][start:end]) for start, end in target["spans"]]
            trace_bars(axes, target)
            title = "\n".join(textwrap.shorten(span, 34) for span in spans)
            # of a sense its number
            right, wrong = (target[name].rpartition("%")[2] for name in ("right", "wrong"))
            axes.set_title(f"{NAMES[target['task']]}: {right}, not {wrong}\n{title}", fontsize=6.5)
            axes.set_xlabel("highest layer mixed")
            rows += _rows(number, target, spans)
        panels[0].set_ylabel("probability")
    if not sentences:
        empty_panel(parts[0].subplots(), "no sentence has two spans about which the probes are unsure")
    handles = [
        Line2D([], [], color=colour, marker="o", markersize=3, label=name)
        for name, colour in zip(
            ("right label", "best wrong label", "all others"), PARTS.values(), strict=True
        )
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=3)
    columns = ["sentence", "task", "span", "other_span", "right", "wrong", "layer", *PARTS]
    return figure, pd.DataFrame(rows, columns=columns)


def _rows(number, target, spans):
    other = spans[1] if len(spans) > 1 else ""
    names = (number, target["task"], spans[0], other, target["right"], target["wrong"])
    values = zip(*(target[name] for name in PARTS), strict=True)
    return [(*names, layer, *each) for layer, each in enumerate(values)]
