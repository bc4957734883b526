"""Raganato & Tiedemann (2018), table 1: BLEU of the translation models whose encoders are analysed.

The published scores were not at hand; ours stand alone.
"""

from headwork.papers.drawing.scales import NOT_PUBLISHED
from headwork.papers.drawing.sheet import draw_sheet
from headwork.papers.item import save
from headwork.papers.tables.encoders import read_json
from headwork.papers.tables.readers import gather, read_scores
from headwork.papers.views.translation_encoders import facts_of_runs
from headwork.run.frame import job


def draw(scores, facts):
    """The table drawn, and its numbers."""
    table = scores.merge(facts, on="run").rename(columns={"bleu": "ours", "sentences": "n"})
    rows = [["pair", "run", "training pairs", "test sentences", "BLEU [95 %]"]]
    for _, row in table.iterrows():
        bleu = f"{row['ours']:.1f} [{row['low']:.1f}, {row['high']:.1f}]"
        rows.append([row["label"], row["run"], f"{row['train_pairs']:.0f}", f"{row['n']:.0f}", bleu])
    notes = [
        f"BLEU from 0 to 100, sacreBLEU {table['signature'].iloc[0]};",
        f"bootstrap intervals; {NOT_PUBLISHED}.",
    ]
    figure = draw_sheet(rows, [3.0, 3.4, 2.6, 2.6, 3.8], notes=notes)
    columns = [
        "run",
        "domain",
        "pair",
        "label",
        "train_pairs",
        "ours",
        "low",
        "high",
        "n",
        "exact",
        "signature",
    ]
    return figure, table[[column for column in columns if column in table]]


if "snakemake" in globals():
    with job(snakemake.log[0]):
        runs = snakemake.params.runs
        scores = gather(snakemake.input.scores, runs, read_scores)
        facts = facts_of_runs([read_json(path) for path in snakemake.input.training], runs)
        save(*draw(scores, facts), snakemake.output)
