"""2-D projection of the last layer's hidden states of one ambiguous word.

Colours are the annotated senses, which the projection does not use. Unless the config names a word, it is the
one with the most occurrences whose rarer sense is frequent enough. Axes have no meaning, and distances
between far groups have little. Below: some occurrences of each sense. Published: not available as numbers.
"""

import textwrap

from headwork.studies import style

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
            name = f"{sense} ({len(own)})"
            axes.scatter(own["x"], own["y"], 7, colour, linewidths=0, alpha=0.75, label=name)
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
