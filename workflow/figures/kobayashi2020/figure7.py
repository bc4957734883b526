"""Kobayashi et al. (2020), figure 7: one sentence aligned by weights, and by norms; frames are gold links."""

import numpy as np
import pandas as pd
from matplotlib.patches import Rectangle

from headwork.jobs import job
from headwork.papers import style
from headwork.papers.encoder_tables import read_json
from headwork.papers.item import save

MEASURES = {"weight": "weights, α", "norm": "norms, ‖Σ α f(x)‖"}
SETTING = "input"  # the row of the step that reads the word
COLUMNS = ["setting", "measure", "layer", "target", "target_word", "source", "source_word", "sure", "value"]


def best_layer(maps, sure):
    """The lowest layer whose norms favour most sure links."""
    hits = {
        layer: sum((int(np.argmax(row)), word) in sure for word, row in enumerate(rows))
        for (layer, measure), rows in maps.items()
        if measure == "norm"
    }
    return max(hits, key=lambda layer: (hits[layer], -layer))


def draw(example):
    """The layer in which norms agree with the gold links best, and the numbers of all layers."""
    sure, possible = ({tuple(link) for link in example[name]} for name in ("sure", "possible"))
    maps = {
        (each["layer"], each["measure"]): each["map"]
        for each in example["layers"]
        if each["setting"] == SETTING
    }
    layer, source, target = best_layer(maps, sure), [*example["source"], "</s>"], example["target"]
    figure = style.new(style.PAGE, 8.4)
    for axes, (measure, name) in zip(figure.subplots(1, 2), MEASURES.items(), strict=True):
        weights = np.array(maps[layer, measure])
        axes.imshow(weights / weights.max(), cmap=style.HEAT, vmin=0, vmax=1, aspect="auto")
        for i, j in sorted(possible):
            edge = style.SERIES[5] if (i, j) in sure else style.BASELINE
            axes.add_patch(Rectangle((i - 0.5, j - 0.5), 1, 1, fill=False, edgecolor=edge, linewidth=1.0))
        axes.set_xticks(range(len(source)), source, rotation=90, fontsize=6)
        axes.set_yticks(range(len(target)), target, fontsize=6)
        axes.tick_params(length=0)
        axes.set_title(f"{name}, layer {layer}")
    rows = [
        (*map(each.get, COLUMNS[:3]), j, target[j], i, source[i], (i, j) in sure, value)
        for each in example["layers"]
        for j, row in enumerate(each["map"])
        for i, value in enumerate(row)
    ]
    return figure, pd.DataFrame(rows, columns=COLUMNS)


if "snakemake" in globals():
    with job(snakemake.log[0]):
        save(*draw(read_json(snakemake.input.example)), snakemake.output)
