"""Sentences with a tag for each word, from treebanks and column files.

    treebank    CoNLL-U: a column (`upos`, `xpos`), an annotation in MISC (`chunk`, `entity`), or tags that follow from
                the tree (`semantic`)
    columns     a word a row, its tags in further columns, an empty line after each sentence: CoNLL-2000, CoNLL-2003,
                or two cells with a tab between them

Phrase tags are converted to IOB2: B- begins each phrase. CoNLL-2003 is IOB1, where B- only separates adjacent phrases.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from headwork.corpora.sources.readers import lines
from headwork.errors import InputError
from headwork.parses.conllu import Sentence, Word, read_conllu
from headwork.parses.semantic_tags import semantic_tags

OUTSIDE = "O"


@dataclass(frozen=True, slots=True)
class Tagged:
    """The words of a sentence, a tag for each, and the line the sentence begins on."""

    words: list[str]
    tags: list[str]
    line: int | None = None

    def __len__(self) -> int:
        return len(self.words)


def _each(tag: Callable[[Word], str | None]) -> Callable[[Sentence], list[str | None]]:
    return lambda sentence: [tag(word) for word in sentence.words]


OF_TREES: dict[str, Callable[[Sentence], list[str | None]]] = {
    "upos": _each(lambda word: word.upos),
    "xpos": _each(lambda word: word.xpos),
    "chunk": _each(lambda word: word.misc.get("Chunk", OUTSIDE)),
    "entity": _each(lambda word: word.misc.get("Entity", OUTSIDE)),
    "semantic": semantic_tags,
}


def read_treebank_tags(path: str | Path, tag: str) -> Iterator[Tagged]:
    """The sentences of a CoNLL-U file with the tags `tag`, one of `OF_TREES`.

    Raises InputError with file and line for a word without one, and for a treebank in which no word has such an
    annotation.
    """
    if tag not in OF_TREES:
        raise InputError(f"tags: a treebank has no tags {tag!r}; it may have {', '.join(OF_TREES)}")
    inside = False
    for sentence in read_conllu(path):
        tags = OF_TREES[tag](sentence)
        if None in tags:
            word = sentence.words[tags.index(None)].form
            raise InputError.at(
                path, f"{word!r} of the sentence that starts here has no {tag}; tag the text", sentence.line
            )
        inside = inside or any(each != OUTSIDE for each in tags)
        yield Tagged(["".join(form.split()) for form in sentence.forms], tags, sentence.line)
    if not inside:
        raise InputError.at(path, f"no word of the treebank has a tag of the kind {tag!r}; give another file")


def read_columns(
    path: str | Path, column: int = 2, scheme: str = "iob2", separator: str | None = None
) -> Iterator[Tagged]:
    """The sentences of a column file; the word is in column 1, its tag in column `column`.

    `separator` parts columns (None: any white space). Rows of ``-DOCSTART-`` are left out. Raises
    InputError with file and line for a row whose columns are not as many as the first row's, or that has no tag.
    """
    words: list[str] = []
    tags: list[str] = []
    start = width = 0
    for number, text in lines(Path(path)):
        if not text.strip():
            if words:
                yield Tagged(words, _iob2(tags, scheme), start)
            words, tags = [], []
            continue
        cells = text.split(separator)
        width = width or len(cells)
        if len(cells) != width or not all(cells):
            message = f"{_columns(len(cells))} where the rows before have {width}: correct the row"
            raise InputError.at(path, message, number)
        if not 1 < column <= width:
            raise InputError.at(
                path, f"the row has {_columns(width)}, but the tag is asked for in column {column}", number
            )
        if cells[0] == "-DOCSTART-":
            continue
        start = start if words else number
        words.append("".join(cells[0].split()))
        tags.append(cells[column - 1])
    if words:
        yield Tagged(words, _iob2(tags, scheme), start)


def _columns(count: int) -> str:
    return "1 column" if count == 1 else f"{count} columns"


def _iob2(tags: list[str], scheme: str) -> list[str]:
    """Return the tags as IOB2; other tags are unchanged."""
    if scheme == "iob2":
        return tags
    before = [OUTSIDE, *tags[:-1]]
    return [
        f"B-{own[2:]}" if own.startswith("I-") and own[2:] != last[2:] else own
        for own, last in zip(tags, before, strict=True)
    ]
