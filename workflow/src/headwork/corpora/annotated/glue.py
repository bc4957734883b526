"""GLUE tasks in their official file formats (Wang et al. 2019, https://gluebenchmark.com), and shortened copies.

The files are tab-separated tables. They are not quoted, so that a quotation mark is an ordinary character; only QQP is
quoted, with doubled quotation marks inside cells. Labels are identified by their names, never by number. A shortened
copy with the columns sentence1, sentence2 and label is read as well.
"""

import csv
import operator
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from headwork.corpora.sources.local import ENDINGS, file_at
from headwork.corpora.sources.readers import Segment, lines
from headwork.errors import InputError
from headwork.run.frame import Files
from headwork.settings.sentences import spelling


@dataclass(frozen=True)
class Task:
    """One task: its file format and its metrics, of which the first one is reported.

    `columns` are those of the first and the second sentence (None where the task has one), `labels` the names of the
    classes (None for regression), `dev` the development splits, `cells` the labels' values in the files, if not their
    names, `header` the columns of a file that has no head line, and `files` the names of a split's file, the usual one
    first. Cells may be `quoted`. F1 is of the class with the number `positive`.
    """

    name: str
    columns: tuple[str, str | None]
    labels: tuple[str, ...] | None
    metrics: tuple[str, ...]
    dev: tuple[str, ...] = ("dev",)
    label_column: str = "label"
    cells: tuple[str, ...] | None = None
    header: tuple[str, ...] | None = None
    quoted: bool = False
    files: tuple[str, ...] = ("{split}.tsv",)
    positive: int = 1


@dataclass(frozen=True, slots=True)
class Example:
    """One or two sentences and their label's name (a score in regression; None in a test split).

    `index` is the example's place in its file, from 0.
    """

    index: int
    first: str
    second: str | None
    label: str | float | None


PAIR = ("sentence1", "sentence2")
ENTAILMENT = ("entailment", "not_entailment")
BINARY = ("0", "1")
ACCURACY, F1 = ("accuracy",), ("f1", "accuracy")
SCORES = (0.0, 5.0)  # of STS-B

TASKS: dict[str, Task] = {
    task.name: task
    for task in (
        Task("SST-2", ("sentence", None), ("negative", "positive"), ACCURACY, cells=BINARY),
        Task(
            "MRPC",
            ("#1 String", "#2 String"),
            ("not_equivalent", "equivalent"),
            F1,
            label_column="Quality",
            cells=BINARY,
            files=("{split}.tsv", "msr_paraphrase_{split}.txt"),
        ),
        Task("RTE", PAIR, ENTAILMENT, ACCURACY),
        Task(
            "MNLI",
            PAIR,
            ("entailment", "neutral", "contradiction"),
            ACCURACY,
            dev=("dev_matched", "dev_mismatched"),
            label_column="gold_label",
        ),
        Task("QNLI", ("question", "sentence"), ENTAILMENT, ACCURACY),
        Task(
            "QQP",
            ("question1", "question2"),
            ("not_duplicate", "duplicate"),
            F1,
            label_column="is_duplicate",
            cells=BINARY,
            quoted=True,
        ),
        Task("STS-B", PAIR, None, ("pearson", "spearman"), label_column="score"),
        Task(
            "CoLA",
            ("sentence", None),
            ("unacceptable", "acceptable"),
            ("matthews_correlation",),
            cells=BINARY,
            header=("source", "label", "star", "sentence"),
        ),
    )
}


def as_numbered_by(task: Task, classes: Mapping[int, str], model: str) -> tuple[Task, str | None]:
    """The task with its labels in the order in which a `model` numbers its `classes`, and what to note of it.

    Names are compared without case, and without what joins their words; a class may also be called by the cell that
    stands for its label in the files. Names that were never given (``LABEL_0``) are taken in GLUE's order, which is
    noted. Raises `InputError` for another number of classes, and for names that are not the task's.
    """
    theirs = [classes[number] for number in sorted(classes)]
    wanted = 1 if task.labels is None else len(task.labels)
    if len(theirs) != wanted:
        ours = "one score" if task.labels is None else f"{wanted} classes ({', '.join(task.labels)})"
        has = "one score" if len(theirs) == 1 else f"{len(theirs)} classes ({', '.join(theirs)})"
        raise InputError(f"{model} has {has} and {task.name} has {ours}; give a model that was trained on it")
    if task.labels is None:
        return task, None
    if all(re.fullmatch(r"label[_ ]?\d+", name.lower()) for name in theirs):
        order = ", ".join(f"{number} {label}" for number, label in enumerate(task.labels))
        return (
            task,
            f"The model's classes have no names: they were taken in the order of {task.name}, {order}.",
        )
    for names in filter(None, (task.labels, task.cells)):
        numbers = {_plain(name): number for number, name in enumerate(names)}
        found = [numbers.get(_plain(name)) for name in theirs]
        if None not in found and len(set(found)) == wanted:
            pick = operator.itemgetter(*found)
            cells = task.cells and pick(task.cells)
            return replace(
                task, labels=pick(task.labels), cells=cells, positive=found.index(task.positive)
            ), None
    raise InputError(
        f"the classes of {model} are called {', '.join(theirs)}, those of {task.name} {', '.join(task.labels)}; "
        "name them so in its config.json (id2label)"
    )


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "_", name.casefold())


def read_task(folder: str | Path, task: str | Task, split: str) -> Iterator[Example]:
    """The examples of a split, in the order of its file (``<split>.tsv``, plain or compressed).

    Labels may be absent from a split whose name begins with ``test``. Raises `InputError` as `lines` does, for an
    unknown task or label, a missing column, a row with more or fewer cells than the head, and an open quotation mark.
    """
    task = _task(task)
    path = task_file(folder, task, split)
    rows = _rows(path, task)
    head_line, head = (0, list(task.header)) if task.header else next(rows)
    first, second, label = _places(path, task, head_line, head, needs_label=not split.startswith("test"))
    index = -1
    for index, (line, cells) in enumerate(rows):
        if len(cells) != len(head):
            message = (
                f"{len(cells)} cells where {task.name} has {len(head)}, with tabs between them; fix the line"
            )
            raise InputError.at(path, message, line)
        yield Example(
            index,
            cells[first],
            None if second is None else cells[second],
            None if label is None else _label(path, line, task, cells[label]),
        )
    if index < 0:
        raise InputError.at(path, "the file has no example below the header line; fetch it again", head_line)


def _task(task: str | Task) -> Task:
    if isinstance(task, Task):
        return task
    if task not in TASKS:
        raise InputError(f"unknown GLUE task '{task}'; {spelling(task, list(TASKS))}")
    return TASKS[task]


def task_file(folder: str | Path, task: str | Task, split: str) -> Path:
    """The file of a split, plain or compressed. Raises InputError if there is none, and for an unknown task."""
    folder, task = Path(folder), _task(task)
    names = [name.format(split=split) for name in task.files]
    there = [name for name in names if any((folder / (name + ending)).is_file() for ending in ENDINGS)]
    return file_at(folder, (there or names)[0])


def check_header(path: str | Path, task: str | Task) -> None:
    """Raise `InputError` if the first line of a split's file lacks a column of the task; the rest is not read."""
    path, task = Path(path), _task(task)
    if task.header is None:
        line, head = next(_rows(path, task))
        _places(path, task, line, head, needs_label=True)


def _rows(path: Path, task: Task) -> Iterator[tuple[int, list[str]]]:
    """The file's rows: number of the line (from 1) and cells."""
    quoting = csv.QUOTE_MINIMAL if task.quoted else csv.QUOTE_NONE
    with_ends = (segment.text + "\n" for segment in lines(path))  # needed for cells over several lines
    reader = csv.reader(with_ends, delimiter="\t", quoting=quoting, strict=True)
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            remedy = "close its quotation marks, and double those inside a cell" if task.quoted else "fix it"
            raise InputError.at(
                path, f"the row that begins here cannot be read ({error}); {remedy}", line
            ) from error
        if reader.line_num > line:
            message = "a quotation mark is not closed on this line; close it, and double those inside a cell"
            raise InputError.at(path, message, line)
        yield line, cells


def _places(
    path: Path, task: Task, line: int, head: list[str], needs_label: bool
) -> tuple[int, int | None, int | None]:
    """Where first sentence, second sentence and label stand in a row."""
    wanted = [column for column in task.columns if column is not None]
    label = task.label_column
    if not set(wanted) <= set(head) and set(PAIR[: len(wanted)]) <= set(head):
        wanted = list(PAIR[: len(wanted)])
    if label not in head and "label" in head:
        label = "label"
    for column in [*wanted, *([label] if needs_label else [])]:
        if column not in head:
            message = f"no column '{column}', which {task.name} needs; the head has {', '.join(head)}"
            raise InputError.at(path, message, line)
    places = [head.index(column) for column in wanted]
    return places[0], places[1] if len(places) > 1 else None, head.index(label) if label in head else None


def _label(path: Path, line: int, task: Task, cell: str) -> str | float:
    """The label's name, or the score."""
    if task.labels is None:
        try:
            score = float(cell)
        except ValueError:
            score = float("nan")
        if not SCORES[0] <= score <= SCORES[1]:
            message = f"the score {cell!r} is no number from {SCORES[0]:g} to {SCORES[1]:g}; fix the line"
            raise InputError.at(path, message, line)
        return score
    written = task.cells or task.labels
    if cell not in written:
        message = f"unknown label {cell!r}; {task.name} has {', '.join(written)}"
        raise InputError.at(path, message, line)
    return task.labels[written.index(cell)]


def split_mrpc(input: Files, output: Files) -> None:
    """Write MRPC's splits `train` and `dev`, which are published as one file and a list. `pairs` has the head
    Quality, #1 ID, #2 ID, #1 String, #2 String; `dev_ids` has two ids a line.

    Raises `InputError` if a line has too few cells, or if a pair of `dev_ids` is not among the pairs.
    """
    pairs, dev_ids = input.pairs, input.dev_ids
    wanted = {tuple(_cells(dev_ids, line, 2)[:2]) for line in lines(dev_ids)}
    found = set()
    with (
        open(output.train, "w", encoding="utf-8") as rest,
        open(output.dev, "w", encoding="utf-8") as held_out,
    ):
        for line in lines(pairs):
            ids = tuple(_cells(pairs, line, 5)[1:3])
            if line.line == 1:
                rest.write(line.text + "\n")
                held_out.write(line.text + "\n")
            elif ids in wanted:
                found.add(ids)
                held_out.write(line.text + "\n")
            else:
                rest.write(line.text + "\n")
    if found != wanted:
        missing = min(wanted - found)
        raise InputError.at(dev_ids, f"the pair {' '.join(missing)} is not in {pairs}; fetch both again")


def _cells(path: Path, line: Segment, number: int) -> list[str]:
    cells = line.text.split("\t")
    if len(cells) < number:
        raise InputError.at(
            path, f"{len(cells)} cells where there are {number}; fetch the file again", line.line
        )
    return cells
