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
    """What a head does that is good at ``relation/direction``: "attends from a subject to its head"."""
    relation, way = measure.split("/")
    dependent = NAMES.get(relation, f"a dependent ({relation})")
    return f"attends from {dependent} to its head" if way == "dependent-to-head" else f"attends from a head to {dependent}"


def relation_label(measure: str) -> tuple[str, str, str]:
    """Name, group and explanation of the measure ``relation/direction``."""
    relation, way = measure.split("/")
    to = "→ head" if way == "dependent-to-head" else "← head"
    judged = "its head" if way == "dependent-to-head" else "the dependent"
    says = (
        f"Share of words of the relation {relation} for which the highest weight between words finds {judged}; "
        "baseline: the best fixed offset."
    )
    return f"{relation} {to}", "Syntax", says
