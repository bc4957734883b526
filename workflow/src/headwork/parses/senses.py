"""Sense-annotated text: CoNLL-U with ``Sense=`` in MISC, and SemCor in four formats.

Miller et al. (1993) annotated SemCor in SGML, ``<wf cmd=done lemma=say lexsn=2:32:00:: ...>said</wf>``; NLTK has the
same as XML. Raganato et al. (2017, http://lcl.uniroma1.it/wsdeval) have it, and test sets, as ``<instance id="..."
lemma="say" pos="VERB">said</instance>`` with the senses in ``<name>.gold.key.txt`` beside ``<name>.data.xml``. In
columns (``.tsv``) a word has a row ``said VB say say%2:32:00:: 1`` with tabs between the fields and ``_`` for none, and
an empty line ends the sentence.

All formats are read as CoNLL-U sentences: the sense of a word is ``Sense`` in its MISC, with ``;`` between several
correct senses. A multiword expression has its sense on one word: the first for verbs, the last otherwise.
"""

from collections.abc import Iterator, Mapping, Sequence
from html.parser import HTMLParser
from itertools import chain
from pathlib import Path

from headwork.corpora.sources.readers import OPENERS, format_of, lines
from headwork.errors import InputError
from headwork.parses.conllu import Sentence, Word, blocks, parse_block

SENSE = "Sense"
BETWEEN = ";"
COLUMNS, NONE = 5, "_"  # of a row in the column format; an empty field; the separator of words
DATA, KEYS = ".data.xml", ".gold.key.txt"

# UPOS of SemCor's part-of-speech tags (Penn), by their first letters.
UPOS = {"NN": "NOUN", "VB": "VERB", "JJ": "ADJ", "RB": "ADV", "MD": "VERB"}
# ss_type, the first figure of a lexical sense of WordNet
LEXSN = {"1": "NOUN", "2": "VERB", "3": "ADJ", "4": "ADV", "5": "ADJ"}


def senses_of(word: Word) -> list[str]:
    """The correct senses of a word; [] if it is not annotated."""
    named = word.misc.get(SENSE, "")
    return named.split(BETWEEN) if named else []


def read_senses(
    path: str | Path, keys: str | Path | None = None, within: set[str] | None = None
) -> Iterator[Sentence]:
    """The sentences of a file with annotated senses, by its name CoNLL-U (``.conllu``), columns (``.tsv``) or SemCor.

    `keys` has the senses of instances; by default the file that lies beside. `within`: only sentences whose words,
    with spaces between them, are among these. Raises InputError, with file and line, for a file that is none, for an
    instance without a key, and if no word has a sense.
    """
    path = Path(path)
    forms = {"conllu": _conllu, "tsv": _columns}
    kind = format_of(path)
    read = forms[kind](path, within) if kind in forms else _semcor(path, keys, within)
    annotated = False
    for sentence in read:
        annotated = annotated or any(senses_of(word) for word in sentence.words)
        yield sentence
    if not annotated:
        where = " in the sentences that are wanted" if within is not None else ""
        raise InputError.at(path, f"no word has a sense{where}; annotate it, or leave it out of `senses`")


def _conllu(path: Path, within: set[str] | None) -> Iterator[Sentence]:
    for block in blocks(path):
        if within is None or " ".join(block.forms) in within:
            yield parse_block(block, path)


def _columns(path: Path, within: set[str] | None) -> Iterator[Sentence]:
    words: list[Word] = []
    start = 1
    for number, text in chain(lines(path), [(None, "")]):
        if text.startswith("# "):
            continue
        if text:
            fields = text.split("\t")
            if len(fields) != COLUMNS:
                raise InputError.at(
                    path, f"the row has {len(fields)} tab-separated fields; it must have {COLUMNS}", number
                )
            form, tag, lemma, key, _ = fields
            start = start if words else number
            senses = [] if key == NONE else _with_lemma(key)
            upos = LEXSN.get(senses[0].partition("%")[2][:1]) if senses else None
            words += expression(
                form.split(NONE) if len(form) > 1 else [form], upos or UPOS.get(tag[:2], tag), lemma, senses
            )
        elif words:
            if within is None or " ".join(word.form for word in words) in within:
                yield Sentence(words, line=start)
            words = []


def _with_lemma(key: str) -> list[str]:
    """The senses of ``year%1:28:02::;1:28:01::``, which names the lemma once."""
    lemma, _, senses = key.partition("%")
    return [f"{lemma}%{sense}" for sense in senses.split(BETWEEN)]


def expression(forms: Sequence[str], upos: str | None, lemma: str, senses: Sequence[str]) -> list[Word]:
    """The words of an expression, with its senses on the first word for verbs, else on the last."""
    words = [Word(form, upos=upos) for form in forms if form]
    if senses and words:
        word = words[0 if upos == "VERB" else -1]
        word.lemma, word.misc = lemma.lower(), {SENSE: BETWEEN.join(senses)}
    return words


def _semcor(path: Path, keys: str | Path | None, within: set[str] | None) -> Iterator[Sentence]:
    beside = keys_beside(path)
    if keys is None and beside is not None and beside.is_file():
        keys = beside
    parser = _SemCor(path, None if keys is None else read_keys(keys))
    for line in lines(path):
        parser.feed(line.text + "\n")
        for sentence in parser.finished():
            if within is None or " ".join(sentence.forms) in within:
                yield sentence
    parser.close()
    if parser.inside:
        raise InputError.at(path, "the file ends within a sentence; fetch it again", parser.getpos()[0])


def keys_beside(path: Path) -> Path | None:
    """Where the keys of a ``.data.xml`` lie, plain or compressed; None for another file."""
    plain = path.with_suffix("") if path.suffix in OPENERS else path
    if not plain.name.endswith(DATA):
        return None
    name = plain.name.removesuffix(DATA) + KEYS
    found = [path.with_name(name + ending) for ending in ("", *OPENERS)]
    return next((each for each in found if each.is_file()), found[0])


def read_keys(path: str | Path) -> dict[str, list[str]]:
    """Instance -> its senses, from a file with one instance a line; raises InputError for a line without a sense."""
    keys = {}
    for number, text in lines(Path(path)):
        instance, *senses = text.split() or [""]
        if not senses:
            raise InputError.at(
                path, "a line must have an instance and its senses, separated by spaces", number
            )
        keys[instance] = senses
    return keys


class _SemCor(HTMLParser):
    """Parser of all three formats, by HTML's rules, which accept attributes with and without quotation marks."""

    def __init__(self, path: Path, keys: Mapping[str, list[str]] | None) -> None:
        super().__init__()
        self._path, self._keys = path, keys
        self._words: list[Word] = []
        self._done: list[Sentence] = []
        self._element: dict[str, str] | None = None
        self._text = ""
        self._line = 1
        self.inside = False

    def finished(self) -> Iterator[Sentence]:
        """The sentences that have ended since the last call."""
        while self._done:
            yield self._done.pop(0)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag in ("s", "sentence"):
            self.inside, self._words, self._line = True, [], self.getpos()[0]
        elif tag in ("wf", "instance", "punc"):
            self._element = {"tag": tag} | {name: value or "" for name, value in attributes}
            self._text = ""

    def handle_data(self, data: str) -> None:
        if self._element is not None:
            self._text += data

    def handle_endtag(self, tag: str) -> None:
        if self._element is not None and tag == self._element["tag"]:
            self._add(self._element, self._text.replace("_", " ").split())
            self._element = None
        elif tag in ("s", "sentence") and self.inside:
            self.inside = False
            if self._words:
                self._done.append(Sentence(self._words, line=self._line))

    def _add(self, element: Mapping[str, str], forms: list[str]) -> None:
        if not forms:
            return
        upos, senses = _part_of_speech(element), self._senses(element)
        self._words += expression(
            forms, upos, element.get("lemma", forms[0 if upos == "VERB" else -1]), senses
        )

    def _senses(self, element: Mapping[str, str]) -> list[str]:
        if element["tag"] == "instance":
            name = element.get("id", "")
            if self._keys is None:
                beside = keys_beside(self._path)
                where = beside.name if beside else "`keys`"
                raise InputError.at(
                    self._path,
                    f"the senses of its instances are missing: there is no {where}",
                    self.getpos()[0],
                )
            if name not in self._keys:
                raise InputError.at(
                    self._path, f"the keys have no sense of the instance {name!r}; add it", self.getpos()[0]
                )
            return self._keys[name]
        lemma, senses = element.get("lemma", ""), element.get("lexsn", "")
        if element.get("cmd") != "done" or not lemma or not senses:
            return []
        return [f"{lemma.lower()}%{sense}" for sense in senses.split(BETWEEN)]


def _part_of_speech(element: Mapping[str, str]) -> str | None:
    """The UPOS tag, as needed to identify a lemma; Penn tags are converted."""
    if element["tag"] == "punc":
        return "PUNCT"
    known = LEXSN.get(element.get("lexsn", "")[:1])
    return known or UPOS.get(element.get("pos", "")[:2], element.get("pos") or None)
