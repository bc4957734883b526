"""Preparation of a corpus: one streaming pass that tokenises, cleans and splits, then deduplication.

The pass writes every accepted pair to its split and keeps 20 bytes of it (`splits.Members`). After it, duplicates,
train sentences that are in dev or test, and pairs beyond the limit are known; the sweep removes them. Files get their
names when all are complete.
"""

import logging
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from itertools import compress, product
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from headwork.corpora.parallel.cleaning import EMPTY, Report, normalised, without_control
from headwork.corpora.parallel.splits import DECISIONS, KEEP, SPLITS, Members, Shares, decide, hash_of
from headwork.corpora.parallel.tokenisation import detokeniser, tokenised
from headwork.corpora.sources.locations import Places
from headwork.corpora.sources.pairs import Pair
from headwork.corpora.sources.streams import Source, open_sources
from headwork.errors import InputError
from headwork.settings.options import options


def prepare(corpus: Mapping[str, Any], output: Path, places: Places, processes: int = 1) -> Report:
    """Write `<split>.source.txt`, `<split>.target.txt`, reference files for dev and test, and cleaning.csv.

    `corpus` is its description in the config: source, target (none: monolingual), tokenisation, sources, cleaning,
    splits, limit. References are the raw target side, for scores on running text. Raises `InputError` for input that
    cannot be used; `output` then holds what it held before.
    """
    sources = open_sources(corpus, places)
    shares = _shares(corpus, sources)
    report = Report(source.name for source in sources)
    with _unfinished(output) as folder:
        members = _pass(corpus, sources, shares, report, folder, processes)
        finished = _sweep(members, corpus.get("limit"), report, folder)
        _check_filled(finished, sources, shares)
        report.write(folder / "cleaning.csv")
        for path in sorted(folder.iterdir()):
            os.replace(path, output / path.name)
    for split, pairs in finished.items():
        logging.info("%s: %d pairs", split, pairs)
    return report


def _shares(corpus: Mapping[str, Any], sources: list[Source]) -> Shares:
    """Return the shares by hash: 0 for a split with its own sources, unless the config sets it."""
    explicit = {source.split for source in sources}
    by_default = {split: 0.0 for split in ("dev", "test") if split in explicit}
    return options(Shares, {**by_default, **(corpus.get("splits") or {})}, "splits")


@contextmanager
def _unfinished(output: Path) -> Iterator[Path]:
    """A temporary folder inside `output`, removed at the end in any case."""
    folder = output / ".part"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


@contextmanager
def _files(folder: Path, sides: Sequence[str]) -> Iterator[dict[str, list[TextIO]]]:
    """The open files of each split, in the order of `sides`; train has no reference."""
    with ExitStack() as stack:
        files: dict[str, list[TextIO]] = {split: [] for split in SPLITS}
        for split, side in product(SPLITS, sides):
            if (split, side) != ("train", "reference"):
                path = folder / f"{split}.{side}.txt"
                files[split].append(stack.enter_context(open(path, "w", encoding="utf-8", newline="\n")))
        yield files


def _pass(
    corpus: Mapping[str, Any],
    sources: list[Source],
    shares: Shares,
    report: Report,
    folder: Path,
    processes: int,
) -> dict[str, Members]:
    languages = (corpus["source"], corpus.get("target"))
    name = corpus.get("tokenisation", "none")
    running_text = detokeniser(name, languages[1] or languages[0])
    members = {split: Members() for split in SPLITS}
    with _files(folder, ("source", "target", "reference") if languages[1] else ("source",)) as files:
        for number, source in enumerate(sources):
            cleaning = source.cleaning
            fit = _fit_to_tokenise(source, number, report)
            rules = "none" if source.tokenised else name
            for pair, ours, theirs in tokenised(fit, rules, *languages, processes):
                fault = cleaning and cleaning.fault(ours, theirs, languages)
                if fault:
                    report.dropped(number, fault, pair.file, pair.line, pair.source)
                    continue
                sentence = shares.sentence(ours)
                split = source.split or shares.split_of(sentence)
                reference = pair.target
                if split != "train" and source.tokenised and reference is not None:
                    reference = running_text(reference)
                place = (number, pair.file, cleaning is not None and cleaning.duplicates)
                members[split].add(hash_of(f"{ours}\t{theirs}"), sentence, pair.line, place)
                for file, text in zip(files[split], (ours, theirs, reference), strict=False):
                    file.write(f"{text}\n")
    return members


def _fit_to_tokenise(source: Source, number: int, report: Report) -> Iterator[Pair]:
    """The source's pairs with normal white space, less those with an empty side or damaged text."""
    clean = normalised if source.cleaning else without_control
    for pair in source.pairs():
        ours, theirs = clean(pair.source), None if pair.target is None else clean(pair.target)
        fault = EMPTY if not ours or theirs == "" else None
        fault = fault or (source.cleaning and source.cleaning.raw_fault(ours, theirs))
        if fault:
            report.dropped(number, fault, pair.file, pair.line, pair.source or pair.target or "")
        else:
            yield Pair(ours, theirs, pair.file, pair.line)


def _sweep(members: dict[str, Members], limit: int | None, report: Report, folder: Path) -> dict[str, int]:
    """Remove the pairs that `decide` drops; return the number left in each split."""
    left = {}
    for split, decisions in decide(members, limit).items():
        keep = decisions == KEEP
        left[split] = int(keep.sum())
        for stretch, (number, _, _) in members[split].stretches():
            report.kept(number, split, int(keep[stretch].sum()))
        if keep.all():
            continue
        _report_dropped(members[split], decisions, folder / f"{split}.source.txt", report)
        for path in sorted(folder.glob(f"{split}.*.txt")):
            swept = path.with_suffix(".swept")
            with open(path, "rb") as file, open(swept, "wb") as kept:
                kept.writelines(compress(file, keep))
            os.replace(swept, path)
    return left


def _report_dropped(members: Members, decisions: np.ndarray, text: Path, report: Report) -> None:
    with open(text, "rb") as file:
        dropped = compress(file, decisions != KEEP)
        for index, line in zip(np.flatnonzero(decisions != KEEP), dropped, strict=True):
            number, origin, _ = members.place(int(index))
            report.dropped(number, DECISIONS[decisions[index]], origin, members.lines[index], line.decode())


def _check_filled(left: dict[str, int], sources: list[Source], shares: Shares) -> None:
    """`InputError` if a split that should have pairs has none."""
    wanted = {source.split for source in sources if source.split}
    if None in {source.split for source in sources}:
        wanted |= {"train"} | {split for split in ("dev", "test") if getattr(shares, split)}
    for split in SPLITS:
        if split in wanted and not left[split]:
            raise InputError(
                f"no pair is left for {split} (of {sum(left.values())}); give it more text, a larger share under "
                "`splits`, or milder `cleaning`"
            )
