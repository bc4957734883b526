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
from typing import TextIO

import numpy as np

from headwork.corpora.parallel.cleaning import EMPTY, Report, fault, normalised, raw_fault, without_control
from headwork.corpora.parallel.splits import (
    DECISIONS,
    KEEP,
    SPLITS,
    Members,
    decide,
    hash_of,
    sentence_hash,
    split_of,
)
from headwork.corpora.parallel.tokenisation import detokeniser, tokenised
from headwork.corpora.sources.locations import Fetched, Places
from headwork.corpora.sources.pairs import Pair
from headwork.corpora.sources.streams import Source, open_sources
from headwork.errors import InputError
from headwork.run.frame import Files
from headwork.settings.corpora import ParallelText, Shares


def write_corpus(
    input: Files,
    output: Files,
    corpus: ParallelText,
    downloads: Mapping[str, str],
    data: str | None = None,
    threads: int = 1,
) -> None:
    """Prepare a corpus in the folder of its `report`, cleaning.csv, beside those of the world and of distilled text.

    `data` is the data folder, `downloads` has the addresses of what is fetched. The inputs are only what must be there.
    """
    folder = output.report.parent
    fetched = Fetched(downloads, folder.parent)
    places = Places(
        data and Path(data), folder.parent / "world", fetched=fetched, distilled=folder.parent / "distilled"
    )
    prepare(corpus, folder, places, threads)


def prepare(corpus: ParallelText, output: Path, places: Places, processes: int = 1) -> Report:
    """Write `<split>.source.txt`, `<split>.target.txt`, reference files for dev and test, and cleaning.csv.

    References are the raw target side, for scores on running text. Raises `InputError` for input that cannot be used;
    `output` then holds what it held before.
    """
    sources = open_sources(corpus, places)
    shares = corpus.splits.beside({source.split for source in sources})
    report = Report(source.name for source in sources)
    with unfinished(output) as folder:
        members = _pass(corpus, sources, shares, report, folder, processes)
        finished = _sweep(members, corpus.limit, report, folder)
        for split in wanted_splits({source.split for source in sources}, shares):
            if not finished[split]:
                raise InputError(
                    f"no pair is left for {split} (of {sum(finished.values())}){report.most_dropped()}; give it more "
                    "text, a larger share under `splits`, or milder `cleaning`"
                )
        report.write(folder / "cleaning.csv")
        for path in sorted(folder.iterdir()):
            os.replace(path, output / path.name)
    for split, pairs in finished.items():
        logging.info("%s: %d pairs", split, pairs)
    return report


def wanted_splits(own: set[str | None], shares: Shares) -> list[str]:
    """The splits that must not be empty: of sources, or those that a source without one (None) is shared among."""
    shared = (
        {"train", *(split for split in ("dev", "test") if getattr(shares, split))} if None in own else set()
    )
    return [split for split in SPLITS if split in own | shared]


@contextmanager
def unfinished(output: Path) -> Iterator[Path]:
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
    corpus: ParallelText,
    sources: list[Source],
    shares: Shares,
    report: Report,
    folder: Path,
    processes: int,
) -> dict[str, Members]:
    languages = (corpus.source, corpus.target)
    running_text = detokeniser(corpus.tokenisation, corpus.target)
    members = {split: Members() for split in SPLITS}
    with _files(folder, ("source", "target", "reference")) as files:
        for number, source in enumerate(sources):
            cleaning = source.cleaning
            fit = _fit_to_tokenise(source, number, report)
            rules = "none" if source.tokenised else corpus.tokenisation
            for pair, ours, theirs in tokenised(fit, rules, *languages, processes):
                found = cleaning and fault(ours, theirs, languages, cleaning)
                if found:
                    report.dropped(number, found, pair.file, pair.line, pair.source)
                    continue
                sentence = sentence_hash(ours, shares)
                split = source.split or split_of(sentence, shares)
                reference = pair.target
                if split != "train" and source.tokenised:
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
        ours, theirs = clean(pair.source), clean(pair.target)
        found = None if ours and theirs else EMPTY
        found = found or (source.cleaning and raw_fault(ours, theirs, source.cleaning))
        if found:
            report.dropped(number, found, pair.file, pair.line, pair.source or pair.target)
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
