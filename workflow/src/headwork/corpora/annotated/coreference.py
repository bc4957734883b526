"""Mentions and their entities, from GAP and from annotated CoNLL-U.

GAP (Webster et al. 2018, https://github.com/google-research-datasets/gap-coreference) has passages of Wikipedia with a
pronoun and two names, of which at most one is its antecedent; other mentions are not annotated. Its text is not
tokenised: words are those of BERT's pre-tokeniser. CoNLL-U has the entity of a phrase in MISC of its head word,
``Coref=3``, which holds within a document (``# newdoc``).
"""

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import conllu
from conllu.exceptions import ParseException
from tokenizers.pre_tokenizers import BertPreTokenizer

from headwork.corpora.sources.readers import Segment, lines
from headwork.errors import InputError

GAP_COLUMNS = [
    "ID",
    "Text",
    "Pronoun",
    "Pronoun-offset",
    "A",
    "A-offset",
    "A-coref",
    "B",
    "B-offset",
    "B-coref",
]
COREFERS = {"TRUE": True, "FALSE": False}
KINDS = {"PRON": "pronoun", "PROPN": "proper"}
NOT_INSIDE = frozenset(("case", "punct", "cc", "mark", "discourse", "vocative"))


class Mention(NamedTuple):
    """The words from `start` up to and without `end`, counted from 0; `head` is among them.

    `entity` is a number within the document, `kind` is pronoun, proper or nominal.
    """

    start: int
    end: int
    head: int
    entity: int
    kind: str


@dataclass(frozen=True)
class Document:
    """A text with annotated mentions; `features` are those of each word in Universal Dependencies, as far as annotated,
    and `sentences` the first word of each sentence, a single 0 if unknown.
    """

    name: str
    words: list[str]
    mentions: tuple[Mention, ...]
    features: list[dict[str, str]] = field(repr=False)
    sentences: tuple[int, ...] = (0,)


def read_gap(path: str | Path, head: str = "last") -> Iterator[Document]:
    """The passages of a GAP file, plain or compressed; entity 0 is the pronoun's.

    The `head` of a name is its ``last`` word (as in English compounds) or its ``first`` (as in UD). Raises `InputError`
    as `lines` does, for a missing column, a row with too many or too few cells, an offset at which the text is not the
    mention, and an answer other than TRUE and FALSE.
    """
    path = Path(path)
    rows = csv.reader(
        (segment.text + "\n" for segment in lines(path)), delimiter="\t", quoting=csv.QUOTE_NONE
    )
    columns = next(rows)
    for column in GAP_COLUMNS:
        if column not in columns:
            raise InputError.at(path, f"no column '{column}'; the head has {', '.join(columns)}", 1)
    for cells in rows:
        if len(cells) != len(columns):
            message = f"{len(cells)} cells where the head has {len(columns)}; fix the line"
            raise InputError.at(path, message, rows.line_num)
        yield _passage(dict(zip(columns, cells, strict=True)), head, path, rows.line_num)


def _passage(row: Mapping[str, str], head: str, path: Path, line: int) -> Document:
    pieces = BertPreTokenizer().pre_tokenize_str(row["Text"])
    mentions = []
    for number, column in enumerate(("Pronoun", "A", "B")):
        start, end = _letters(row, column, path, line)
        words = [place for place, (_, (a, b)) in enumerate(pieces) if a < end and b > start]
        if column == "Pronoun":
            entity, kind = 0, "pronoun"
        else:
            answer = row[f"{column}-coref"]
            if answer not in COREFERS:
                message = f"{column}-coref is {answer!r}, but must be {' or '.join(COREFERS)}"
                raise InputError.at(path, message, line)
            entity, kind = 0 if COREFERS[answer] else number, "proper"
        middle = words[-1] if head == "last" else words[0]
        mentions.append(Mention(words[0], words[-1] + 1, middle, entity, kind))
    return Document(row["ID"], [word for word, _ in pieces], tuple(sorted(mentions)), [{} for _ in pieces])


def _letters(row: Mapping[str, str], column: str, path: Path, line: int) -> tuple[int, int]:
    """The first and last character offsets of the mention."""
    offset, mention = row[f"{column}-offset"], row[column]
    start = int(offset) if offset.isdecimal() else -1
    end = start + len(mention)
    if not mention.strip() or start < 0 or row["Text"][start:end] != mention:
        message = (
            f"{column} is {mention!r}, but something else stands at {column}-offset {offset!r} of the text"
        )
        raise InputError.at(path, message, line)
    return start, end


def read_entities(path: str | Path, genders: Mapping[str, str] | None = None) -> Iterator[Document]:
    """The documents of a CoNLL-U file with entities in MISC, such as the paragraphs of the miniature world.

    A mention is the subtree of its head word, without preposition, conjunction and punctuation; relative pronouns are
    not mentions, as in OntoNotes. `genders` maps lemmas to Gender, for heads of mentions without this feature
    (`miniature_world.genders`). Raises `InputError` as `lines` does, for a malformed row, a document without
    ``# newdoc``, an entity that is no number, and if no word has one.
    """
    path = Path(path)
    open_: list[tuple[int, conllu.TokenList]] = []
    entities = 0
    for line, sentence in _sentences(path):
        if not open_ and "newdoc id" not in sentence.metadata:
            raise InputError.at(path, "no `# newdoc id` before this sentence; entities need documents", line)
        if open_ and "newdoc id" in sentence.metadata:
            yield (document := _document(open_, genders or {}, path))
            entities += len(document.mentions)
            open_ = []
        open_.append((line, sentence))
    if open_:
        yield (document := _document(open_, genders or {}, path))
        entities += len(document.mentions)
    if entities == 0:
        raise InputError.at(path, "no word has an entity; annotate Coref= in MISC, the last column")


def _sentences(path: Path) -> Iterator[tuple[int, conllu.TokenList]]:
    """The sentences of a file, each with the line it begins on."""
    for empty, group in groupby(lines(path), key=lambda segment: not segment.text.strip()):
        if not empty:
            block: list[Segment] = list(group)
            try:
                found = conllu.parse("\n".join(segment.text for segment in block) + "\n\n")
            except ParseException as error:
                message = f"the sentence that begins here is malformed: {error}"
                raise InputError.at(path, message, block[0].line) from error
            yield block[0].line, found[0].filter(id=lambda place: isinstance(place, int))


def _document(
    sentences: list[tuple[int, conllu.TokenList]], genders: Mapping[str, str], path: Path
) -> Document:
    words: list[str] = []
    features: list[dict[str, str]] = []
    starts, mentions = [], []
    for line, sentence in sentences:
        starts.append(len(words))
        for token in sentence:
            known = dict(token["feats"] or {})
            entity = (token["misc"] or {}).get("Coref")
            if entity is not None and known.get("PronType") != "Rel":
                if not entity.isdecimal():
                    message = f"'{token['form']}' has the entity {entity!r}; Coref= must be a number"
                    raise InputError.at(path, message, line)
                if token["lemma"] in genders:
                    known.setdefault("Gender", genders[token["lemma"]])
                places = [starts[-1] + number for number in _phrase(sentence, token["id"])]
                head, kind = starts[-1] + token["id"] - 1, KINDS.get(token["upos"], "nominal")
                mentions.append(Mention(min(places), max(places) + 1, head, int(entity), kind))
            words.append(token["form"])
            features.append(known)
    return Document(sentences[0][1].metadata["newdoc id"], words, tuple(mentions), features, tuple(starts))


def _phrase(sentence: conllu.TokenList, head: int) -> set[int]:
    """Places from 0 of the words of the phrase with that head word."""
    inside, waiting = set(), [head]
    while waiting:
        place = waiting.pop()
        inside.add(place - 1)
        waiting += [
            token["id"]
            for token in sentence
            if token["head"] == place
            and token["id"] - 1 not in inside
            and not (place == head and token["deprel"] in NOT_INSIDE)
        ]
    return inside
