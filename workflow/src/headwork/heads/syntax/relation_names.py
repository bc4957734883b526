"""Names of dependency relations in plain words."""

from headwork.heads.syntax.directions import DEPENDENT_TO_HEAD

NAMES = {
    "nsubj": "a subject", "nsubj:pass": "a passive subject", "csubj": "a clausal subject", "obj": "an object",
    "iobj": "an indirect object", "ccomp": "a clausal complement", "xcomp": "an open complement",
    "advcl": "an adverbial clause", "advmod": "an adverb", "amod": "an adjective", "appos": "an apposition",
    "aux": "an auxiliary", "aux:pass": "a passive auxiliary", "cop": "a copula", "mark": "a subordinating marker",
    "det": "a determiner", "nummod": "a number", "compound": "a compound's first part", "flat": "a name's later part",
    "nmod:poss": "a possessive", "case": "a preposition", "nmod": "a noun's noun modifier", "obl": "an oblique noun",
    "acl": "a noun's clause", "acl:relcl": "a relative clause", "cc": "a conjunction", "conj": "a conjunct",
    "expl": "an expletive", "compound:prt": "a verb's particle",
}  # fmt: skip


def sentence(measure: str) -> str:
    """What an attention head does that is good at ``relation/direction``: "attends from a subject to its head word"."""
    relation, way = measure.split("/")
    dependent = NAMES.get(relation, f"a dependent ({relation})")
    if way == DEPENDENT_TO_HEAD:
        return f"attends from {dependent} to its head word"
    return f"attends from a word to its {_bare(dependent)}"


def label(measure: str) -> str:
    """Name of the measure ``relation/direction``: "subject → head word"."""
    relation, way = measure.split("/")
    called = _bare(NAMES.get(relation, f"a {relation}"))
    return f"{called} → head word" if way == DEPENDENT_TO_HEAD else f"head word → {called}"


def _bare(name: str) -> str:
    """The name without its article."""
    return name.split(" ", 1)[1]
