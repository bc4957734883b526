"""Regular English inflection: from a lemma to its forms with Penn tags and Universal features."""

from miniature_world.words.lexemes import Form, Lexeme

VOWELS = frozenset("aeiou")
NUMBER = {"sg": "Number=Sing", "pl": "Number=Plur"}


def _s(stem: str) -> str:
    """Plural of a noun, third person of a verb."""
    if stem.endswith(("s", "x", "ch", "sh", "z")):
        return stem + "es"
    if stem.endswith("y") and stem[-2] not in VOWELS:
        return stem[:-1] + "ies"
    return stem + "s"


def _doubles(stem: str) -> bool:
    """Whether the last consonant is doubled before a vowel: one syllable, one vowel, one consonant."""
    return (
        stem[-1] not in VOWELS | set("wxy")
        and len(stem) > 2
        and stem[-2] in VOWELS
        and stem[-3] not in VOWELS
        and sum(letter in VOWELS for letter in stem) == 1
    ) or stem.endswith("begin")


def _ed(stem: str) -> str:
    if stem.endswith("e"):
        return stem + "d"
    if stem.endswith("y") and stem[-2] not in VOWELS:
        return stem[:-1] + "ied"
    return stem + stem[-1] * _doubles(stem) + "ed"


def _ing(stem: str) -> str:
    if stem.endswith("e") and not stem.endswith("ee"):
        return stem[:-1] + "ing"
    return stem + stem[-1] * _doubles(stem) + "ing"


def noun(lexeme: Lexeme, plural: str = "") -> dict[str, Form]:
    """Singular and plural of a common noun."""
    texts = {"sg": (lexeme.lemma, "NN"), "pl": (plural or _s(lexeme.lemma), "NNS")}
    return {
        number: Form(text, "NOUN", tag, NUMBER[number], lexeme, number)
        for number, (text, tag) in texts.items()
    }


def verb(lexeme: Lexeme, past: str = "", participle: str = "") -> dict[str, Form]:
    """The forms of a verb: base, present (``present-sg`` is the third person singular), past, participle, gerund."""
    lemma = lexeme.lemma
    past = past or _ed(lemma)
    table = {
        "base": (lemma, "VB", "VerbForm=Inf"),
        "imperative": (lemma, "VB", "Mood=Imp|VerbForm=Fin"),
        "present": (lemma, "VBP", "Mood=Ind|Tense=Pres|VerbForm=Fin"),
        "present-sg": (_s(lemma), "VBZ", "Mood=Ind|Number=Sing|Person=3|Tense=Pres|VerbForm=Fin"),
        "past": (past, "VBD", "Mood=Ind|Tense=Past|VerbForm=Fin"),
        "participle": (participle or past, "VBN", "Tense=Past|VerbForm=Part"),
        "gerund": (_ing(lemma), "VBG", "Tense=Pres|VerbForm=Part"),
    }
    return {name: Form(text, "VERB", tag, feats, lexeme) for name, (text, tag, feats) in table.items()}


def auxiliary(row: dict[str, str], lexeme: Lexeme) -> dict[str, Form]:
    """The forms of an auxiliary; ``am/is/are`` are first singular, third singular and the rest, ``-`` is none."""
    feats = {
        "base": ("VB", "VerbForm=Inf"),
        "participle": ("VBN", "Tense=Past|VerbForm=Part"),
        "gerund": ("VBG", "Tense=Pres|VerbForm=Part"),
    }
    forms = {
        name: Form(row[name], "AUX", tag, feat, lexeme)
        for name, (tag, feat) in feats.items()
        if row[name] != "-"
    }
    modal = row["base"] == "-"
    present = row["present"].split("/")
    first, third, rest = present if len(present) == 3 else (present[0], present[-1], present[0])
    if modal:
        form = Form(first, "AUX", "MD", "VerbForm=Fin", lexeme)
        return {"base": form, "present": form, "present-sg": form, "present-i": form}
    finite = "Mood=Ind|{}Tense={}|VerbForm=Fin"
    forms["present"] = Form(rest, "AUX", "VBP", finite.format("", "Pres"), lexeme)
    forms["present-i"] = Form(first, "AUX", "VBP", finite.format("Number=Sing|Person=1|", "Pres"), lexeme)
    forms["present-sg"] = Form(third, "AUX", "VBZ", finite.format("Number=Sing|Person=3|", "Pres"), lexeme)
    singular, plural = (row["past"].split("/") * 2)[:2]
    forms["past"] = Form(plural, "AUX", "VBD", finite.format("", "Past"), lexeme)
    forms["past-sg"] = Form(singular, "AUX", "VBD", finite.format("", "Past"), lexeme)
    return forms


def takes_an(following: str) -> bool:
    """Whether the indefinite article before that word is ``an``."""
    return (
        following[0] in "aeiouAEIO" and not following.startswith(("uni", "use", "eu", "one"))
    ) or following == "honest"


def determiner(text: str, number: str, lexeme: Lexeme) -> Form:
    """An article, demonstrative, quantifier, numeral or possessive."""
    group = lexeme.group
    if group == "numeral":
        return Form(text, "NUM", "CD", "NumType=Card", lexeme, "pl")
    if group in ("possessive", "reflexive"):
        return Form(text, "PRON", "PRP$", "Case=Gen|Poss=Yes|PronType=Prs", lexeme, number)
    kind = {"article": "Art", "demonstrative": "Dem"}.get(group, "Ind" if lexeme.lemma == "some" else "Tot")
    parts = ([f"Definite={'Def' if lexeme.definite else 'Ind'}"] if group == "article" else []) + (
        [NUMBER[number]] if group == "demonstrative" else []
    )
    return Form(text, "DET", "DT", "|".join([*parts, f"PronType={kind}"]), lexeme, number)


def pronoun(text: str, case: str, person: int, number: str, lexeme: Lexeme) -> Form:
    """A personal, relative or interrogative pronoun."""
    if lexeme.group.startswith("relative"):
        return Form(
            text, "PRON", "WDT" if text in ("which", "that") else "WP", "PronType=Rel", lexeme, number
        )
    if lexeme.group == "question":
        return Form(text, "PRON", "WP", "PronType=Int", lexeme, number)
    gender = {"male": "Gender=Masc", "female": "Gender=Fem", "thing": "Gender=Neut"}.get(lexeme.group)
    feats = [
        f"Case={'Nom' if case == 'subject' else 'Acc'}",
        gender,
        None if lexeme.group == "hearer" else NUMBER[number],
        f"Person={person}",
        "PronType=Prs",
    ]
    return Form(text, "PRON", "PRP", "|".join(filter(None, feats)), lexeme, number, person)
