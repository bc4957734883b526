"""The reference for alignments: statistical word aligners on the same sentences (Kobayashi et al. 2020, table 2)."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from headwork.corpora.annotated.aligners import WordPair, align
from headwork.corpora.annotated.alignments import gold_pairs
from headwork.corpora.sources.pairs import aligned
from headwork.heads.alignments.word_alignments import score
from headwork.run.frame import Files
from headwork.run.outputs import write_table
from headwork.settings.heads import AlignerSettings


def aligner_run(
    input: Files,
    output: Files,
    gold: Mapping[str, Any],
    sentences: int | None,
    aligners: Sequence[Mapping[str, Any]],
) -> None:
    """Align the pairs of a test set with each aligner (settings of `AlignerSettings`), and score the links.

    Reads gold links with their text (see `gold_pairs`, also for `gold`), of which the first `sentences` count
    (None: all), and `train_source` and `train_target`, the corpus's line-aligned training text. Case does not count.
    Writes `table` (csv) with one row each: model, joined, precision, recall, aer, and n, the number of pairs. Raises
    SettingError for settings that no aligner has, and InputError as `gold_pairs` does.
    """
    chosen = [AlignerSettings.read(each, f"aligner {place}") for place, each in enumerate(aligners, start=1)]
    pairs = gold_pairs(vars(input), gold)[:sentences]
    text = [_lower(pair.source, pair.target) for pair in pairs]
    training = aligned(input.train_source, input.train_target)
    known = [_lower(pair.source.split(), pair.target.split()) for pair in training]
    rows = []
    for settings in chosen:
        rates = score(align(text, known, settings), [pair.links for pair in pairs])
        rows.append((settings.model, settings.joined, *rates, len(pairs)))
    table = pd.DataFrame(rows, columns=["model", "joined", "precision", "recall", "aer", "n"])
    write_table(output.table, table)


def _lower(*sides: Sequence[str]) -> WordPair:
    source, target = ([word.lower() for word in words] for words in sides)
    return source, target
