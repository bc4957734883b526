"""Clark et al. (2019), figure 1: maps of four heads, one of each kind, on the end of a segment.

A kind that no head is of, by the thresholds of the authors' code for figure 6, has a panel that says so.
"""

import pandas as pd

from headwork.papers.drawing import style
from headwork.papers.drawing.lines import line_map
from headwork.papers.drawing.scales import empty_panel
from headwork.papers.item import save
from headwork.papers.notation import head_name
from headwork.papers.tables.encoders import read_chance, read_heads, read_json
from headwork.papers.tables.readers import gather
from headwork.papers.views.encoders import behaviour_rules
from headwork.run.frame import job

PANELS = {
    "broad": "attends broadly",
    "next": "to the next token",
    "sep": "to [SEP]",
    "punctuation": "to full stops and commas",
}


def draw(statistics, examples, even):
    """The figure and its weights; each row of a map is divided by what it gives to the tokens shown.

    `even` is the entropy of uniform attention.
    """
    figure = style.new(style.PAGE, 8.0)
    rules = {name: rule for name, *rule in behaviour_rules(even)}
    example, shown = examples[0], []
    for axes, (name, kind) in zip(figure.subplots(1, len(PANELS)), PANELS.items(), strict=True):
        statistic, key, threshold = rules[name]
        rows = statistics[(statistics["statistic"] == statistic) & (statistics["key"] == key)]
        best = rows.sort_values(["value", "layer", "head"], ascending=[False, True, True]).iloc[0]
        head = head_name(best["layer"], best["head"])
        unit = " nats" if statistic == "entropy" else ""
        if best["value"] <= threshold:
            highest = f"highest: {best['value']:.2f}, {head}"
            empty_panel(axes, f"no head exceeds\n{threshold:.2f}{unit or ' of its attention'}\n\n{highest}")
            axes.set_title(f"{kind}\n", fontsize=7.5)
            shown.append(pd.DataFrame({"panel": [kind], "value": [best["value"]]}))
            continue
        pieces, weights = example["pieces"], example["maps"][head]
        line_map(axes, pieces, weights, style.SERIES[0])
        axes.set_title(f"{kind}\n{head}, {best['value']:.2f}{unit}", fontsize=7.5)
        cells = [
            (kind, head, query, pieces[query], other, pieces[other], weight)
            for query, row in enumerate(weights)
            for other, weight in enumerate(row)
        ]
        columns = ["panel", "head", "query", "query_piece", "key", "key_piece", "weight"]
        shown.append(pd.DataFrame(cells, columns=columns).assign(value=best["value"]))
    places = dict.fromkeys(("query", "key"), "Int64")  # of a panel without a head there are none
    columns = ["panel", "head", "query", "query_piece", "key", "key_piece", "weight", "value"]
    return figure, pd.concat(shown).reindex(columns=columns).astype(places)


if "snakemake" in globals():
    with job(snakemake.log[0]):
        given, runs = snakemake.input, snakemake.params.runs
        even = read_chance(given.chance[0]).set_index("key")["value"]["entropy"]
        statistics = gather(given.segments, runs, read_heads)
        save(*draw(statistics, read_json(given.segment_examples[0]), even), snakemake.output)
