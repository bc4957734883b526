"""Paragraphs of sentences, from CoNLL-U or text, with disjoint splits.

A corpus of paragraphs is three files, ``{train,dev,test}.txt``: a sentence a line, an empty line after each paragraph.
A paragraph's split depends on a hash of its words alone (see `splits`); equal paragraphs are kept once, and one that is
in test or dev by its source is left out of train.
"""

import logging
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from itertools import compress, groupby
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from headwork.corpora.annotated.glue import read_task, task_file
from headwork.corpora.parallel.cleaning import without_control
from headwork.corpora.parallel.prepare import unfinished, wanted_splits
from headwork.corpora.parallel.splits import KEEP, SPLITS, Members, decide, sentence_hash, split_of
from headwork.corpora.sources import local
from headwork.corpora.sources.locations import Fetched, Places
from headwork.corpora.sources.readers import conllu, format_of, lines
from headwork.errors import InputError
from headwork.run.frame import Files
from headwork.settings.corpora import ParagraphSource, Shares, Text

# Sentence boundaries of a paragraph on one line, needed only for segments of two parts.
MEASURED = Shares.model_construct(dev=0.0, test=1.0, seed=0)  # of a text on which nothing is trained
SENTENCE_END = re.compile(r"(?:(?<=[.!?])|(?<=[.!?][\"'”’)]))\s+(?=[\"'“‘(]? ?[A-ZÀ-ÖØ-Þ0-9])")


class Paragraph(NamedTuple):
    """Sentences that follow each other in a text, and the line the first one stands on (from 1)."""

    line: int
    sentences: list[str]


def paragraphs(path: Path, one_a_line: bool = False) -> Iterator[Paragraph]:
    """The paragraphs of a file, as a stream.

    Of CoNLL-U, what stands between marks ``# newpar`` or ``# newdoc``; of text, sentences a line up to an empty line,
    or, with `one_a_line`, every line that is not empty. Raises `InputError` for CoNLL-U without marks, and as the
    readers do.
    """
    if format_of(path) == "conllu":
        return _from_conllu(path)
    return _one_a_line(path) if one_a_line else _from_text(path)


def _from_text(path: Path) -> Iterator[Paragraph]:
    for empty, group in groupby(lines(path), key=lambda line: not line.text.strip()):
        if not empty:
            segments = list(group)
            yield Paragraph(segments[0].line, [segment.text for segment in segments])


def _one_a_line(path: Path) -> Iterator[Paragraph]:
    for number, text in lines(path):
        if text.strip():
            yield Paragraph(number, SENTENCE_END.split(text.strip()))


def _from_conllu(path: Path) -> Iterator[Paragraph]:
    marks = (number for number, text in lines(path) if text.startswith(("# newpar", "# newdoc")))
    mark = next(marks, None)
    if mark is None:
        raise InputError.at(
            path, "the file has neither `# newpar` nor `# newdoc`, which begin paragraphs; add them"
        )
    begun: Paragraph | None = None
    for sentence in conllu(path):
        if begun is None or sentence.line > mark:
            if begun:
                yield begun
            begun = Paragraph(sentence.line, [])
            while mark < sentence.line:
                mark = next(marks, inf)
        begun.sentences.append(sentence.text)
    if begun:
        yield begun


def write_text(
    input: Files, output: Files, text: Text, downloads: Mapping[str, str], data: str | None = None
) -> None:
    """Prepare a text in the folder of its `table`, paragraphs.csv, beside those of the world and of its tasks.

    `data` is the data folder, `downloads` has the addresses of what is fetched. The inputs are only what must be there.
    """
    folder = output.table.parent
    fetched = Fetched(downloads, folder.parent)
    prepare(
        text, folder, Places(data and Path(data), folder.parent / "world", folder.parent / "tasks", fetched)
    )


def prepare(text: Text, output: Path, places: Places) -> pd.DataFrame:
    """Write ``{train,dev,test}.txt`` and paragraphs.csv (source, split, paragraphs, sentences, words) to `output`.

    Raises `InputError` for input that cannot be used; `output` then holds what it held before.
    """
    own = {source.split for source in text.sources}
    shares = text.splits.beside(own) if text.subwords else MEASURED
    members = {split: Members() for split in SPLITS}
    with unfinished(output) as folder:
        with ExitStack() as stack:
            files = {
                split: stack.enter_context(open(folder / split, "w", encoding="utf-8", newline="\n"))
                for split in SPLITS
            }
            for number, source in enumerate(text.sources):
                for path, line, sentences in _found(source, text.source, places):
                    paragraph = sentence_hash(" ".join(sentences), shares)
                    split = source.split or split_of(paragraph, shares)
                    members[split].add(paragraph, paragraph, line, (number, path, True))
                    files[split].write("\t".join(sentences) + "\n")
        table = _sweep(members, text.limit, list(map(_name, text.sources)), folder)
        wanted = wanted_splits(own, shares) if text.subwords else ["test"]
        for split in sorted(set(wanted) - set(table["split"])):
            raise InputError(
                f"no paragraph is left for {split} (of {int(table['paragraphs'].sum())}); give it more text, a larger "
                "share under `splits`, or, if its lines are paragraphs, `lines: paragraphs`"
            )
        for split in SPLITS:
            os.replace(folder / f"{split}.txt", output / f"{split}.txt")
        table.to_csv(output / "paragraphs.csv", index=False)
    return table


def _found(source: ParagraphSource, language: str, places: Places) -> Iterator[tuple[Path, int, list[str]]]:
    """File, line and cleaned sentences of each paragraph of a source that is long enough."""
    if source.type == "task":
        streams = [_of_task(source, places)]
    else:
        streams = [
            ((path, *paragraph) for paragraph in paragraphs(path, source.lines == "paragraphs"))
            for path in _files(source, language, places)
        ]
    for stream in streams:
        for path, line, sentences in stream:
            sentences = [clean for text in sentences if (clean := without_control(text))]
            if sum(text.count(" ") + 1 for text in sentences) >= source.words:
                yield path, line, sentences


def _of_task(source: ParagraphSource, places: Places) -> Iterator[tuple[Path, int, list[str]]]:
    """The sentences of each training example, without the label; lines are counted from below the head line."""
    task, own = source.task, source.path
    folder = places.folder("data", f"task {task}") / own if own else places.folder("tasks", task) / task
    path = task_file(folder, task, "train")
    for example in read_task(folder, task, "train"):
        yield path, example.index + 1, [text for text in (example.first, example.second) if text]


def _sweep(members: dict[str, Members], limit: int | None, names: list[str], folder: Path) -> pd.DataFrame:
    """Remove the paragraphs that `decide` drops; write the others, a sentence a line, and count them."""
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for split, decisions in decide(members, limit).items():
        keep = decisions == KEEP
        with (
            open(folder / split, encoding="utf-8", newline="\n") as file,
            open(folder / f"{split}.txt", "w", encoding="utf-8", newline="\n") as kept,
        ):
            for index, line in compress(enumerate(file), keep):
                sentences = line.rstrip("\n").split("\t")
                kept.write("\n".join(sentences) + "\n\n")
                source = names[members[split].place(index)[0]]
                row = rows.setdefault(
                    (source, split),
                    {"source": source, "split": split, "paragraphs": 0, "sentences": 0, "words": 0},
                )
                row["paragraphs"] += 1
                row["sentences"] += len(sentences)
                row["words"] += sum(text.count(" ") + 1 for text in sentences)
        logging.info("%s: %d paragraphs, %d left out", split, keep.sum(), (~keep).sum())
    return pd.DataFrame(list(rows.values()), columns=["source", "split", "paragraphs", "sentences", "words"])


def _files(source: ParagraphSource, language: str, places: Places) -> list[Path]:
    """The files of a source."""
    if source.type == "embedded":
        return [places.folder("world", _name(source)) / f"{source.domain}.conllu"]
    if source.type == "local":
        folder = places.folder("data", f"local source '{_name(source)}'")
        return local.files_of_text(folder, source.path, language)
    return [places.fetched.file(source.download, source.member)]


def _name(source: ParagraphSource) -> str:
    """The name of a source in messages and paragraphs.csv."""
    name = source.name or source.domain or source.task or source.path or source.download
    return name if isinstance(name, str) else ", ".join(name)
