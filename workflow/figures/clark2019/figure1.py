"""Clark et al. (2019), figure 1: maps of four heads, one of each kind, on the end of a segment."""

import pandas as pd

from headwork.jobs import job
from headwork.papers import style
from headwork.papers.encoder_tables import read_heads, read_json
from headwork.papers.item import save
from headwork.papers.lines import line_map
from headwork.papers.notation import head_name
from headwork.papers.tables import gather

# the kind, and the statistic and key that the head of this kind has most of
PANELS = {
    "attends broadly": ("entropy", ""),
    "to the next token": ("attention", "next"),
    "to [SEP]": ("attention", "sep"),
    "to full stops and commas": ("attention", "punctuation"),
}


def draw(statistics, examples):
    """The figure and its weights; each row of a map is divided by what it gives to the tokens shown."""
    figure = style.new(style.PAGE, 8.0)
    example, shown = examples[0], []
    for axes, (kind, (statistic, key)) in zip(figure.subplots(1, len(PANELS)), PANELS.items(), strict=True):
        rows = statistics[(statistics["statistic"] == statistic) & (statistics["key"] == key)]
        best = rows.sort_values(["value", "layer", "head"], ascending=[False, True, True]).iloc[0]
        head = head_name(best["layer"], best["head"])
        pieces, weights = example["pieces"], example["maps"][head]
        line_map(axes, pieces, weights, style.SERIES[0])
        unit = f"{best['value']:.2f} nats" if statistic == "entropy" else f"{100 * best['value']:.0f} %"
        axes.set_title(f"{kind}\n{head}, {unit}", fontsize=7.5)
        cells = [
            (kind, head, query, pieces[query], other, pieces[other], weight)
            for query, row in enumerate(weights)
            for other, weight in enumerate(row)
        ]
        columns = ["panel", "head", "query", "query_piece", "key", "key_piece", "weight"]
        shown.append(pd.DataFrame(cells, columns=columns).assign(value=best["value"]))
    return figure, pd.concat(shown)


if "snakemake" in globals():
    with job(snakemake.log[0]):
        statistics = gather(snakemake.input.segments, snakemake.params.runs, read_heads)
        save(*draw(statistics, read_json(snakemake.input.segment_examples[0])), snakemake.output)
