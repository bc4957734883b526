"""Sentences and their dependency trees in CoNLL-U, read and written as a stream.

The format is that of Universal Dependencies (https://universaldependencies.org/format.html); the `conllu` package
parses the rows. Only syntactic words are kept: multiword tokens (``3-4``) and empty nodes (``5.1``) are skipped.
"""

import logging
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from conllu.exceptions import ParseException
from conllu.models import Metadata, Token, TokenList
from conllu.parser import DEFAULT_FIELD_PARSERS, DEFAULT_FIELDS, parse_comment_line, parse_line

from headwork.corpora.sources.readers import lines
from headwork.errors import InputError

Values = dict[str, str]

_COLUMNS = len(DEFAULT_FIELDS)

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Word:
    """One syntactic word: the columns of its row; None (or an empty dict) where the row says ``_``.

    `head` counts words from 1, and 0 is the root.
    """

    form: str
    lemma: str | None = None
    upos: str | None = None
    xpos: str | None = None
    feats: Values = field(default_factory=dict)
    head: int | None = None
    deprel: str | None = None
    deps: str | None = None
    misc: Values = field(default_factory=dict)


@dataclass(slots=True)
class Sentence:
    """The words of a sentence, its comments (``# key = value``; None for a bare key) and the line it starts at."""

    words: list[Word]
    comments: dict[str, str | None] = field(default_factory=dict)
    line: int | None = field(default=None, compare=False)

    def __len__(self) -> int:
        return len(self.words)

    @property
    def forms(self) -> list[str]:
        """The word forms."""
        return [word.form for word in self.words]

    @property
    def sent_id(self) -> str | None:
        """The comment that names the sentence."""
        return self.comments.get("sent_id")

    @property
    def text(self) -> str:
        """The sentence before tokenisation; without such a comment its words, joined by spaces."""
        return self.comments.get("text") or " ".join(self.forms)


class Block(NamedTuple):
    """The lines of one sentence in a file, from line number `line` (counted from 1)."""

    line: int
    rows: list[str]

    @property
    def forms(self) -> list[str]:
        """The words' forms, without the cost of parsing the rows."""
        columns = (row.split("\t", 2) for row in self.rows)
        return [row[1] for row in columns if row[0].isdigit() and len(row) > 1]


def blocks(path: str | Path) -> Iterator[Block]:
    """The sentences of a CoNLL-U file (plain or compressed) as unparsed blocks.

    Raises InputError if the file is absent, empty, damaged or not UTF-8.
    """
    start, rows = 1, []
    for line, text in lines(Path(path)):
        if text and not text.isspace():
            start = start if rows else line
            rows.append(text)
        elif rows:
            yield Block(start, rows)
            rows = []
    if rows:
        yield Block(start, rows)


def _values(columns: list[str], place: int) -> Values:
    """FEATS or MISC as a dict; unlike the package's own parser it keeps what follows a second ``=``."""
    if columns[place] == "_":
        return {}
    pairs = (part.partition("=") for part in columns[place].split("|") if part)
    return {key: value if equals else "" for key, equals, value in pairs}


def _text(columns: list[str], place: int) -> str | None:
    return None if columns[place] == "_" else columns[place]


_PARSERS = DEFAULT_FIELD_PARSERS | dict.fromkeys(("feats", "misc"), _values)
_PARSERS |= dict.fromkeys(("lemma", "upos", "xpos", "deprel", "deps"), _text)


def _comment(row: str) -> dict[str, str | None]:
    return dict(parse_comment_line(row, {"__fallback__": lambda key, value: (key, value)}))


def parse_block(block: Block, path: str | Path) -> Sentence:
    """The sentence of a block of the file `path`; raises InputError at the first malformed row."""
    sentence = Sentence([], line=block.line)
    for number, row in enumerate(block.rows, start=block.line):
        if row.startswith("#"):
            sentence.comments |= _comment(row)
            continue
        found = row.count("\t") + 1
        if found != _COLUMNS:
            message = f"a row of CoNLL-U has {_COLUMNS} columns with tabs between them; this has {found}"
            raise InputError.at(path, message, number)
        try:
            token = parse_line(row, DEFAULT_FIELDS, _PARSERS)
        except ParseException as error:
            raise InputError.at(path, f"malformed row: {error}", number) from None
        identity = token.pop("id")
        if isinstance(identity, tuple):
            continue
        if identity != len(sentence) + 1:
            message = f"word {len(sentence) + 1} of the sentence should come here, the row says {identity}"
            raise InputError.at(path, message, number)
        if not token["form"]:
            raise InputError.at(path, "the word is empty; write its form into column 2", number)
        sentence.words.append(Word(**token))
    if not sentence.words:
        message = "a sentence without words; remove its comments, or the empty line after them"
        raise InputError.at(path, message, block.line)
    return sentence


def read_conllu(path: str | Path) -> Iterator[Sentence]:
    """The sentences of a CoNLL-U file (plain or compressed), one after the other.

    Raises InputError with file and line for a malformed row, and if the file is absent, empty, damaged or not UTF-8.
    """
    for block in blocks(path):
        yield parse_block(block, path)


def read_trees(path: str | Path) -> Iterator[Sentence]:
    """As `read_conllu`, and every sentence is a tree; raises InputError if one is not (see `check_tree`)."""
    for sentence in read_conllu(path):
        check_tree(sentence, path)
        yield sentence


def whole_trees(
    path: str | Path, sentences: Iterable[Sentence] | None = None, bad: list[str] | None = None
) -> Iterator[Sentence]:
    """The sentences of a treebank (or those given of it) that are trees.

    The log says what is left out, and `bad` gets the reasons. Raises InputError as `read_conllu` does, and the first
    reason if no sentence is a tree.
    """
    bad, trees = [] if bad is None else bad, 0
    for sentence in read_conllu(path) if sentences is None else sentences:
        try:
            check_tree(sentence, path)
        except InputError as error:
            bad.append(str(error))
            log.warning("left out: %s", error)
            continue
        trees += 1
        yield sentence
    if bad and not trees:
        raise InputError(bad[0])


def check_tree(sentence: Sentence, path: str | Path) -> None:
    """Raise InputError unless every word has a head and a relation, one word is the root, and all depend on it."""

    def fault(message: str) -> InputError:
        return InputError.at(path, f"the sentence that starts here is no tree: {message}", sentence.line)

    heads = [word.head for word in sentence.words]
    for number, word in enumerate(sentence.words, start=1):
        if word.head is None or word.deprel is None:
            lacks = "head (column 7)" if word.head is None else "relation (column 8)"
            raise fault(f"word {number}, '{word.form}', has no {lacks}; parse the text first")
        if not 0 <= word.head <= len(heads):
            raise fault(f"word {number}, '{word.form}', has the head {word.head}, which does not exist")
    if heads.count(0) != 1:
        raise fault(f"it has {heads.count(0)} roots (words with head 0); give it exactly one")
    rooted = {0}
    for number in range(1, len(heads) + 1):
        path_up = []
        while number not in rooted:
            if number in path_up:
                circle = path_up[path_up.index(number) :]
                raise fault(f"words {', '.join(map(str, sorted(circle)))} form a cycle; correct their heads")
            path_up.append(number)
            number = heads[number - 1]
        rooted.update(path_up)


def _rows(sentence: Sentence) -> str:
    tokens = [
        Token({"id": number} | {name: getattr(word, name) for name in DEFAULT_FIELDS[1:]})
        for number, word in enumerate(sentence.words, start=1)
    ]
    return TokenList(tokens, Metadata(sentence.comments)).serialize()


_UNWRITABLE = re.compile(r"[\t\r\n]|^$")


def write_conllu(path: str | Path, sentences: Iterable[Sentence]) -> int:
    """Write the sentences to `path` as they come and return how many there were.

    The file gets its name when it is complete; an error leaves nothing behind. Raises InputError for a word that
    CoNLL-U cannot represent (empty, or with a tab or a line end).
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(path.name + ".part")
    count = 0
    try:
        with unfinished.open("w", encoding="utf-8", newline="\n") as file:
            for count, sentence in enumerate(sentences, start=1):
                for form in sentence.forms:
                    if _UNWRITABLE.search(form):
                        message = f"sentence {count} has the word {form!r}, which CoNLL-U cannot hold; clean the text"
                        raise InputError.at(path, message)
                file.write(_rows(sentence))
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
    return count
