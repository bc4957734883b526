"""Raganato & Tiedemann (2018), table 4: BLEU on a small pair with an encoder of another pair.

Of the published scores only a gain is known, of EN-DE into EN-TR, and not of which way to train.
"""

import pandas as pd

from headwork.papers.drawing.sheet import draw_sheet
from headwork.papers.item import save
from headwork.papers.published import read_published
from headwork.papers.tables.encoders import read_json
from headwork.papers.tables.readers import gather, read_scores
from headwork.papers.views.translation_encoders import facts_of_runs, transferred
from headwork.run.frame import job

KEYS = ("quantity",)
NAMES = {
    "scratch": "from scratch",
    "frozen": "encoder of the other pair, frozen",
    "fine-tuned": "encoder of the other pair, fine-tuned",
}


def draw(scores, facts, published):
    """The table drawn, and its numbers."""
    table = transferred(scores, list(NAMES)).merge(facts, on="run")
    rows = [["", "BLEU [95 %]", "gain, BLEU", "trained parameters"]]
    for number, (_, row) in enumerate(table.iterrows()):
        bleu = f"{row['ours']:.1f} [{row['low']:.1f}, {row['high']:.1f}]"
        gain = f"{row['gain']:+.1f}" if number else ""
        rows.append([NAMES[row["domain"]], bleu, gain, f"{row['trained_parameters']:,.0f}"])
    pairs, sentences = table["train_pairs"].iloc[0], table["n"].max()
    notes = [
        f"{table['label'].iloc[0]}: {pairs:.0f} pairs to train on, {sentences:.0f} to test on; 95 % intervals.",
        "Trained parameters include embedding rows that are kept fixed.",
        f"Published gain, from EN-DE to EN-TR: about {published['value'].iloc[0]:g} BLEU.",
    ]
    known = published.pivot_table("value", ["source", "uncertainty"], "quantity").reset_index()
    table = pd.concat([table, known.assign(domain="published", label="EN-DE into EN-TR")], ignore_index=True)
    columns = [
        "run",
        "domain",
        "pair",
        "label",
        "train_pairs",
        "trained_parameters",
        "ours",
        "low",
        "high",
        "n",
    ]
    figure = draw_sheet(rows, [6.2, 3.6, 2.0, 3.0], notes=notes)
    return figure, table[[*columns, "gain", "signature", "uncertainty", "source"]]


if "snakemake" in globals():
    with job(snakemake.log[0]):
        runs = snakemake.params.runs
        scores = gather(snakemake.input.scores, runs, read_scores)
        facts = facts_of_runs([read_json(path) for path in snakemake.input.training], runs)
        save(*draw(scores, facts, read_published(snakemake.input.published, KEYS)), snakemake.output)
