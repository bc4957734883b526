"""Kobayashi et al. (2020), figure 5: frequency rank against norms and against attention weights."""

from headwork.papers.drawing import style
from headwork.papers.item import save
from headwork.papers.published import read_published
from headwork.papers.tables.encoders import read_correlations, read_tokens
from headwork.papers.tables.readers import gather
from headwork.run.frame import job

KEYS = ("measure",)
PANELS = {"norm": "mean ‖f(x)‖ over heads and layers", "weight": "mean weight received"}
SHOWN = 3000  # dots


def draw(tokens, correlations, published):
    """The figure, and the rank correlations of all tokens and of those that are no special token."""
    figure = style.new(style.PAGE, 6.6)
    theirs = published.set_index("measure")["value"]
    drawn = tokens.sample(min(SHOWN, len(tokens)), random_state=0).sort_values("rank", kind="stable")
    for axes, (measure, name) in zip(figure.subplots(1, 2), PANELS.items(), strict=True):
        for real, label, colour in (
            (True, "subword tokens of words", style.SERIES[0]),
            (False, "[CLS], [SEP]", style.SERIES[5]),
        ):
            own = drawn[drawn["real"] == real]
            axes.plot(
                own["rank"],
                own[measure],
                "o",
                color=colour,
                markersize=1.8,
                rasterized=True,
                alpha=0.4,
                markeredgewidth=0,
                label=label,
            )
        rows = correlations[correlations["statistic"] == f"rank-{measure}-rho"].set_index("key")["value"]
        known = f"; published {theirs[measure]:.2f}" if measure in theirs.index else ""
        axes.set_title(
            f"ρ = {rows['all']:.2f} ({rows['real']:.2f} without special tokens){known}", fontsize=7.5
        )
        axes.set(xscale="log", xlabel="frequency rank of the token", ylabel=name)
        axes.xaxis.set_major_formatter("{x:g}")
        axes.set_ylim(0, None)
    figure.axes[0].legend(loc="lower right")
    table = correlations[correlations["statistic"].str.startswith("rank-")].copy()
    table["measure"] = table["statistic"].str.removeprefix("rank-").str.removesuffix("-rho")
    known = published.rename(columns={"value": "published"})
    return figure, table.merge(known, on="measure", how="left")[
        ["run", "label", "measure", "key", "value", "count", "published", "uncertainty", "source"]
    ]


if "snakemake" in globals():
    with job(snakemake.log[0]):
        given, runs = snakemake.input, snakemake.params.runs
        tables = gather(given.tokens, runs, read_tokens), gather(given.correlations, runs, read_correlations)
        save(*draw(*tables, read_published(given.published, KEYS)), snakemake.output)
