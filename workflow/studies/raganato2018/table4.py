"""BLEU on a small language pair with an encoder transferred from a larger pair, frozen or fine-tuned.

All models are trained for the same number of steps. The encoder's layers are copied, and its embeddings token
by token; the small pair's subword vocabulary is learned on the other pair's source side too, so that both
have the same segmentation. *Frozen*: encoder layers and encoder embeddings are not updated. Published: a gain
of about one BLEU, from EN-DE to EN-TR.
"""

import pandas as pd

from headwork.studies.drawing.sheet import draw_sheet

from .tables import facts_of_runs, transferred

NAMES = {
    "scratch": "from scratch",
    "frozen": "encoder of the other pair, frozen",
    "fine-tuned": "encoder of the other pair, fine-tuned",
}


def draw(scores, training, runs, published):
    table = transferred(scores, list(NAMES)).merge(facts_of_runs(training, runs), on="run")
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
    columns = ["run", "domain", "pair", "label", "train_pairs", "trained_parameters", "ours", "low", "high"]
    figure = draw_sheet(rows, [6.2, 3.6, 2.0, 3.0], notes=notes)
    return figure, table[[*columns, "n", "gain", "signature", "uncertainty", "source"]]
