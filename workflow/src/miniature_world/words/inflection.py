"""Inflection in a target language: gender and case of nominals, forms of verbs with their auxiliaries.

Finite verbs agree with their subject wherever it stands; pronouns take the gender of what they stand for within
the sentence.
"""

from miniature_world.language import Language
from miniature_world.sentence import WorldWord

FORM_OF = {"VB": "infinitive", "VBN": "participle", "VBG": "gerund"}


class Inflection:
    """Inflects the words of a sentence in one language."""

    def __init__(self, language: Language):
        self.language, self.name = language, language.name

    def gender(self, word: WorldWord) -> str:
        """Gender of a noun, a name or what a pronoun stands for (the first gender where that is unknown)."""
        genders = self.language.genders
        while word.form.upos == "PRON":
            natural = word.form.lexeme.natural
            if natural in genders:
                return natural
            if word.antecedent is None:
                return genders[0]
            word = word.antecedent
        return word.form.lexeme.genders[self.name]

    def case(self, word: WorldWord) -> int:
        """Index of the case of a noun phrase: its preposition's, else its verb's or its relation's, else the first."""
        for other in word.dependents:
            if other.relation == "case":
                return self.language.governed(other.form.lexeme)
        if word.relation == "obj":
            return self.language.object_case(word.head.form.lexeme)
        return self.language.case_of.get(word.relation, 0)

    def agreement(self, head: WorldWord, subject: WorldWord | None) -> tuple[str, str, int]:
        """Number, gender and person of the subject; of the first clause's where a second verb shares it."""
        if subject is None:
            subject = head.subject
        if subject is None:
            return "sg", self.language.genders[0], 2
        return subject.number, self.gender(subject), subject.form.person

    def verbs(
        self, head, auxiliaries: list[WorldWord], agreement, active: bool
    ) -> dict[WorldWord, tuple[str, str]]:
        """Stem and ending of the head and its auxiliaries: the first that is said is finite and agrees."""
        language, name = self.language, self.name
        number, gender, person = agreement
        finite = (auxiliaries[0] if auxiliaries else head).form.xpos
        tense = "past" if finite == "VBD" else "present"
        spoken: dict[WorldWord, tuple[str, str]] = {}
        marks, form = "", ""
        for word in auxiliaries:
            group = word.form.lexeme.group
            stem = word.form.lexeme.stems.get(name)
            if stem is None:
                if not (active and group == "be-passive"):
                    marks += language.marks[group]
                if group == "have":
                    tense = language.silent_have_tense
                form = form or FORM_OF.get(word.form.xpos, "")
            elif spoken:
                spoken[word] = stem, language.nonfinite[FORM_OF[word.form.xpos]]
                form = ""
            else:
                spoken[word] = stem, language.finite[tense, number, gender, person]
                form = ""
        stem = head.form.lexeme.stems[name]
        xpos = head.form.xpos
        if head.form.upos == "ADJ":
            ending = language.endings["adjective"][number, gender, 0]
        elif spoken:
            form = form if form else FORM_OF[xpos]
            ending = marks + language.nonfinite[form]
            if (
                form == "participle"
                and language.participles_agree
                and "aux:pass" in [w.relation for w in auxiliaries]
            ):
                ending += language.endings[language.participles_agree][number, gender, 0]
        elif xpos == "VB" and not auxiliaries:
            ending = language.nonfinite["infinitive" if head.relation == "xcomp" else "imperative"]
        else:
            ending = marks + language.finite[tense, number, gender, person]
        spoken[head] = stem, ending
        return spoken
