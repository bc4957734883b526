"""Synthesis, figure 4: attention to the same token in the other sentence, against the loss when a head is ablated.

At the left, the map of the head with the most such attention on average over tasks, for an example of the first task.
"""

from scipy.stats import spearmanr

from headwork.heads.statistics.counterparts import COUNTERPART, UNIFORM, WEIGHT
from headwork.papers.drawing import style
from headwork.papers.drawing.scales import colour_bar
from headwork.papers.item import save
from headwork.papers.notation import head_name
from headwork.papers.tables.encoders import read_heads
from headwork.papers.tables.examples import map_panel
from headwork.papers.tables.readers import gather
from headwork.papers.tables.tasks import read_disabling, read_shown
from headwork.papers.views.tasks import of_statistic, without_a_head
from headwork.run.frame import job

HEAD = ["domain", "layer", "head"]
NAMED = 2  # heads of a task, those with the greatest losses, if their intervals exclude 0
METRICS = {"f1": "F1", "pearson": "Pearson's r", "spearman": "Spearman's ρ"}
LETTERS = 120  # the height of the map, pt


def compared(statistics, disabling):
    """A row per task and head: its attention to the same token, the uniform value, and the loss without the head."""
    attention, uniform = (
        of_statistic(statistics, COUNTERPART, key).set_index(HEAD)["value"] for key in (WEIGHT, UNIFORM)
    )
    rows = without_a_head(disabling)
    rows = rows[rows["method"] == "uniform"].set_index(HEAD)
    table = rows[["run", "metric", "n"]].assign(
        attention=attention, uniform=uniform, loss=-rows["change"], low=-rows["high"], high=-rows["low"]
    )
    return table.dropna(subset="attention").reset_index()


def draw(statistics, examples, disabling):
    """The figure and its numbers: a panel a task, and a map."""
    table = compared(statistics, disabling)
    domains = list(table["domain"].unique())
    figure = style.new(style.PAGE, 9.0)
    left, right = figure.subfigures(1, 2, width_ratios=(1, 2))
    layer, head = table.groupby(["layer", "head"])["attention"].mean().idxmax()
    _map(left, examples, domains[0], layer, head)

    lines = -(-len(domains) // 3)
    grid = right.subplots(lines, 3, sharex=True, squeeze=False)
    for axes in grid.flat[len(domains) :]:
        axes.remove()
    for axes, domain in zip(grid.flat, domains, strict=False):
        own = table[table["domain"] == domain]
        lengths = own["loss"] - own["low"], own["high"] - own["loss"]
        axes.errorbar(
            own["attention"], own["loss"], lengths, fmt="none", ecolor=style.BASELINE, elinewidth=0.5
        )
        axes.plot(own["attention"], own["loss"], ".", color=style.SERIES[0], markersize=4)
        axes.axvline(own["uniform"].iloc[0], color=style.BASELINE, linewidth=0.8, linestyle=":")
        axes.axhline(0, color=style.BASELINE, linewidth=0.6)
        for row in own[own["low"] > 0].nlargest(NAMED, "loss").itertuples():
            name = f" {row.layer}-{row.head} "
            right_half = row.attention > 0.5
            axes.annotate(
                name, (row.attention, row.loss), ha="right" if right_half else "left", va="center", fontsize=6
            )
        rank = spearmanr(own["attention"], own["loss"]).statistic
        sign = "−" if rank < 0 else ""
        axes.set_title(f"{domain}, ρ = {sign}{abs(rank):.2f}")
        metric = own["metric"].iloc[0]
        axes.set_ylabel(f"loss of {METRICS.get(metric, metric)}")
        axes.set_xlim(0, 1)
    for axes in grid[-1]:
        axes.tick_params(labelbottom=True)
    right.supxlabel("attention to the same token in the other sentence (dotted: uniform)", fontsize=7.5)
    columns = ["run", *HEAD, "attention", "uniform", "metric", "loss", "low", "high", "n"]
    return figure, table[columns]


def _map(figure, examples, domain, layer, head):
    own = examples[
        (examples["domain"] == domain) & (examples["layer"] == layer) & (examples["number"] == head)
    ]
    shown = own.iloc[0]
    axes = figure.subplots()
    image = map_panel(axes, shown["pieces"], shown["weights"], min(6.0, LETTERS / len(shown["pieces"])))
    axes.set_title(f"{domain}, {head_name(layer, head)}")
    colour_bar(figure, image, axes, "attention weight", location="bottom", shrink=0.7)


if "snakemake" in globals():
    with job(snakemake.log[0]):
        runs = snakemake.params.runs
        statistics = gather(snakemake.input.tasks, runs, read_heads)
        disabling = gather(snakemake.input.disabling, runs, read_disabling)
        save(*draw(statistics, read_shown(snakemake.input.task_examples, runs), disabling), snakemake.output)
