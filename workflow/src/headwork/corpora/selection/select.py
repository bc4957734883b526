"""Sentences of running text and of lists, parted into train, dev and test by document, none of them of a test set.

The files have no marks between documents (articles, novels), but a bound on the length of a document is known for each
source. A source is cut into stretches of that many lines; what dev and test take comes from whole stretches, drawn at
random, and the stretches beside one that was drawn are left out altogether. So a document that reaches into a drawn
stretch ends in one of its neighbours, and has no sentence in another split. In a list of sentences each line is a
document.

Typographic quotation marks and dashes become those of a typewriter, as in Moses' normalisation of punctuation: teachers
do not know them, and would lose the boundaries of words. Sentences with letters that are not Latin are left out.

Order and draws depend on hashes with the seed: the training sentences stand in a random order in which the first n are
a fair sample of all.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import regex

from headwork.corpora.parallel.cleaning import CONTROL, normalised
from headwork.corpora.parallel.splits import SPLITS, hash_of
from headwork.corpora.running_text.sentences import split_sentences
from headwork.corpora.selection.test_sets import key, keys
from headwork.corpora.sources.local import single_files
from headwork.corpora.sources.readers import lines
from headwork.errors import InputError
from headwork.run.frame import Files
from headwork.run.outputs import write_table
from headwork.settings.corpora import Selection, TextSource

ENGLISH = "en"
LEFT_OUT = (
    "too short",
    "too long",
    "control characters",
    "another script",
    "of a test set",
    "duplicate",
    "near held-out text",
    "beyond the limit",
)

QUOTES = {'"': "“”„‟", "'": "‘’‚‛´`", "-": "‐‑‒–−", " - ": "—―"}
PLAIN = str.maketrans({mark: plain for plain, marks in QUOTES.items() for mark in marks})
ANOTHER_SCRIPT = regex.compile(r"[^\P{L}\p{Latin}]")


class Candidate(NamedTuple):
    """A sentence, the hash of its letters, its source and stretch (numbers), and its split ('' for none)."""

    text: str
    hashed: int
    source: int
    stretch: int
    split: str = ""


def select(input: Files, output: Files, selection: Mapping[str, Any], data: str | Path) -> None:
    """Select sentences. `output`: train, dev and test, a sentence a line, and table (csv).

    `selection` are settings of `Selection`, `data` is the data folder. The table has, for each source, the sentences of
    each split, and how many were left out and why. Raises `InputError` for files that cannot be read, and for a source
    that has too few documents for what is to be held out.
    """
    how, data = Selection.read(selection, "distilled: selection"), Path(data)
    paths = [file for path in how.test_sets for file in single_files(data, path, ENGLISH)]
    forbidden = keys(paths)
    counts: Counter[tuple[int, str]] = Counter()
    seen: set[int] = set()
    found = []
    for number, source in enumerate(how.sources):
        fit = list(_fit(number, source, how, data, forbidden, seen, counts))
        found += parted(fit, source, how.seed)
    chosen = ordered(found, how, counts)
    for split in SPLITS:
        path = getattr(output, split)
        path.parent.mkdir(parents=True, exist_ok=True)
        text = "".join(f"{one.text}\n" for one in chosen[split])
        path.write_text(text, encoding="utf-8", newline="\n")
    write_table(output.table, _table(how.sources, chosen, counts))


def files_of(selection: Selection | Mapping[str, Any], data: Path) -> list[Path]:
    """All files that a selection reads; `InputError` for one that is not there."""
    how = Selection.read(selection, "distilled: selection")
    paths = [source.path for source in how.sources]
    return [file for path in (*paths, *how.test_sets) for file in single_files(data, path, ENGLISH)]


def _fit(
    number: int,
    source: TextSource,
    how: Selection,
    data: Path,
    forbidden: set[int],
    seen: set[int],
    counts: Counter[tuple[int, str]],
) -> Iterator[Candidate]:
    """The sentences of a source that may be taken, in their order: none that was `seen` before, in any source."""
    line = count()
    for path in single_files(data, source.path, ENGLISH):
        for _, text in lines(path):
            stretch = next(line) // source.document
            for part in split_sentences(text) if source.lines == "paragraphs" else [text]:
                sentence = normalised(part.translate(PLAIN))
                words, hashed = sentence.count(" ") + 1, hash_of(key(sentence))
                faults = (
                    words < how.shortest,
                    words > how.longest,
                    bool(CONTROL.search(part)),
                    bool(ANOTHER_SCRIPT.search(part)),
                    hashed in forbidden,
                    hashed in seen,
                )
                if any(faults):
                    counts[number, LEFT_OUT[faults.index(True)]] += 1
                else:
                    seen.add(hashed)
                    yield Candidate(sentence, hashed, number, stretch)


def parted(fit: Iterable[Candidate], source: TextSource, seed: int) -> list[Candidate]:
    """The candidates of a source with their splits; those that stand too near to held-out text have none.

    Raises `InputError` if too few stretches are left to draw from.
    """
    stretches = defaultdict(list)
    for one in fit:
        stretches[one.stretch].append(one)
    drawn = sorted(stretches, key=lambda stretch: hash_of(f"{source.path} {stretch}", seed))
    split_of: dict[int, str] = {}
    held_out = []
    for split in ("test", "dev"):
        wanted = getattr(source, split)
        for stretch in drawn:
            if wanted <= 0:
                break
            beside = {split_of.get(stretch + step, split) for step in (-1, 0, 1)}
            if stretch in split_of or beside != {split}:
                continue
            split_of[stretch] = split
            some = stretches[stretch][: min(source.from_each, wanted)]
            held_out += [one._replace(split=split) for one in some]
            wanted -= len(some)
        if wanted > 0:
            raise InputError(
                f"distilled: {source.path} has too few documents for {split}: {wanted} sentences are lacking; "
                f"lower {split}, or raise from_each"
            )
    near = {stretch + step for stretch in split_of for step in (-1, 0, 1)}
    taken = {one.hashed for one in held_out}
    rest = (one for stretch in stretches.values() for one in stretch if one.hashed not in taken)
    return held_out + [one._replace(split="" if one.stretch in near else "train") for one in rest]


def ordered(
    found: Iterable[Candidate], how: Selection, counts: Counter[tuple[int, str]]
) -> dict[str, list[Candidate]]:
    """The sentences of each split in random order, those for training as many as are wanted."""
    chosen: dict[str, list[Candidate]] = {split: [] for split in SPLITS}
    for one in sorted(found, key=lambda one: (hash_of(str(one.hashed), how.seed), one.hashed)):
        if one.split:
            chosen[one.split].append(one)
        else:
            counts[one.source, "near held-out text"] += 1
    if how.sentences is not None:
        for one in chosen["train"][how.sentences :]:
            counts[one.source, "beyond the limit"] += 1
        del chosen["train"][how.sentences :]
    return chosen


def _table(
    sources: Sequence[TextSource], chosen: Mapping[str, list[Candidate]], counts: Counter[tuple[int, str]]
) -> pd.DataFrame:
    kept = Counter((one.source, split) for split in SPLITS for one in chosen[split])
    return pd.DataFrame(
        [
            {
                "source": source.path,
                **{split: kept[number, split] for split in SPLITS},
                **{reason: counts[number, reason] for reason in LEFT_OUT},
            }
            for number, source in enumerate(sources)
        ]
    )
