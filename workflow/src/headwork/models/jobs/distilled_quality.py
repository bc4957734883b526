"""Faults of translations that can be seen without a reference, and a round trip."""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import pandas as pd

from headwork.corpora.parallel.splits import SPLITS
from headwork.models.scoring.greedy import Translation

REPEATED = re.compile(r"(?<!\S)(\S+(?: \S+){0,3})(?: \1){2}(?!\S)")
FAULTS = ("empty", "copied", "overlong", "truncated", "repeated")


class RoundTrip(NamedTuple):
    """Scores of sentences translated there and back against themselves, and their number."""

    chrf: float
    bleu: float
    sentences: int


class Quality:
    """Counts by split.

    empty      nothing was said
    copied     equal to the source
    overlong   more than 2 x + 10 pieces for x pieces of source
    truncated  ended at the bound of the search (`Greedy`), not by the model
    repeated   one to four words stand three times in a row, and none do in the source
    """

    def __init__(self) -> None:
        self.counts: Counter[tuple[str, str]] = Counter()
        self.back: RoundTrip | None = None

    def add(self, split: str, sources: Sequence[str], found: Sequence[Translation]) -> None:
        """Count the faults of these translations."""
        for source, each in zip(sources, found, strict=True):
            self.counts[split, "sentences"] += 1
            self.counts[split, "source_pieces"] += each.source_pieces
            self.counts[split, "pieces"] += each.pieces
            self.counts.update((split, name) for name, faulty in faults(source, each).items() if faulty)

    def table(self) -> pd.DataFrame:
        """A row a split: sentences, mean pieces, and the share with each fault; the round trip of test."""
        rows = []
        for split in SPLITS:
            if number := self.counts[split, "sentences"]:
                means = {
                    name: self.counts[split, name] / number for name in ("source_pieces", "pieces", *FAULTS)
                }
                back = self.back if split == "test" else None
                trip = {f"round_trip_{name}": value for name, value in back._asdict().items()} if back else {}
                rows.append({"split": split, "sentences": number, **means, **trip})
        return pd.DataFrame(rows)


def faults(source: str, found: Translation) -> Mapping[str, bool]:
    """Which faults a translation has."""
    return {
        "empty": not found.text,
        "copied": found.text == source,
        "overlong": found.pieces > 2 * found.source_pieces + 10,
        "truncated": not found.ended,
        "repeated": bool(REPEATED.search(found.text)) and not REPEATED.search(source),
    }


def round_trip(
    sentences: Sequence[str],
    forth: Callable[[Sequence[str]], list[Translation]],
    back: Callable[[Sequence[str]], list[Translation]],
) -> RoundTrip:
    """Scores of the sentences translated by both models, against themselves: sacreBLEU's chrF2 and BLEU."""
    from sacrebleu import corpus_bleu, corpus_chrf

    there = [each.text for each in forth(sentences)]
    returned = [each.text for each in back(there)]
    references = [list(sentences)]
    return RoundTrip(
        corpus_chrf(returned, references).score, corpus_bleu(returned, references).score, len(sentences)
    )
