"""The sentences of test sets, in any of the formats in which they are published, compared by letters and digits alone.

Tokenisation, case and punctuation differ between copies of a text, so that two sentences are the same if their
lower-cased letters and digits are (`key`). What is read of a file follows from its name: of CoNLL-U the words of each
sentence; of tables with a word a line the first column; of bracketed trees the leaves; of XML the text of each
``sentence``; of anything else every cell of a line, whole and split into sentences.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path, PurePath
from xml.etree import ElementTree

from headwork.corpora.parallel.splits import hash_of
from headwork.corpora.running_text.sentences import split_sentences
from headwork.corpora.sources.readers import OPENERS, conllu, lines
from headwork.errors import InputError

NOT_COMPARED = re.compile(r"[\W_]+")
CELLS = re.compile(r"\t| \|\|\| ")
LEAF = re.compile(r"\((?!-NONE- )\S+ ([^()\s]+)\)")


def key(sentence: str) -> str:
    """The letters and digits of a sentence, lower-cased."""
    return NOT_COMPARED.sub("", sentence).lower()


def keys(files: Iterable[Path]) -> set[int]:
    """Hashes of the keys of all sentences of these files; raises `InputError` as `lines` does."""
    found = {hash_of(key(sentence)) for path in files for sentence in sentences(path)}
    return found - {hash_of("")}


def sentences(path: Path) -> Iterator[str]:
    """What may be sentences in a file, some of them twice: whole and in parts."""
    inner = PurePath(path.stem if path.suffix in OPENERS else path.name)
    return _reader(inner, path.parent.name)(path)


def _reader(name: PurePath, folder: str) -> Callable[[Path], Iterator[str]]:
    if name.suffix == ".conllu":
        return lambda path: (sentence.text for sentence in conllu(path))
    if name.suffix == ".mrg":
        return lambda path: (" ".join(LEAF.findall(line.text)) for line in lines(path))
    if name.suffix == ".xml":
        return _of_xml
    if name.suffix == ".dp" or name.name == "semcor.tsv" or folder.startswith("conll"):
        return _of_columns
    return _of_cells


def _of_columns(path: Path) -> Iterator[str]:
    words: list[str] = []
    for _, text in lines(path):
        if text.strip() and not text.startswith("# "):
            words.append(re.split(r"[\t ]", text, maxsplit=1)[0])
        elif words:
            yield " ".join(words)
            words = []
    yield " ".join(words)


def _of_xml(path: Path) -> Iterator[str]:
    text = "\n".join(line.text for line in lines(path))
    try:
        root = ElementTree.fromstring(text.encode())
    except ElementTree.ParseError as error:
        raise InputError.at(path, f"the file is not XML ({error}); fetch it again") from error
    return (" ".join(sentence.itertext()) for sentence in root.iter("sentence"))


def _of_cells(path: Path) -> Iterator[str]:
    for _, text in lines(path):
        for cell in {text, *CELLS.split(text)}:
            yield cell
            if len(parts := split_sentences(cell)) > 1:
                yield from parts
