"""UPOS accuracy, UAS and LAS of parses against gold trees of the same sentences.

As in the CoNLL 2018 shared task with gold tokens: over all words, punctuation included. LAS compares relations by
their main label (``nsubj`` of ``nsubj:pass``); `las_subtypes` by the whole label.
"""

import json
from collections.abc import Iterable
from itertools import zip_longest
from pathlib import Path

from headwork.errors import InputError
from headwork.parses.conllu import Sentence, read_trees
from headwork.run.frame import Files
from headwork.settings.parses import main_label


def score_parses(
    gold: Iterable[Sentence],
    parsed: Iterable[Sentence],
    gold_name: str | Path = "gold",
    parsed_name: str | Path = "parsed",
) -> dict[str, float | int]:
    """``sentences`` and ``words`` (counts), and the shares ``upos``, ``uas``, ``las`` and ``las_subtypes`` of words.

    Raises InputError if the two are not of the same sentences, and if there are none; names say which files.
    """
    sentences = words = upos = uas = las = las_subtypes = 0
    for ours, theirs in zip_longest(gold, parsed):
        if ours is None or theirs is None:
            longer, shorter = (gold_name, parsed_name) if theirs is None else (parsed_name, gold_name)
            raise InputError.at(
                longer,
                f"it has more sentences than {shorter}, which ends after {sentences}; score the same text",
            )
        if ours.forms != theirs.forms:
            where = "" if theirs.line is None else f" (line {theirs.line})"
            message = (
                f"sentence {sentences + 1} has other words than in {parsed_name}{where}; score the same text"
            )
            raise InputError.at(gold_name, message, ours.line)
        sentences += 1
        for right, found in zip(ours.words, theirs.words, strict=True):
            words += 1
            upos += right.upos == found.upos
            if right.head == found.head:
                uas += 1
                las += main_label(right.deprel) == main_label(found.deprel)
                las_subtypes += right.deprel == found.deprel
    if not words:
        raise InputError.at(gold_name, "the file has no sentences; give a file with trees")
    shares = {"upos": upos, "uas": uas, "las": las, "las_subtypes": las_subtypes}
    return {"sentences": sentences, "words": words} | {name: right / words for name, right in shares.items()}


def score_files(input: Files, output: Files) -> None:
    """Score the trees `parsed` (CoNLL-U) against those of `gold`, and write the `scores` as JSON."""
    result = score_parses(read_trees(input.gold), read_trees(input.parsed), input.gold, input.parsed)
    output.scores.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
