"""Genders of the words of the world, for rules that find antecedents."""

from miniature_world.generate import english

GENDERS = {"m": "Masc", "f": "Fem"}


def natural_genders() -> dict[str, str]:
    """The natural gender of nouns and names of the miniature world, by lemma, without ambiguous ones."""
    lexicon = english().lexicon
    found: dict[str, set[str]] = {}
    for lexeme in (*lexicon.of("noun"), *lexicon.of("name")):
        person = lexeme.group in ("human", "given", "surname")
        found.setdefault(lexeme.lemma, set()).add(GENDERS.get(lexeme.natural, "") if person else "Neut")
    return {lemma: min(values) for lemma, values in found.items() if len(values) == 1 and min(values)}
