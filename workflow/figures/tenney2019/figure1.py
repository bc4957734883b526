"""Tenney et al. (2019), figure 1: F1 without context and with all layers, expected layer and centre of gravity."""

import pandas as pd
from matplotlib.patches import Patch

from headwork.papers.drawing import style
from headwork.papers.drawing.pipeline import EXPECTED, GRAVITY, NAMES, layer_bars
from headwork.papers.item import save
from headwork.papers.published import read_published
from headwork.papers.tables.probing import read_edge_layers
from headwork.papers.tables.readers import gather
from headwork.run.frame import job

KEYS = ("model", "task", "quantity")
LAYERS = {"BERT-base": 12, "BERT-large": 24}


def draw(layers, published):
    """The figure; and every quantity of every task and run, then the published ones."""
    tasks = list(NAMES)
    runs = [own for _, own in layers.groupby("run", sort=False)]
    panels = [(_title(own), own, int(own["layers"].iloc[0])) for own in runs]
    panels += [(f"{model}\n(published)", own, LAYERS[model]) for model, own in published.groupby("model")]
    figure = style.new(style.PAGE * 1.15, 9.6)
    grid = figure.subplots(1, len(panels))
    for place, (axes, (title, own, depth)) in enumerate(zip(grid, panels, strict=True)):
        layer_bars(axes, own, tasks, depth, names=place == 0)
        axes.set_title(title, fontsize=6.5)
    handles = [Patch(color=EXPECTED, label="expected layer"), Patch(color=GRAVITY, label="centre of gravity")]
    figure.legend(handles=handles, loc="outside lower center", ncols=2)
    columns = ["run", "domain", "pair", "label", "trained", "model", "task", "quantity"]
    table = pd.concat([layers, published.assign(label="published")], ignore_index=True)
    return figure, table[[*columns, "value", "low", "high", "n", "uncertainty", "source"]]


def _title(own):
    first = own.iloc[0]
    return f"{first['label']}".replace(", ", "\n") + ("" if first["trained"] else "\n(untrained)")


if "snakemake" in globals():
    with job(snakemake.log[0]):
        layers = gather(snakemake.input.edge_layers, snakemake.params.runs, read_edge_layers)
        save(*draw(layers, read_published(snakemake.input.published, KEYS)), snakemake.output)
