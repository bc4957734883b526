"""Kobayashi et al. (2020), figure 6: alignment error rates of heads and layers, from weights and from norms.

Columns are heads; the last one, behind a line, is the whole layer. Published are means of five models' layers.
"""

import pandas as pd

from headwork.jobs import job
from headwork.papers import style
from headwork.papers.encoder_tables import read_alignments
from headwork.papers.encoders import error_rates
from headwork.papers.item import save
from headwork.papers.published import read_published
from headwork.papers.tables import gather

KEYS = ("setting", "measure", "layer")
SETTINGS = {"output": "word predicted", "input": "word read"}
MEASURES = {"weight": "weights", "norm": "norms"}


def draw(alignments, published):
    """The figure and its numbers; head 0 is the layer."""
    rows = error_rates(alignments)
    layers, heads = int(rows["layer"].max()), int(rows["head"].max())
    figure = style.new(style.PAGE, 9.6)
    for line, (setting, told) in zip(figure.subplots(2, 3), SETTINGS.items(), strict=True):
        for (measure, name), axes, colour in zip(MEASURES.items(), line, style.SERIES, strict=False):
            own = rows[(rows["setting"] == setting) & (rows["measure"] == measure)]
            cells = own.pivot_table("value", "layer", "head")[[*range(1, heads + 1), 0]].to_numpy()
            image = axes.imshow(cells, cmap=style.HEAT + "_r", vmin=0, vmax=1, aspect="auto")
            for row, values in enumerate(cells):
                for column, value in enumerate(values):
                    ink = style.ink_on(image.cmap(image.norm(value))[:3])
                    look = {"ha": "center", "va": "center", "fontsize": 6, "color": ink}
                    axes.text(column, row, f"{100 * value:.0f}", **look)
            axes.axvline(heads - 0.5, color=style.INK, linewidth=1.0)
            axes.set_xticks(range(heads + 1), [*range(1, heads + 1), "all"])
            axes.set_yticks(range(layers), range(1, layers + 1))
            axes.set(title=f"{name}, {told}", xlabel="head", ylabel="layer")
            theirs = published[(published["setting"] == setting) & (published["measure"] == measure)]
            theirs = theirs.astype({"layer": int}).sort_values("layer")
            line[2].plot(
                theirs["layer"], 100 * theirs["value"], "-D", color=colour, markersize=2.4, label=name
            )
        line[2].set(title=f"published, {told}", xlabel="layer", ylabel="error rate, %", ylim=(0, 100))
        line[2].legend()
    tables = rows.assign(origin="this run"), published.assign(origin="published", head=0)
    columns = ["origin", "setting", "measure", "layer", "head", "value", "count", "uncertainty", "source"]
    return figure, pd.concat(tables)[columns]


if "snakemake" in globals():
    with job(snakemake.log[0]):
        table = gather(snakemake.input.alignments, snakemake.params.runs, read_alignments)
        save(*draw(table, read_published(snakemake.input.published, KEYS)), snakemake.output)
