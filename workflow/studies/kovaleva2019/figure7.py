"""Attention of [CLS] in the last layer to tokens with a linguistic feature: the largest weight among them, by
task.

Means over the examples that have the feature. Tags and relations are from gold trees at the miniature scale,
from spaCy in the paper. The authors' code counted examples without the feature as 0
(``task_heads.features``). Published: not available as numbers.
"""

import numpy as np

from headwork.heads.statistics.token_features import FEATURES, FROM_CLS
from headwork.studies import style
from headwork.studies.drawing.panels import colour_bar, heat_range, not_measured
from headwork.studies.rows import where

from .drawings import COLUMNS

NAMES = {"cls": "[CLS]", "sep": "[SEP]"}
FEW, MANY = 6, 9  # heads: numbers in the cells; so many and more are not all named below them
UNKNOWN = {"ha": "center", "va": "center", "fontsize": 5, "color": style.BASELINE}


def draw(tasks):
    """The figure and its numbers: domain, layer, feature, head, value, count (texts that have the feature)."""
    rows = tasks[tasks["statistic"] == FROM_CLS].rename(columns={"key": "feature"})
    rows = rows[rows["layer"] == rows["layer"].max()]
    domains = list(rows["domain"].unique())
    figure = style.new(style.PAGE, 10.0)
    low, high = heat_range(rows["value"])
    grid = style.panels(figure, len(domains), COLUMNS)
    for axes, domain in zip(grid, domains, strict=True):
        cells = where(rows, domain=domain).pivot_table("value", "feature", "head").reindex(FEATURES)
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
