"""Tenney et al. (2019), figure 3: probabilities of labels of single spans by layer.

The sentences have targets of most tasks about which the probes are unsure; of each task the target is shown whose
probabilities change most.
"""

import textwrap

import pandas as pd
from matplotlib.lines import Line2D

from headwork.papers.drawing import style
from headwork.papers.drawing.pipeline import NAMES, trace_bars
from headwork.papers.drawing.scales import empty_panel
from headwork.papers.item import save
from headwork.papers.tables.encoders import read_json
from headwork.run.frame import job

WIDTH = 110  # characters of a line of text


def draw(examples, runs):
    """The figure, of the first run; and every probability of every target and layer."""
    sentences = examples[0]
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
            right, wrong = (
                target[name].rpartition("%")[2] for name in ("right", "wrong")
            )  # of a sense its number
            axes.set_title(f"{NAMES[target['task']]}: {right}, not {wrong}\n{title}", fontsize=6.5)
            axes.set_xlabel("highest layer mixed")
            rows += _rows(number, target, spans)
        panels[0].set_ylabel("probability")
    if not sentences:
        empty_panel(parts[0].subplots(), "no sentence has two spans about which the probes are unsure")
    handles = [
        Line2D([], [], color=colour, marker="o", markersize=3, label=name)
        for name, colour in (
            ("right label", style.SERIES[0]),
            ("best wrong label", style.SERIES[1]),
            ("all others", style.BASELINE),
        )
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=3)
    columns = [
        "sentence",
        "task",
        "span",
        "other_span",
        "right",
        "wrong",
        "layer",
        "p_right",
        "p_wrong",
        "p_other",
    ]
    return figure, pd.DataFrame(rows, columns=columns)


def _rows(number, target, spans):
    other = spans[1] if len(spans) > 1 else ""
    names = (number, target["task"], spans[0], other, target["right"], target["wrong"])
    values = zip(target["p_right"], target["p_wrong"], target["p_other"], strict=True)
    return [(*names, layer, *each) for layer, each in enumerate(values)]


if "snakemake" in globals():
    with job(snakemake.log[0]):
        save(
            *draw([read_json(path) for path in snakemake.input.traces], snakemake.params.runs),
            snakemake.output,
        )
