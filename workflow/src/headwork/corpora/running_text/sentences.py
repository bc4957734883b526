"""Sentences of English paragraphs, by end marks and Moses' list of abbreviations.

A boundary is white space between an end mark, perhaps with a closing quotation mark, and a capital letter or a digit
(`paragraphs.SENTENCE_END`). There is none after an abbreviation of the list ("Mr.", "Prof.", "J."), after one that
stands before numbers ("No.") if a digit follows, or after single letters with full stops ("U.S."), which are more often
inside a sentence than at its end.
"""

import re
from functools import cache

from headwork.corpora.running_text.paragraphs import SENTENCE_END

LAST_WORD = re.compile(r"([\w.]*)\.$")
LETTERS = re.compile(r"[A-Za-z](\.[A-Za-z])*")
BEFORE_NUMBERS = "#NUMERIC_ONLY#"


def split_sentences(paragraph: str) -> list[str]:
    """The sentences, in their order, without the white space between them."""
    sentences: list[str] = []
    for part in SENTENCE_END.split(paragraph.strip()):
        if sentences and _goes_on(sentences[-1], part):
            sentences[-1] += f" {part}"
        elif part:
            sentences.append(part)
    return sentences


def _goes_on(before: str, after: str) -> bool:
    """Whether the full stop at the end of `before` is that of an abbreviation."""
    found = LAST_WORD.search(before)
    if not found:
        return False
    word, (always, with_numbers) = found[1], _abbreviations()
    return bool(LETTERS.fullmatch(word)) or word in always or (word in with_numbers and after[:1].isdigit())


@cache
def _abbreviations() -> tuple[frozenset[str], frozenset[str]]:
    """Moses' abbreviations of English: those in any place, and those before numbers."""
    from sacremoses.corpus import NonbreakingPrefixes

    words = [word.strip() for word in NonbreakingPrefixes().words("en", ignore_lines_startswith="#")]
    numeric = {word.removesuffix(BEFORE_NUMBERS).strip() for word in words if word.endswith(BEFORE_NUMBERS)}
    return frozenset(word for word in words if not word.endswith(BEFORE_NUMBERS)), frozenset(numeric)
