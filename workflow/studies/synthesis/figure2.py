"""Score and log-likelihood of a model when heads are removed in ascending order of each importance measure.

Models are not trained further. Importance is measured on other text (dev of the corpus, train of the task)
than the score. Grey lines are references: random orders, and the order of each head's own ablation cost on
the scored text, which no measure has access to.

This item is headwork's own; it has no published counterpart.
"""

from headwork.studies import style
from headwork.studies.measures import MEASURES, TRUTH

DASHED = ("random", "score", "likelihood")  # references, not measures that are cheap
COLOURS = (*style.SERIES, "#882255", "#999933", "#661100")


def draw(measure_curves):
    """The figure, a column of panels a model; the table is that of the curves, means over random orders."""
    by = ["run", "domain", "label", "metric", "measure", "share", "removed"]
    table = measure_curves.groupby(by, sort=False)[list(TRUTH)].mean().reset_index()
    runs = list(dict.fromkeys(table["run"]))
    measures = [name for name in MEASURES if name in set(table["measure"])]
    colours = iter(COLOURS)
    looks = {name: (style.BASELINE if name in DASHED else next(colours), name in DASHED) for name in measures}
    lines = dict(zip(DASHED, (":", "--", "-."), strict=True))
    figure = style.new(style.PAGE, 11.0)
    panels = figure.subplots(len(TRUTH), len(runs), sharex=True, squeeze=False)
    for column, run in enumerate(runs):
        own = table[table["run"] == run]
        metric = own["metric"].iloc[0]
        names = {"score": metric, "likelihood": "log-likelihood, nats"}
        for axes, truth in zip(panels[:, column], TRUTH, strict=True):
            for measure in measures:
                rows = own[own["measure"] == measure].sort_values("share")
                colour, dashed = looks[measure]
                line = lines[measure] if dashed else "-"
                look = {"color": colour, "linewidth": 1.0, "label": MEASURES[measure][0]}
                axes.plot(rows["share"], rows[truth], line, **look)
            axes.set_ylabel(names[truth])
            axes.grid(axis="y", color=style.PALE, linewidth=0.6)
            axes.xaxis.set_major_formatter(lambda share, _: f"{share:g}")
        panels[0, column].set_title(f"{own['domain'].iloc[0]}, {own['label'].iloc[0]}")
        panels[-1, column].set_xlabel("share of heads removed")
    handles = {}
    for axes in panels[0]:
        handles |= dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
    figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=4, handlelength=3)
    return figure, table
