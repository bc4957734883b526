"""Writes the corpus: gold CoNLL-U of the English side, translations and alignments, in one pass.

Memory holds only counts, for any number of sentences. Files get their names when they are complete.
"""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO

import pandas as pd

from headwork.run.frame import Files
from headwork.settings.world import World
from miniature_world.generate import generate
from miniature_world.sentence import to_conllu
from miniature_world.summary import Summary
from miniature_world.transfer import read_language, translate


def generate_world(input: Files, output: Files, world: World) -> None:
    """Writes the world into the folder of its `summary` (csv), from the files beside this module."""
    write_world(output.summary.parent, world.sentences, world.seed, world.languages)


def write_world(folder: Path, sentences: dict[str, int], seed: int, languages: Iterable[str]) -> pd.DataFrame:
    """Writes ``<domain>.conllu``, ``<domain>.<language>.txt`` and ``.align`` and ``summary.csv`` into a folder.

    `sentences` says how many for each domain, whose stream is its own. Returns the summary (`summary.Summary.table`).
    """
    compiled = {name: read_language(name) for name in languages}
    folder.mkdir(parents=True, exist_ok=True)
    summaries = []
    for domain, wanted in sentences.items():
        summary = Summary(domain, list(compiled))
        with ExitStack() as files:
            trees = files.enter_context(_complete(folder / f"{domain}.conllu"))
            sides = [
                (
                    language,
                    files.enter_context(_complete(folder / f"{domain}.{name}.txt")),
                    files.enter_context(_complete(folder / f"{domain}.{name}.align")),
                )
                for name, language in compiled.items()
            ]
            for sentence in generate(domain, wanted, seed):
                trees.write(to_conllu(sentence) + "\n")
                summary.add(sentence)
                for language, text, links in sides:
                    tokens, alignment = translate(sentence, language)
                    text.write(" ".join(tokens) + "\n")
                    links.write(" ".join([f"{source}-{target}" for source, target in alignment]) + "\n")
                    summary.add_translation(language.name, tokens, alignment)
        summaries.append(summary.table())
    table = pd.concat(summaries, ignore_index=True)
    with _complete(folder / "summary.csv") as file:
        table.to_csv(file, index=False, lineterminator="\n")
    return table


@contextmanager
def _complete(path: Path) -> Iterator[IO[str]]:
    """A text file that takes its name when it was written to the end, and is removed otherwise."""
    partial = path.with_name(path.name + ".part")
    try:
        with partial.open("w", encoding="utf-8", newline="\n") as file:
            yield file
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
