"""The reference for alignments: statistical word aligners on the same sentences (Kobayashi et al. 2020, table 2)."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from headwork.corpora.annotated.aligners import AlignerSettings, WordPair, align
from headwork.corpora.annotated.alignments import AlignedPair
from headwork.heads.alignments.word_alignments import score
from headwork.run.outputs import write_table
from headwork.settings.options import options


def aligner_run(
    pairs: Sequence[AlignedPair],
    training: Iterable[WordPair],
    aligners: Sequence[Mapping[str, Any]],
    table_path: str | Path,
) -> None:
    """Align the pairs with each aligner (settings of `AlignerSettings`) and write what it comes to.

    One row each: model, joined, precision, recall, aer, and n, the number of pairs. Case does not count.
    """
    known, rows = list(training), []
    text = [(_lower(pair.source), _lower(pair.target)) for pair in pairs]
    for number, settings in enumerate(aligners):
        how = options(AlignerSettings, settings, f"aligner {number + 1}")
        found = align(text, [(_lower(one), _lower(other)) for one, other in known], how)
        rates = score(found, [pair.links for pair in pairs])
        rows.append((how.model, how.joined, *rates, len(pairs)))
    table = pd.DataFrame(rows, columns=["model", "joined", "precision", "recall", "aer", "n"])
    write_table(table_path, table)


def _lower(words: Sequence[str]) -> list[str]:
    return [word.lower() for word in words]
