"""Share of heads kept in each pair of decoder layers, for decoder self-attention and decoder-encoder attention,
against the heads pruned of that kind, on news.

The models are those of figure 9. Left: this run; a decoder with fewer than two pairs of layers is shown layer
by layer. A dot is a run, and the line joins the means of runs that differ in their seeds alone. Right:
published, read off the author's own figure.
"""

import pandas as pd

from headwork.studies import style
from headwork.studies.drawing.panels import curve, heads_axis, kept_axis
from headwork.studies.notation import ATTENTIONS
from headwork.studies.sweeps import in_layer_groups, published_models, retained, with_pruned


def draw(sweeps, kept, published):
    """The figure, one row of panels per kind of attention, and its counts; a published model's run is what it lost."""
    ours = retained(sweeps, kept, "all", by=["kind", "layer"])
    ours = in_layer_groups(ours[ours["kind"] != "encoder"]).assign(origin="this run", source="")
    tables = ours, published_models(published, ["kind", "layers"])
    titles = f"{ours['label'].iloc[0]}, this run", f"{ours['pair'].iloc[0]}, published"
    figure = style.new(style.PAGE, 10.4)
    grid, shown = figure.subplots(2, 2), []
    for row, kind in zip(grid, ("decoder", "cross"), strict=True):
        for axes, rows, title in zip(row, tables, titles, strict=True):
            part = with_pruned(rows[rows["kind"] == kind])
            part = part.assign(share=part["kept"] / part["heads"])
            for (layers, own), colour in zip(part.groupby("layers"), style.SERIES, strict=False):
                curve(axes, own, "pruned", "share", colour, layers)
            heads_axis(axes, int(part["total"].max()), "heads pruned, this kind")
            kept_axis(axes)
            axes.set_title(f"{ATTENTIONS[kind]}\n{title}")
            axes.legend(title="layers", loc="upper right")
            shown.append(part)
    columns = ["origin", "run", "seed", "penalty", "target", "kind", "layers", "heads", "pruned", "kept"]
    return figure, pd.concat(shown)[[*columns, "source"]]
