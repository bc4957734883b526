"""Train and dev part of a treebank for parser training, sampled from CoNLL-U files.

A hash of a sentence's words decides whether it is kept and whether it is in dev. Thus the order of files and sentences
does not matter, and no sentence is in both parts; without dev files two that differ only in case may be.
"""

from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from heapq import nsmallest
from pathlib import Path
from typing import NamedTuple

from headwork.corpora.sources.readers import lines
from headwork.errors import InputError
from headwork.parses.conllu import Block, Sentence, blocks, check_tree, parse_block, write_conllu
from headwork.parses.tokens import line_of
from headwork.run.frame import Files
from headwork.settings.parses import Treebank

Paths = Sequence[str | Path]


class Size(NamedTuple):
    """How many sentences and words a part of a treebank has."""

    sentences: int
    words: int


def _place(forms: Sequence[str], purpose: str) -> float:
    """A number in [0, 1) that depends only on the words and the purpose; purposes are independent."""
    digest = blake2b(" ".join(forms).encode(), digest_size=8, person=purpose.encode()).digest()
    return int.from_bytes(digest, "big") / 2**64


def _drawn(paths: Paths, limit: int | None, wanted: Callable[[list[str]], bool]) -> list[tuple[int, Block]]:
    """`limit` blocks (all, if None) whose words are `wanted`, with the number of their file, in the files' order."""
    candidates = (
        (_place(forms, "size"), number, block.line, block)
        for number, path in enumerate(paths)
        for block in blocks(path)
        if wanted(forms := block.forms)
    )
    # memory holds only the chosen blocks; file and line make the order total
    chosen = candidates if limit is None else nsmallest(limit, candidates, key=lambda each: each[:3])
    return [(number, block) for _, number, _, block in sorted(chosen, key=lambda each: each[1:3])]


def _write(path: str | Path, paths: Paths, drawn: Sequence[tuple[int, Block]]) -> Size:
    words = 0

    def sentences() -> Iterator[Sentence]:
        nonlocal words
        for number, block in drawn:
            sentence = parse_block(block, paths[number])
            check_tree(sentence, paths[number])
            for word, row in enumerate(sentence.words, start=1):
                if row.upos is None:
                    message = (
                        f"word {word} of the sentence that starts here, '{row.form}', has no UPOS (column 4)"
                    )
                    raise InputError.at(paths[number], f"{message}; tag the treebank", block.line)
            words += len(sentence)
            yield sentence

    return Size(write_conllu(path, sentences()), words)


def gather(
    train: Paths,
    dev: Paths,
    train_to: str | Path,
    dev_to: str | Path,
    *,
    dev_share: float = 0.1,
    sentences: int | None = None,
    dev_sentences: int | None = None,
    kept_out: Paths = (),
) -> dict[str, Size]:
    """Write the train and dev parts of a treebank and return their sizes.

    `train` and `dev` are CoNLL-U files. Without `dev` files, `dev_share` of the sentences of `train` become dev.
    `sentences` and `dev_sentences` limit the parts (None: all there are). The lines of the text files `kept_out`
    (tokens separated by spaces) are in neither part, regardless of case, so that a parser is scored on unseen text.

    Raises InputError for a malformed row, a sentence that is no tree or has no tags, and an empty part.
    """
    unseen = {text.casefold() for path in kept_out for _, text in lines(Path(path))}

    def free(forms: list[str]) -> bool:
        return line_of(forms).casefold() not in unseen

    if dev:
        dev_drawn = _drawn(dev, dev_sentences, free)
        unseen |= {line_of(block.forms).casefold() for _, block in dev_drawn}
        train_drawn = _drawn(train, sentences, free)
    else:

        def for_dev(forms: list[str]) -> bool:
            return _place(forms, "dev") < dev_share

        dev_drawn = _drawn(train, dev_sentences, lambda forms: free(forms) and for_dev(forms))
        train_drawn = _drawn(train, sentences, lambda forms: free(forms) and not for_dev(forms))
    for part, drawn, paths in (("train", train_drawn, train), ("dev", dev_drawn, dev or train)):
        if not drawn:
            names = ", ".join(map(str, paths)) or "no file"
            raise InputError(
                f"{names}: no sentence is left for the {part} part of the treebank; give more trees"
            )
    return {
        "train": _write(train_to, train, train_drawn),
        "dev": _write(dev_to, dev or train, dev_drawn),
    }


def write_treebank(input: Files, output: Files, treebank: Treebank) -> None:
    """Write the parts of a treebank, `train` and `dev` (CoNLL-U), from the CoNLL-U files `train` and, if any, `dev`.

    No line of the texts `held_out`, if any, is in either.
    """
    held_out = input.held_out if "held_out" in input else []
    sizes = {"sentences": treebank.sentences, "dev_sentences": treebank.dev_sentences}
    gather(input.train, input.dev, output.train, output.dev, kept_out=held_out, **sizes)
