"""Made-up tables of what encoders know of trees and senses, whose numbers can be checked in the head."""

import pandas as pd
from made_up_encoder import LABELS

TREES = LABELS | {"domain": "Penn Treebank"}
SENSES = LABELS | {"domain": "SemCor"}


def labelled(rows, columns, labels=TREES):
    return pd.DataFrame(rows, columns=columns).assign(**labels)


def concatenation(lost=0.2, won=0.05):
    columns = ["layer", "vectors", "kind", "own", "other", "ratio", "misclassified", "lost", "won"]
    rows = [
        (layer, vectors, kind, 0.8, 0.7, 0.8 / 0.7, wrong, *changes)
        for layer, vectors in ((0, "states"), (1, "states"), (2, "states"), (2, "probe"))
        for kind, wrong, changes in (
            ("alone", 0.1, (0.0, 0.0, 0.1, 0.1)),
            ("joined", 0.1 + lost - won, (lost, won, 0.1, 0.1)),
            ("joined-at-random", 0.15, (0.1, 0.05, 0.0, 0.0)),
        )
    ]
    return labelled(rows, [*columns, "lost_beside_random", "won_beside_random"], SENSES).assign(n=1000)
