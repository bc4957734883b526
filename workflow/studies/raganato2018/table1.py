"""BLEU of the translation models whose encoders are analysed.

Scores are computed by sacreBLEU, with bootstrap intervals; the signature is in the csv. Published: not
available as numbers.
"""

from headwork.studies.drawing.panels import NOT_PUBLISHED
from headwork.studies.drawing.sheet import draw_sheet

from .tables import facts_of_runs


def draw(scores, training, runs):
    table = scores.merge(facts_of_runs(training, runs), on="run")
    table = table.rename(columns={"bleu": "ours", "sentences": "n"})
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
