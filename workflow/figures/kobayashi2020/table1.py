"""Kobayashi et al. (2020), table 1: mean and spread of the norms of the attention inputs x and of f(x)."""

from headwork.papers.drawing.sheet import draw_sheet
from headwork.papers.item import save
from headwork.papers.notation import head_name
from headwork.papers.tables.encoders import read_heads
from headwork.papers.tables.readers import gather
from headwork.run.frame import job

NUMBERS = {"mean": "mean", "sd": "std", "cv": "CV", "max": "max", "min": "min"}
VECTORS = {"input-norm-spread": "‖x‖", "norm-spread": "‖f(x)‖"}


def draw(statistics):
    """The table drawn, and the five numbers of every head (of x: of every layer, which is head 0)."""
    wide = statistics[statistics["statistic"].isin(VECTORS)]
    wide = wide.pivot_table("value", ["statistic", "layer", "head", "count"], "key").reset_index()
    rows = [["", "", *NUMBERS.values()]]
    for statistic, name in VECTORS.items():
        own = wide[wide["statistic"] == statistic]
        mean = own[list(NUMBERS)].mean()
        what = "mean over layers" if statistic == "input-norm-spread" else "mean over heads"
        rows.append([name, what, *(f"{mean[key]:.2f}" for key in NUMBERS)])
        most = own.loc[own["cv"].idxmax()]
        place = (
            f"layer {most['layer']:.0f}"
            if most["head"] == 0
            else head_name(int(most["layer"]), int(most["head"]))
        )
        rows.append(["", f"largest CV: {place}", *(f"{most[key]:.2f}" for key in NUMBERS)])
    notes = [f"Over {wide['count'].max():.0f} tokens, special ones included; CV is std / mean."]
    figure = draw_sheet(rows, [1.6, 4.2, *[1.7] * 5], rules=(3,), notes=notes)
    return figure, wide[["statistic", "layer", "head", *NUMBERS, "count"]]


if "snakemake" in globals():
    with job(snakemake.log[0]):
        save(*draw(gather(snakemake.input.segments, snakemake.params.runs, read_heads)), snakemake.output)
