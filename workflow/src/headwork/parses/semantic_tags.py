"""Semantic tags of words, by rules from a Universal Dependencies tree and its entities.

The tags are those of universal semantic tagging (Abzianidze & Bos 2017), as far as the tree tells them apart: events
by tense and aspect (``EPS`` in *she left*, ``EXT`` in *she has left*), tenses (``NOW``, ``PST``, ``FUT``), modality
(``NEC``, ``POS``, ``NOT``), quantifiers (``DEF``, ``DIS``, ``AND``, ``QUC``), names by what they name (``PER``,
``GPE``, ``ORG``), and others. They cut across parts of speech: a participle and a past tense that look alike differ,
and so do a definite and an indefinite article.

They replace the gold tags of the Parallel Meaning Bank for texts without these.
"""

from headwork.errors import InputError
from headwork.parses.conllu import Sentence, Word

NAMES = {"PER": "PER", "LOC": "GPE", "ORG": "ORG"}
EVENTS = {"VB": "EXS", "VBP": "ENS", "VBZ": "ENS", "VBD": "EPS", "VBG": "EXG", "VBN": "EXT"}
TENSES = {"VBP": "NOW", "VBZ": "NOW", "VBD": "PST", "VBN": "PFT", "VBG": "PRG"}
MODALS = {"must": "NEC", "should": "NEC", "will": "FUT"}
QUANTIFIERS = {"Def": "DEF", "Art": "DIS", "Ind": "DIS", "Dem": "DXP", "Tot": "AND", "Neg": "NOT"}
PRONOUNS = {"Prs": "PRO", "Rel": "REL", "Int": "QUE", "Dem": "DXP"}
CLASSES = {
    "ADJ": "IST",
    "ADP": "REL",
    "INTJ": "ITJ",
    "NOUN": "CON",
    "NUM": "QUC",
    "PROPN": "PER",
    "SCONJ": "SUB",
}
NIL = "NIL"  # words without a meaning of their own


def semantic_tags(sentence: Sentence) -> list[str]:
    """The tag of each word; raises InputError for a word without a part of speech."""
    for word in sentence.words:
        if word.upos is None:
            raise InputError(
                f"semantic tags: {word.form!r} of {sentence.text!r} has no UPOS; tag the sentence"
            )
    return [_tag(word, sentence) for word in sentence.words]


def _tag(word: Word, sentence: Sentence) -> str:
    kind = word.feats.get("PronType")
    if "Entity" in word.misc:
        return NAMES.get(word.misc["Entity"].partition("-")[2], "NTH")
    if word.feats.get("Poss") == "Yes":
        return "HAS"
    if word.upos == "DET":
        return QUANTIFIERS.get("Def" if word.feats.get("Definite") == "Def" else kind, "DIS")
    if word.upos == "PRON":
        return PRONOUNS.get(kind, "PRO")
    if word.upos == "VERB":
        return EVENTS.get(word.xpos, "EXS")
    if word.upos == "AUX":
        return MODALS.get(word.lemma, "POS") if word.xpos == "MD" else TENSES.get(word.xpos, NIL)
    if word.upos == "ADV":
        of = sentence.words[word.head - 1].upos if word.head else None
        return "INT" if of in ("ADJ", "ADV") else "IST"
    if word.upos == "CCONJ":
        return "BUT" if word.form.lower() == "but" else "COO"
    if word.upos == "PART":
        return "NOT" if word.feats.get("Polarity") == "Neg" else NIL
    if word.upos == "PUNCT":
        return "QUE" if word.form == "?" else NIL
    return CLASSES.get(word.upos, NIL)
