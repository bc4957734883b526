"""Names of dependency relations in plain words."""

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
    if way == "dependent-to-head":
        return f"attends from {dependent} to its head word"
    return f"attends from a word to its {_bare(dependent)}"


def relation_label(measure: str) -> tuple[str, str, str]:
    """Name, group and explanation of the measure ``relation/direction``."""
    relation, way = measure.split("/")
    called = _bare(NAMES.get(relation, f"a {relation}"))
    forth = way == "dependent-to-head"
    judged = (
        "the word attended to most is the head word"
        if forth
        else "the word that attends most is the head word"
    )
    says = f"Share of words of the relation {relation} for which {judged}; baseline: the best fixed offset."
    return f"{called} → head word" if forth else f"head word → {called}", "Syntax", says


def _bare(name: str) -> str:
    """The name without its article."""
    return name.split(" ", 1)[1]
