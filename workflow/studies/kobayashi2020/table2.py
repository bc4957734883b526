"""Alignment error rate (AER) of whole layers, by weights α and by norms ‖αf(x)‖, and of statistical word
aligners.

The translation model is trained on the whole training part. Aligners are trained on the scored sentences,
without their links, and on the first pairs of the training part: {% for aligner in config.aligners %}{{
aligner.get("pairs") or "all" }} for {{ aligner.model }}{{ ", " if not loop.last }}{% endfor %}. The best
layer is chosen on the scored sentences, as in the paper. No published values are shown for the aligners
(fast_align, GIZA++), because we have no reliable source for them.
"""

import pandas as pd

from headwork.studies.drawing.sheet import draw_sheet
from headwork.studies.notation import share

from .tables import LAYERS, error_rates_of_layers

KEYS = ("setting", "measure", "which")
SETTINGS = {"output": "AWO, output token", "input": "AWI, input token"}
MEASURES = {"weight": "weights", "norm": "norms"}


def draw(alignments, aligners, published):
    ours = error_rates_of_layers(alignments)
    theirs = published.rename(columns={"value": "published"})
    table = ours.merge(theirs, on=list(KEYS), how="left")
    rows = [["", "", "this run", "published"]]
    for setting, told in SETTINGS.items():
        for measure, name in MEASURES.items():
            for which in LAYERS:
                row = table[(table[list(KEYS)] == (setting, measure, which)).all(axis=1)].iloc[0]
                place = f"best layer ({row['layer']:.0f})" if which == LAYERS[1] else which
                rows.append([f"{name}, {told}", place, share(row["aer"]), share(row["published"])])
    for _, row in aligners.iterrows():
        rows.append([f"aligner: {row['model']}", row["joined"], share(row["aer"]), "–"])
    notes = [
        f"Alignment error rate (AER); {aligners['n'].max():.0f} sentences.",
        "Published: German to English, means of five models.",
    ]
    figure = draw_sheet(rows, [5.6, 3.8, 2.0, 2.0], rules=(5, 9), notes=notes)
    others = aligners.assign(which=aligners["joined"], measure=aligners["model"], setting="aligner")
    columns = [*KEYS, "layer", "aer", "published", "uncertainty", "source"]
    return figure, pd.concat([table, others]).reindex(columns=columns)
