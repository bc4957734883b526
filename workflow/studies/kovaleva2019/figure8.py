"""Head ablation: change of the task score with one head disabled, by task.

Scores are the first metric of each task on its full dev set. The paper disables a head by making its
attention uniform rather than by zeroing its output. Panels show uniform attention (means over seeds), with
colours logarithmic beyond 0.02. Last panel: smallest and largest change over heads, with either ablation, and
as published (one seed each). The csv has the interval of every change: paired bootstrap over examples and
Student's t over seeds. With this many heads, some changes exceed zero by chance.
"""

import pandas as pd
from matplotlib.colors import SymLogNorm

from headwork.studies import style
from headwork.studies.drawing.grids import CHANGES
from headwork.studies.rows import where, without_a_head

from .drawings import task_grids
from .tables import over_seeds

SERIES = {"uniform": "uniform attention", "zero": "output zeroed"}
LINEAR = 0.02
TICKS = (-0.5, -0.1, -0.02, 0, 0.02, 0.1, 0.5)


def draw(disabling, published):
    """The figure and its numbers: every head's score and its change, mean over seeds, and the published range."""
    rows = over_seeds(without_a_head(disabling))
    domains = list(rows["domain"].unique())
    shown = rows[rows["method"] == "uniform"].assign(value=lambda table: table["change"])
    bound = max(abs(shown["value"].min()), abs(shown["value"].max()), LINEAR)
    norm = SymLogNorm(LINEAR, vmin=-bound, vmax=bound)
    figure = style.new(style.PAGE, 9.2)
    free, bar = task_grids(figure, shown, "change of the score", -bound, bound, CHANGES, norm)
    ticks = [tick for tick in TICKS if abs(tick) <= bound]
    bar.set_ticks(ticks, labels=[f"{tick:g}".replace("-", "−") for tick in ticks])
    bar.minorticks_off()
    theirs = published.pivot_table("value", "domain", "quantity").reindex(domains)
    ends = pd.DataFrame({name: theirs[name] - theirs["baseline"] for name in ("lowest", "highest")})
    for place, domain in enumerate(domains):
        for shift, (method, name), colour in zip((-0.22, 0.0), SERIES.items(), style.SERIES, strict=False):
            own = where(rows, domain=domain, method=method)["change"]
            if len(own):  # only the ways of `disabling.ways` are measured
                _span(free, place + shift, own.min(), own.max(), colour, name, place)
        _span(free, place + 0.22, *ends.loc[domain], style.PUBLISHED, "published", place)
    free.axvline(0, color=style.BASELINE, linewidth=0.6)
    free.set_yticks(range(len(domains)), domains)
    free.invert_yaxis()
    free.set(title="smallest and largest", xlabel="change of the score")
    figure.legend(*free.get_legend_handles_labels(), loc="outside lower center", ncols=3)
    ours = rows.assign(origin="this run")
    columns = ["origin", "domain", "layer", "head", "method", "quantity", "metric", "value", "change"]
    table = pd.concat([ours, published.assign(origin="published")])
    return figure, table[[*columns, "low", "high", "n", "seeds", "uncertainty", "source"]]


def _span(axes, level, low, high, colour, name, place):
    look = {"linewidth": 2.2, "solid_capstyle": "butt", "label": name if place == 0 else None}
    axes.plot([low, high], [level, level], color=colour, **look)
