"""Annotation derived from a finished tree: base phrases, named entities and CCG categories."""

from miniature_world.sentence import WorldSentence, WorldWord
from miniature_world.words import categories

INSIDE_NOUN_PHRASE = frozenset(("det", "amod", "nummod", "nmod:poss", "compound", "flat"))
CHUNK_OF = {"ADP": "PP", "SCONJ": "SBAR", "INTJ": "INTJ", "ADV": "ADVP", "ADJ": "ADJP"}
ENTITIES = {"given": "PER", "surname": "PER", "place": "LOC"}


def annotate(sentence: WorldSentence) -> None:
    """Fills `chunk`, `name` and `category` of every word, in place."""
    previous: tuple[str, WorldWord | None] = ("", None)
    for word in sentence.words:
        kind, phrase = _chunk(word, previous)
        if kind:
            word.chunk = ("I-" if previous == (kind, phrase) else "B-") + kind
        previous = (kind, phrase)
        if word.form.upos == "PROPN":
            _name(word)
        word.category = categories.category(word)


def _chunk(word: WorldWord, previous: tuple[str, WorldWord | None]) -> tuple[str, WorldWord | None]:
    """The base phrase a word belongs to, as kind and head; an adverb behind an auxiliary is in the VP (CoNLL-2000)."""
    upos, relation, head = word.form.upos, word.relation, word.head
    if relation in INSIDE_NOUN_PHRASE:
        return "NP", head
    if upos in ("NOUN", "PROPN", "PRON"):
        return "NP", word
    if upos in ("VERB", "AUX"):
        return "VP", head if upos == "AUX" else word
    if upos in ("ADV", "PART"):
        if relation == "mark":
            return "VP", head
        if head.relation == "amod":
            return "NP", head.head
        if previous == ("VP", head) and word.index < head.index and word.lexeme.group != "degree":
            return "VP", head
        if word.lexeme.group == "degree":
            return ("ADJP" if head.form.upos == "ADJ" else "ADVP"), head
        return "ADVP", word
    kind = CHUNK_OF.get(upos, "")
    return kind, word if kind else None


def _name(word: WorldWord) -> None:
    if word.relation == "compound":
        word.name, word.head.name = "B-ORG", "I-ORG"
    elif word.relation == "flat":
        word.name = "I-PER"
    else:
        word.name = "B-" + ENTITIES[word.lexeme.group]
