"""Micro-averaged F1 of edge probes with the embeddings and with all layers, expected layer and centre of gravity
of every task.

An edge probe predicts the label of one or two given spans from a scalar mix of the layers 0 to l of a frozen
encoder. The *centre of gravity* is the mean layer under the mixing weights of all layers. The *expected
layer* weights layers by the gain in F1 from the probe before; it is *not defined* where the bootstrap
interval of the whole gain contains 0. F1 and weights are medians of {{
config.representations.edge_probes.seeds }} seeds; bars of expected layers have bootstrap intervals over
sentences, those of centres of gravity the range over seeds. *n/a*: no data at this scale. Published: other
data, and 250,000 steps of training instead of {{ config.representations.edge_probes.probe.steps }}.
"""

import pandas as pd
from matplotlib.patches import Patch

from headwork.studies import style

from .drawings import EXPECTED, GRAVITY, NAMES, layer_bars

LAYERS = {"BERT-base": 12, "BERT-large": 24}


def draw(edge_layers, published):
    """The figure; and every quantity of every task and run, then the published ones."""
    tasks = list(NAMES)
    runs = [own for _, own in edge_layers.groupby("run", sort=False)]
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
    table = pd.concat([edge_layers, published.assign(label="published")], ignore_index=True)
    return figure, table[[*columns, "value", "low", "high", "n", "uncertainty", "source"]]


def _title(own):
    first = own.iloc[0]
    return f"{first['label']}".replace(", ", "\n") + ("" if first["trained"] else "\n(untrained)")
