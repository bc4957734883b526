"""Synthesis, figure 1: BLEU, parameters and translation speed against heads kept, closed heads removed.

An item of our own: pruned models are written without their closed heads (`headwork.models.gates.removal`) and timed
beside the model they were pruned from, in the same job, on some sentences of the test set (`headwork.pruning.speed`).
"""

from headwork.papers.drawing import style
from headwork.papers.drawing.curves import curve, heads_axis
from headwork.papers.item import save
from headwork.papers.tables.readers import read_kept, read_sweeps
from headwork.papers.views.sweeps import smaller
from headwork.run.frame import job

SWEEPS = {"encoder": ("encoder", "o"), "all": ("all attentions", "s")}  # name and marker
MEASURES = {
    "bleu": "BLEU",
    "parameters_share": "parameters, % of the full model",
    "speed": "speed, relative to the full model",
}


def draw(sweeps, kept):
    """The figure, a panel per measure, and the table of runs; of sweeps of which no run was timed, nothing."""
    table = smaller(sweeps, kept, list(SWEEPS))
    figure = style.new(style.PAGE, 6.8)
    panels = figure.subplots(1, len(MEASURES))
    for axes, (measure, name) in zip(panels, MEASURES.items(), strict=True):
        roles = table.groupby(["domain", "label", "gates"], sort=False)
        for number, ((domain, label, gates), own) in enumerate(roles):
            attentions, marker = SWEEPS[gates]
            own = own.dropna(subset=measure)
            own = own if measure == "bleu" else own.drop(columns=["low", "high"])
            told = f"{domain}, {label}: gates in {attentions}"
            curve(axes, own, "kept", measure, style.SERIES[number], told, marker)
        heads_axis(axes, int(table["heads"].max()), "heads kept, all kinds")
        axes.set(title=name.split(",")[0], ylabel=name)
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=2)
    columns = ["domain", "pair", "run", "method", "gates", "seed", "penalty", "target", "heads", "kept"]
    columns += ["bleu", "low", "high", "parameters", "parameters_full", "parameters_share"]
    return figure, table[[*columns, "sentences_per_second", "sentences_per_second_full", "speed"]]


if "snakemake" in globals():
    with job(snakemake.log[0]):
        sweeps = read_sweeps(snakemake.input.sweeps, snakemake.params.runs)
        save(*draw(sweeps, read_kept(snakemake.input.kept)), snakemake.output)
