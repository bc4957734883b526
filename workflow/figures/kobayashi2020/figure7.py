"""Kobayashi et al. (2020), figure 7: one sentence aligned by weights, and by norms; frames are gold links."""

import numpy as np
import pandas as pd
from matplotlib.patches import Rectangle

from headwork.jobs import job
from headwork.papers import style
from headwork.papers.encoder_tables import read_json
from headwork.papers.item import save

MEASURES = {"weight": "weights, α", "norm": "norms, ‖Σ α f(x)‖"}
SETTINGS = {"output": "rows of words predicted", "input": "rows of words read"}
COLUMNS = ["setting", "measure", "layer", "target", "target_word", "source", "source_word", "sure", "value"]


def most_links(maps, sure):
    """The setting and the lowest layer whose norms favour most sure links."""
    hits = {
        (setting, layer): sum((int(np.argmax(row)), word) in sure for word, row in enumerate(rows))
        for (setting, layer, measure), rows in maps.items()
        if measure == "norm"
    }
    return max(hits, key=lambda place: (hits[place], -place[1]))


def draw(example):
    """Where norms agree with the gold links best, and the numbers of all layers and settings."""
    sure, possible = ({tuple(link) for link in example[name]} for name in ("sure", "possible"))
    maps = {(each["setting"], each["layer"], each["measure"]): each["map"] for each in example["layers"]}
    setting, layer = most_links(maps, sure)
    source, target = [*example["source"], "</s>"], example["target"]
    figure = style.new(style.PAGE, 8.4)
    for axes, (measure, name) in zip(figure.subplots(1, 2), MEASURES.items(), strict=True):
        weights = np.array(maps[setting, layer, measure])
        axes.imshow(weights / weights.max(), cmap=style.HEAT, vmin=0, vmax=1, aspect="auto")
        for i, j in sorted(possible):
            edge = style.SERIES[5] if (i, j) in sure else style.BASELINE
            axes.add_patch(Rectangle((i - 0.5, j - 0.5), 1, 1, fill=False, edgecolor=edge, linewidth=1.0))
        axes.set_xticks(range(len(source)), source, rotation=90, fontsize=6)
        axes.set_yticks(range(len(target)), target, fontsize=6)
        axes.tick_params(length=0)
        axes.set_title(f"{name}, layer {layer}\n{SETTINGS[setting]}")
    rows = [
        (*map(each.get, COLUMNS[:3]), j, target[j], i, source[i], (i, j) in sure, value)
        for each in example["layers"]
        for j, row in enumerate(each["map"])
        for i, value in enumerate(row)
    ]
    return figure, pd.DataFrame(rows, columns=COLUMNS)


if "snakemake" in globals():
    with job(snakemake.log[0]):
        save(*draw(read_json(snakemake.input.alignment_example[0])[0]), snakemake.output)
