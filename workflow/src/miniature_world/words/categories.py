"""Categories of Combinatory Categorial Grammar, read off a dependency tree of the miniature world.

As in CCGbank: ``S[dcl]\\NP`` for a finite verb without object, ``N/N`` for an adjective, ``(NP\\NP)/NP`` for a
preposition behind a noun. A predicate takes one argument per subject, object and complement of its tree; a modifier's
category gives what it modifies and on which side. Extracted arguments (relative clauses, questions) are included.
"""

from miniature_world.sentence import WorldWord

NOUN_PHRASE = {
    "det": "NP[nb]/N",
    "nmod:poss": "NP[nb]/N",
    "amod": "N/N",
    "nummod": "N/N",
    "compound": "N/N",
    "flat": "N",
}
FINITE = frozenset(("VBD", "VBP", "VBZ", "MD"))
FEATURE = {"VB": "b", "VBG": "ng", "VBN": "pt"}
PREDICATE = "(S\\NP)"
AFTER, BEFORE, FRONT = f"{PREDICATE}\\{PREDICATE}", f"{PREDICATE}/{PREDICATE}", "S/S"
COMPLEMENTS = {"obj": "NP", "iobj": "NP", "xcomp": "(S[to]\\NP)", "ccomp": "S[em]"}


def category(word: WorldWord) -> str:
    """The category of one word; punctuation is its own category and conjunctions are ``conj``."""
    relation, upos = word.relation, word.form.upos
    if relation in NOUN_PHRASE:
        return NOUN_PHRASE[relation]
    if upos == "NOUN" or upos == "PROPN":
        return "N/N" if any(other.relation == "flat" for other in word.dependents) else "N"
    if upos == "PRON":
        return _pronoun(word)
    if upos == "VERB":
        return _verb(word)
    if upos == "AUX":
        return _auxiliary(word)
    if upos == "ADJ":
        return "S[adj]\\NP"
    if upos == "PUNCT":
        return word.form.text
    if upos == "CCONJ":
        return "conj"
    if upos == "INTJ":
        return FRONT
    if upos == "ADP":
        return f"({_adverbial(word.head)})/NP"
    if relation == "mark":
        return _mark(word)
    if relation == "advmod" and word.head.form.upos in ("ADJ", "ADV") and word.lexeme.group == "degree":
        modified = category(word.head)
        return f"({modified})/({modified})"
    return _adverbial(word)


def _adverbial(word: WorldWord) -> str:
    """What a prepositional phrase or adverb yields, by what it stands beside and on which side."""
    if word.relation == "nmod":
        return "NP\\NP"
    head = word.head
    subject = _subject(head)
    if subject is not None and word.index < subject.index < head.index and word.relation != "mark":
        return FRONT
    return BEFORE if word.index < head.index and word.lexeme.group != "negation" else AFTER


def _subject(head: WorldWord) -> WorldWord | None:
    return next((other for other in head.dependents if other.relation.startswith("nsubj")), None)


def _feature(word: WorldWord) -> str:
    xpos = word.form.xpos
    if xpos in FINITE:
        return "dcl"
    if xpos == "VBN" and any(other.relation == "aux:pass" for other in word.dependents):
        return "pss"
    return FEATURE[xpos]


def _verb(word: WorldWord) -> str:
    seeks = [COMPLEMENTS[other.relation] for other in word.dependents if other.relation in COMPLEMENTS]
    found = f"S[{_feature(word)}]\\NP"
    for wanted in seeks[::-1]:
        found = f"({found})/{wanted}"
    return found


def _auxiliary(word: WorldWord) -> str:
    head = word.head
    following = [other for other in head.dependents if other.form.upos == "AUX" and other.index > word.index]
    own = "adj" if head.form.upos == "ADJ" else _feature(head)
    feature = _feature_of(following[0]) if following else own
    inner = f"(S[{feature}]\\NP)"
    subject = _subject(head)
    if subject is not None and word.index < subject.index:
        return f"(S[q]/{inner})/NP"
    return f"(S[{_feature_of(word)}]\\NP)/{inner}"


def _feature_of(auxiliary: WorldWord) -> str:
    return "dcl" if auxiliary.form.xpos in FINITE else FEATURE[auxiliary.form.xpos]


def _mark(word: WorldWord) -> str:
    if word.lexeme.lemma == "to":
        return "(S[to]\\NP)/(S[b]\\NP)"
    clause = word.head
    if clause.relation == "ccomp":
        return "S[em]/S[dcl]"
    return f"({FRONT if clause.index < clause.head.index else AFTER})/S[dcl]"


def _pronoun(word: WorldWord) -> str:
    group = word.lexeme.group
    if group.startswith("relative"):
        return "(NP\\NP)/(S[dcl]/NP)" if word.relation == "obj" else "(NP\\NP)/(S[dcl]\\NP)"
    return "S[wq]/(S[q]/NP)" if group == "question" else "NP"
