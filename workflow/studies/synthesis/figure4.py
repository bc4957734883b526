"""Attention to the same token in the other sentence, and what a head is worth. Left: the map of the head with
the most such attention, on average over tasks, for an example of the first task. Right: each head of a
fine-tuned run, by task: its attention from tokens that both sentences contain to the same token in the other
one (mean over such tokens, then over the dev set), and the loss of the task's first metric when its attention
is made uniform, with the interval over examples. ρ: Spearman's rank correlation over heads.

Special tokens are left out. Of each task the two heads with the greatest losses are named, if their intervals
exclude 0.

This item is headwork's own; it has no published counterpart.
"""

from scipy.stats import spearmanr

from headwork.heads.statistics.counterparts import COUNTERPART, UNIFORM, WEIGHT
from headwork.studies import style
from headwork.studies.drawing.labels import name_points
from headwork.studies.drawing.maps import map_panel
from headwork.studies.drawing.panels import colour_bar
from headwork.studies.notation import head_name
from headwork.studies.rows import of_statistic, where, without_a_head

HEAD = ["domain", "layer", "head"]
NAMED = 2  # heads of a task, those with the greatest losses, if their intervals exclude 0
METRICS = {"f1": "F1", "pearson": "Pearson's r", "spearman": "Spearman's ρ"}
LETTERS = 120  # the height of the map, pt


def compared(statistics, disabling):
    """A row per task and head: its attention to the same token, the uniform value, and the loss without the head."""
    parts = [of_statistic(statistics, COUNTERPART, key) for key in (WEIGHT, UNIFORM)]
    attention, uniform = (part.set_index(HEAD)["value"] for part in parts)
    rows = where(without_a_head(disabling), method="uniform").set_index(HEAD)
    table = rows[["run", "metric", "n"]].assign(attention=attention, uniform=uniform)
    table = table.assign(loss=-rows["change"], low=-rows["high"], high=-rows["low"])
    return table.dropna(subset="attention").reset_index()


def draw(tasks, task_examples, disabling):
    """The figure and its numbers: a panel a task, and a map."""
    table = compared(tasks, disabling)
    domains = list(table["domain"].unique())
    figure = style.new(style.PAGE, 9.0)
    left, right = figure.subfigures(1, 2, width_ratios=(1, 2))
    layer, head = table.groupby(["layer", "head"])["attention"].mean().idxmax()
    _map(left, task_examples, domains[0], layer, head)

    lines = -(-len(domains) // 3)
    grid = right.subplots(lines, 3, sharex=True, squeeze=False)
    for axes in grid.flat[len(domains) :]:
        axes.remove()
    for axes, domain in zip(grid.flat, domains, strict=False):
        own = table[table["domain"] == domain]
        lengths = own["loss"] - own["low"], own["high"] - own["loss"]
        look = {"fmt": "none", "ecolor": style.BASELINE, "elinewidth": 0.5}
        axes.errorbar(own["attention"], own["loss"], lengths, **look)
        axes.plot(own["attention"], own["loss"], ".", color=style.SERIES[0], markersize=4)
        axes.axvline(own["uniform"].iloc[0], color=style.BASELINE, linewidth=0.8, linestyle=":")
        axes.axhline(0, color=style.BASELINE, linewidth=0.6)
        rank = spearmanr(own["attention"], own["loss"]).statistic
        sign = "−" if rank < 0 else ""
        axes.set_title(f"{domain}, ρ = {sign}{abs(rank):.2f}")
        metric = own["metric"].iloc[0]
        axes.set_ylabel(f"loss of {METRICS.get(metric, metric)}")
        axes.set_xlim(-0.03, 1)  # most heads have next to none
    for axes in grid[-1]:
        axes.tick_params(labelbottom=True)
    right.supxlabel("attention to the same token in the other sentence (dotted: uniform)", fontsize=7.5)
    for axes, domain in zip(grid.flat, domains, strict=False):
        own = table[table["domain"] == domain]
        best = own[own["low"] > 0].nlargest(NAMED, "loss")
        names = [(f"{row.layer}-{row.head}", (row.attention, row.loss)) for row in best.itertuples()]
        name_points(axes, names, own[["attention", "loss"]].to_numpy(), own["uniform"].head(1))
    columns = ["run", *HEAD, "attention", "uniform", "metric", "loss", "low", "high", "n"]
    return figure, table[columns]


def _map(figure, examples, domain, layer, head):
    shown = where(examples, domain=domain, layer=layer, number=head).iloc[0]
    axes = figure.subplots()
    image = map_panel(axes, shown["pieces"], shown["weights"], min(6.0, LETTERS / len(shown["pieces"])))
    axes.set_title(f"{domain}, {head_name(layer, head)}")
    colour_bar(figure, image, axes, "attention weight", location="bottom", shrink=0.7)
