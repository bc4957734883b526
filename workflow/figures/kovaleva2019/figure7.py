"""Kovaleva et al. (2019), figure 7: attention of [CLS] in the last layer, features by heads, by task."""

import numpy as np

from headwork.heads.statistics.token_features import FEATURES, FROM_CLS
from headwork.papers.drawing import style
from headwork.papers.drawing.scales import colour_bar, heat_range, not_measured
from headwork.papers.drawing.task_panels import panels
from headwork.papers.item import save
from headwork.papers.tables.encoders import read_heads
from headwork.papers.tables.readers import gather
from headwork.run.frame import job

NAMES = {"cls": "[CLS]", "sep": "[SEP]"}
FEW, MANY = 6, 9  # heads: numbers in the cells; so many and more are not all named below them
UNKNOWN = {"ha": "center", "va": "center", "fontsize": 5, "color": style.BASELINE}


def draw(statistics):
    """The figure and its numbers: domain, layer, feature, head, value, count (texts that have the feature)."""
    rows = statistics[statistics["statistic"] == FROM_CLS].rename(columns={"key": "feature"})
    rows = rows[rows["layer"] == rows["layer"].max()]
    domains = list(rows["domain"].unique())
    figure = style.new(style.PAGE, 10.0)
    low, high = heat_range(rows["value"])
    grid = panels(figure, len(domains))
    for axes, domain in zip(grid, domains, strict=True):
        cells = rows[rows["domain"] == domain].pivot_table("value", "feature", "head").reindex(FEATURES)
        heads = cells.columns
        image = axes.imshow(cells.to_numpy(), cmap=style.HEAT, vmin=low, vmax=high, aspect="auto")
        for (row, column), value in np.ndenumerate(cells.to_numpy()):
            if np.isfinite(value) and len(heads) <= FEW:
                ink = style.ink_on(image.cmap(image.norm(value))[:3])
                axes.text(column, row, f"{value:.2f}", ha="center", va="center", fontsize=5, color=ink)
        unknown = cells.isna().all(axis=1).to_numpy()  # linguistic features of texts without trees
        not_measured(axes, np.where(unknown[:, None], 0, cells))
        for row in np.flatnonzero(unknown):
            axes.text((len(heads) - 1) / 2, row, "n/a", **UNKNOWN)
        shown = range(len(heads)) if len(heads) < MANY else (0, len(heads) // 2 - 1, len(heads) - 1)
        axes.set_xticks(shown, heads[list(shown)])
        axes.set_yticks(range(len(FEATURES)), [NAMES.get(name, name) for name in FEATURES])
        axes.tick_params(length=0)
        axes.set(title=domain, xlabel="head")
    colour_bar(figure, image, grid, "attention of [CLS] to the feature, last layer", shrink=0.6)
    return figure, rows[["run", "domain", "layer", "feature", "head", "value", "count"]]


if "snakemake" in globals():
    with job(snakemake.log[0]):
        save(*draw(gather(snakemake.input.tasks, snakemake.params.runs, read_heads)), snakemake.output)
