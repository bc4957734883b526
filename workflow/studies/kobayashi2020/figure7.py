"""Soft alignment of one sentence and its translation by weights α, by norms ‖αf(x)‖, and their difference.

Rows are target tokens, columns are source tokens; each row is normalised to sum to 1. Layer and setting
(figure 6) are those with the lowest AER from norms. Frames are gold links, in colour if sure. Published: not
available as numbers.
"""

import numpy as np
import pandas as pd
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator

from headwork.studies import style
from headwork.studies.drawing.grids import CHANGES
from headwork.studies.drawing.panels import colour_bar

MEASURES = {"weight": "weights, α", "norm": "norms, ‖Σ α f(x)‖"}
SETTINGS = {"output": "rows are output tokens", "input": "rows are input tokens"}
COLUMNS = ["setting", "measure", "layer", "target", "target_word", "source", "source_word", "sure", "value"]


def of_rows(weights):
    """Each row divided by its sum."""
    weights = np.array(weights)
    return weights / np.maximum(weights.sum(axis=1, keepdims=True), 1e-12)


def most_links(maps, sure):
    """The setting and the lowest layer whose norms favour most sure links."""
    hits = {
        (setting, layer): sum((int(np.argmax(row)), word) in sure for word, row in enumerate(rows))
        for (setting, layer, measure), rows in maps.items()
        if measure == "norm"
    }
    return max(hits, key=lambda place: (hits[place], -place[1]))


def draw(alignment_example):
    """Where norms agree with the gold links best, and the numbers of all layers and settings."""
    example = alignment_example[0][0]
    sure, possible = ({tuple(link) for link in example[name]} for name in ("sure", "possible"))
    maps = {(each["setting"], each["layer"], each["measure"]): each["map"] for each in example["layers"]}
    setting, layer = most_links(maps, sure)
    source, target = [*example["source"], "</s>"], example["target"]
    figure = style.new(style.PAGE, 9.0)
    shares = {measure: of_rows(maps[setting, layer, measure]) for measure in MEASURES}
    difference = shares["norm"] - shares["weight"]
    bound = max(0.05, np.abs(difference).max())
    panels = figure.subplots(1, 3, sharey=True)
    drawn = [(shares[measure], name, style.HEAT, 0, 1) for measure, name in MEASURES.items()]
    drawn.append((difference, "norms minus weights", CHANGES, -bound, bound))
    for axes, (values, name, cmap, low, high) in zip(panels, drawn, strict=True):
        image = axes.imshow(values, cmap=cmap, vmin=low, vmax=high, aspect="auto")
        bar = colour_bar(figure, image, axes, "share of the row", location="bottom", shrink=0.7, pad=0.03)
        bar.locator = MaxNLocator(3)
        for i, j in sorted(possible):
            edge = style.SERIES[5] if (i, j) in sure else style.BASELINE
            axes.add_patch(Rectangle((i - 0.5, j - 0.5), 1, 1, fill=False, edgecolor=edge, linewidth=1.0))
        axes.set_xticks(range(len(source)), source, rotation=90, fontsize=6)
        axes.set_yticks(range(len(target)), target, fontsize=6)
        axes.tick_params(length=0)
        axes.set_title(name)
    figure.suptitle(f"layer {layer}, {SETTINGS[setting]}; columns are source tokens", fontsize=7.5)
    rows = [
        (*map(each.get, COLUMNS[:3]), j, target[j], i, source[i], (i, j) in sure, value)
        for each in example["layers"]
        for j, row in enumerate(each["map"])
        for i, value in enumerate(row)
    ]
    return figure, pd.DataFrame(rows, columns=COLUMNS)
