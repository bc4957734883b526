"""BLEU, parameters and translation speed of pruned models whose closed heads are removed, against the heads kept
of all kinds.

A dot is a run; lines join the means of runs that differ in their seeds alone; error bars are 95 % bootstrap
intervals. Removing a head deletes its parts of the query, key, value and output projections, and leaves
translations unchanged. Speed is that of translating {% if config.pruning.speed.sentences %}the first {{
config.pruning.speed.sentences }} sentences of the test set{% else %}the test set{% endif %} with the engine
``transformers``, relative to the unpruned model, timed in alternation in the same job on the same cores; the
fastest of {{ config.pruning.speed.repeats }} turns of each counts. Not every run is timed. Both models
translate in their own words, so beam search may take more or fewer steps with the pruned one, which is part
of its speed. Speed depends on the machine and its load; absolute times are in the csv.

This item is headwork's own; it has no published counterpart.
"""

from headwork.studies import style
from headwork.studies.drawing.panels import curve, heads_axis
from headwork.studies.sweeps import smaller

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
