"""Coenen et al. (2019), figure 4: 2-D projection of the contexts of one ambiguous word, coloured by sense.

The paper shows 1000 contexts of "die" in English and German text without annotation; here the senses are known.
"""

import textwrap

from headwork.papers.drawing import style
from headwork.papers.item import save
from headwork.papers.tables.geometry import read_contexts
from headwork.papers.tables.readers import gather
from headwork.run.frame import job

WIDTH = 105  # characters of an example's line
EXAMPLES = 2


def draw(contexts):
    """The figure, and the points: a panel for each run, an untrained one beside the trained one."""
    runs = list(dict.fromkeys(contexts["run"]))
    senses = sorted(set(contexts["sense"]))
    figure = style.new(style.PAGE, 10.5)
    upper, lower = figure.subfigures(2, 1, height_ratios=[3, 1.15])
    panels = upper.subplots(1, max(2, len(runs)))
    for axes in panels[len(runs) :]:
        axes.remove()
    for axes, run in zip(panels, runs, strict=False):
        rows = contexts[contexts["run"] == run]
        for sense, colour in zip(senses, style.SERIES, strict=False):
            own = rows[rows["sense"] == sense]
            axes.scatter(
                own["x"], own["y"], 7, colour, linewidths=0, alpha=0.75, label=f"{sense} ({len(own)})"
            )
        first = rows.iloc[0]
        kind = "" if first["trained"] else ", untrained"
        axes.set(title=f"{first['word'].split('/')[0]}, layer {first['layer']}{kind}", xticks=[], yticks=[])
    upper.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=len(senses))
    level = 0.97
    rows = contexts[contexts["run"] == runs[0]]
    for sense, colour in zip(senses, style.SERIES, strict=False):
        texts = sorted(set(rows.loc[rows["sense"] == sense, "text"]), key=lambda text: (len(text), text))
        for text in texts[len(texts) // 4 :][:EXAMPLES]:
            lines = textwrap.wrap(text, WIDTH)
            lower.text(0.02, level, sense, color=colour, va="top", fontsize=6.8)
            lower.text(0.14, level, "\n".join(lines), va="top", fontsize=6.8)
            level -= 0.19 * len(lines) + 0.04
    columns = ["run", "label", "trained", "word", "sense", "layer", "x", "y", "text"]
    return figure, contexts[columns]


if "snakemake" in globals():
    with job(snakemake.log[0]):
        save(*draw(gather(snakemake.input.contexts, snakemake.params.runs, read_contexts)), snakemake.output)
