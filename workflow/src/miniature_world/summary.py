"""Statistics of the corpus: lengths, word frequencies, ambiguity, positional baselines.

The positional baseline of a relation is the share of its most common offset (word minus head), Table 1 of Voita et
al. 2019; persons of subjects are the footnote to its discussion. Zipf's exponent is minus the slope of log frequency
on log rank, fitted by least squares over `ZIPF_RANKS`.
"""

import math
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import pandas as pd

from miniature_world.sentence import WorldSentence

ZIPF_RANKS = (10, 1000)
RELATIONS = ("nsubj", "obj", "amod", "advmod")


def zipf_exponent(counts: Counter[str]) -> float:
    """Minus the slope of log frequency on log rank over `ZIPF_RANKS`."""
    first, last = ZIPF_RANKS
    frequencies = sorted(counts.values(), reverse=True)[first - 1 : last]
    if len(frequencies) < 2:
        return math.nan
    x = [math.log(rank) for rank in range(first, first + len(frequencies))]
    y = [math.log(frequency) for frequency in frequencies]
    x_mean, y_mean = sum(x) / len(x), sum(y) / len(y)
    products = sum((a - x_mean) * (b - y_mean) for a, b in zip(x, y, strict=True))
    return -(products / sum((a - x_mean) ** 2 for a in x))


class Summary:
    """Counts over one domain's stream of sentences."""

    def __init__(self, domain: str, languages: Sequence[str]):
        self.domain = domain
        self.words: Counter[str] = Counter()
        self.lengths: Counter[int] = Counter()
        self.persons: Counter[int] = Counter()
        self.offsets: dict[str, Counter[int]] = {relation: Counter() for relation in RELATIONS}
        self.counts: Counter[str] = Counter()
        self.targets: dict[str, Counter[str]] = {language: Counter() for language in languages}
        self.linked: Counter[str] = Counter()
        self.crossing: Counter[str] = Counter()

    def add(self, sentence: WorldSentence) -> None:
        """Counts the English side of one sentence."""
        words, counts = sentence.words, self.counts
        self.lengths[len(words)] += 1
        counts["paragraphs"] += sentence.number == 1
        passive = False
        for word in words:
            form, relation = word.form, word.relation
            lexeme = form.lexeme
            self.words[form.text] += 1
            counts["ambiguous"] += lexeme.ambiguous
            counts["names"] += form.upos == "PROPN"
            if relation in self.offsets:
                self.offsets[relation][word.index - word.head.index] += 1
            if relation == "nsubj" and not lexeme.group.startswith("relative"):
                self.persons[form.person] += 1
            passive = passive or relation == "nsubj:pass"
            personal = lexeme.kind == "pronoun" and not lexeme.group.startswith("relative")
            if personal and word.entity is not None:
                counts["third-person pronouns"] += 1
                counts["within"] += word.antecedent is not None
        counts["passive"] += passive

    def add_translation(self, language: str, tokens: list[str], alignment: list[tuple[int, int]]) -> None:
        """Counts one translation."""
        self.targets[language].update(tokens)
        self.linked[language] += len(alignment)
        targets = [target for _, target in alignment]
        self.crossing[language] += sum(after < before for before, after in pairwise(targets))

    def table(self) -> pd.DataFrame:
        """One row per statistic: domain, side (``en`` or a target language), figure, value."""
        rows = [("en", figure, value) for figure, value in self._source().items()]
        for language, counts in self.targets.items():
            total = counts.total()
            rows += [
                (language, "tokens", total),
                (language, "vocabulary", len(counts)),
                (language, "zipf exponent", zipf_exponent(counts)),
                (language, "links that go back", self.crossing[language] / max(1, self.linked[language])),
            ]
        table = pd.DataFrame(rows, columns=["side", "figure", "value"])
        table.insert(0, "domain", self.domain)
        table["value"] = table["value"].astype(float).round(6)
        return table

    def _source(self) -> dict[str, int | float]:
        sentences, tokens = self.lengths.total(), self.words.total()
        mean = tokens / sentences
        variance = sum(count * (length - mean) ** 2 for length, count in self.lengths.items()) / sentences
        figures: dict[str, int | float] = {
            "sentences": sentences,
            "paragraphs": self.counts["paragraphs"],
            "tokens": tokens,
            "vocabulary": len(self.words),
            "type-token ratio": len(self.words) / tokens,
            f"zipf exponent, ranks {ZIPF_RANKS[0]}-{ZIPF_RANKS[1]}": zipf_exponent(self.words),
            "sentence length, mean": mean,
            "sentence length, median": _median(self.lengths),
            "sentence length, standard deviation": variance**0.5,
            "words with two senses, share": self.counts["ambiguous"] / tokens,
            "names, share": self.counts["names"] / tokens,
            "sentences with a passive, share": self.counts["passive"] / sentences,
        }
        subjects = max(1, self.persons.total())
        for person in (1, 2, 3):
            figures[f"subjects of person {person}, share"] = self.persons[person] / subjects
        pronouns = max(1, self.counts["third-person pronouns"])
        figures["antecedents within the sentence, share"] = self.counts["within"] / pronouns
        for relation, offsets in self.offsets.items():
            total = offsets.total()
            offset, count = min(offsets.items(), key=lambda item: (-item[1], item[0])) if offsets else (0, 0)
            figures[f"{relation}, instances"] = total
            figures[f"{relation}, most common offset"] = offset
            figures[f"{relation}, positional baseline"] = count / max(1, total)
        return figures


def _median(lengths: Counter[int]) -> float:
    """The length of the sentence in the middle (the lower one of two)."""
    seen, half = 0, lengths.total() / 2
    for length in sorted(lengths):
        seen += lengths[length]
        if seen >= half:
            return float(length)
    return math.nan
