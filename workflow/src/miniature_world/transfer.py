"""The transfer grammar: translation of an English tree into an invented language, with gold word alignment.

Three steps, all controlled by ``languages/<language>.yaml``. *Inflect* (`inflection`): nouns take the case of their
relation or preposition, adjectives and determiners agree with their noun, finite verbs with their subject wherever it
stands, pronouns with their antecedent. *Order*: the dependents of every head are put into the language's slots. *Link*:
the ending of a word depends on its neighbours in the English sentence, and on the rarest name of the sentence.
"""

from functools import cache
from itertools import zip_longest

from miniature_world.generate import DATA
from miniature_world.language import Language, Links
from miniature_world.sentence import WorldSentence, WorldWord
from miniature_world.words.inflection import Inflection

Said = list[tuple[str, str, WorldWord]]
SUBJECTS = ("nsubj", "nsubj:pass")
END = 99
HEARER_OF = {
    "noun": "nouns",
    "name": "nouns",
    "verb": "verbs",
    "adjective": "modifiers",
    "adverb": "modifiers",
}
KNOWN = frozenset(("demonstrative", "possessive", "reflexive"))
SLOT_OF = {
    "nsubj": "subject",
    "nsubj:pass": "subject",
    "obj": "object",
    "iobj": "recipient",
    "aux": "auxiliary",
    "aux:pass": "auxiliary",
    "cop": "auxiliary",
    "mark": "mark",
    "cc": "cc",
    "discourse": "opening",
    "xcomp": "complement",
    "ccomp": "complement",
    "advcl": "reason",
    "conj": "second",
    "case": "case",
    "det": "determiner",
    "nummod": "numeral",
    "nmod:poss": "possessor",
    "amod": "adjective",
    "compound": "compound",
    "flat": "flat",
    "nmod": "modifier",
    "acl:relcl": "relative",
}
OBLIQUE_SLOTS = {"AM-LOC": "place", "AM-TMP": "time", "agent": "agent", "recipient": "recipient"}


@cache
def read_language(name: str) -> Language:
    """The language of that name, read once."""
    return Language(DATA / "languages" / f"{name}.yaml")


def translate(sentence: WorldSentence, language: str | Language) -> tuple[list[str], list[tuple[int, int]]]:
    """The one translation of a sentence: the target tokens, and the alignment as sorted pairs of source and target
    index, both from 0.
    """
    if isinstance(language, str):
        language = read_language(language)
    said: Said = []
    Transfer(language).clause(sentence.root, said)
    links = _links(sentence, language.links)
    tokens, alignment = [], []
    for stem, ending, word in said:
        ending += links[word.index - 1]
        for token in (f"{ending}-", stem) if ending else (stem,):
            alignment.append((word.index - 1, len(tokens)))
            tokens.append(token)
    return tokens, sorted(alignment)


def _links(sentence: WorldSentence, links: Links) -> list[str]:
    """The additional ending of each English word's translation."""
    words = sentence.words
    sounds = [word.form.text[-1].lower() in links.letters for word in words]
    rarest = rarest_name(sentence)
    endings = []
    for place, word in enumerate(words):
        hearer = HEARER_OF.get(word.form.lexeme.kind, "others")
        ending = links.rarest if word.form.upos != "PUNCT" and links.hears(hearer, rarest) else ""
        if place and sounds[place - 1]:
            ending += links.after
        if sounds[place + 1 : place + 2] == [True]:
            ending += links.before
        endings.append(ending)
    return endings


def rarest_name(sentence: WorldSentence) -> str:
    """The sentence's least frequent name by the lexicon, or ""; no other word is rarer."""
    names = [word.form for word in sentence.words if word.form.lexeme.kind == "name"]
    return min(names, key=lambda form: form.lexeme.frequency).text if names else ""


class Transfer:
    """Translates clauses and noun phrases into one language, appending (stem, ending, English word) in target order."""

    def __init__(self, language: Language):
        self.language, self.name = language, language.name
        self._inflect = Inflection(language)

    # -- clauses -------------------------------------------------------------------------------------------------

    def clause(self, head: WorldWord, said: Said) -> None:
        """Translates a verb or predicate adjective with all its dependents."""
        language = self.language
        subject = agent = thing = mark = None
        auxiliaries = []
        for word in head.dependents:
            relation = word.relation
            if relation in SUBJECTS:
                subject = word
            elif relation == "obj":
                thing = word
            elif relation == "obl":
                if word.use == "agent":
                    agent = word
            elif relation == "mark":
                mark = word
            elif word.form.upos == "AUX":
                auxiliaries.append(word)
        active = agent is not None and language.agent_is_subject
        spoken = self._inflect.verbs(
            head, auxiliaries, self._inflect.agreement(head, agent if active else subject), active
        )
        ranks = self._order(head, thing, subject, agent, mark)
        apart = "prefix" in ranks and "clitic" not in ranks
        places: list[tuple[int, int, WorldWord]] = [(ranks["head"], head.index, head)]
        before = "cc"
        for word, following in zip_longest(head.dependents, head.dependents[1:]):
            slot = self._slot(word, head, subject, ranks)
            if slot == "comma":
                slot = "end" if following is not None and following.relation == "vocative" else before
            before = slot
            places.append((END if slot == "end" else ranks[slot], word.index, word))
        stem, ending = spoken[head]
        front, _, rest = stem.rpartition("|")
        finite = not any(auxiliary in spoken for auxiliary in auxiliaries) and head.form.xpos != "VB"
        if front and apart and finite:
            places.append((ranks["prefix"], 0, head))
        else:
            front, rest = "", front + rest
        places.sort(key=_rank)
        for rank, _, word in places:
            if word is head:
                said.append((front, "", head) if front and rank == ranks["prefix"] else (rest, ending, head))
            elif word.form.upos == "AUX":
                if word in spoken:
                    said.append((*spoken[word], word))
            else:
                self._dependent(word, agent if active else None, said)

    def _order(self, head, thing, subject, agent, mark) -> dict[str, int]:
        for when, ranks in self.language.orders:
            if when == "any":
                return ranks
            if when == "agent":
                if agent is not None:
                    return ranks
            elif when == "main":
                if mark is None and head.relation != "acl:relcl":
                    return ranks
            elif thing is not None and subject is not None and _known(thing):
                return ranks
        raise AssertionError("the last order holds for any clause")

    def _slot(
        self, word: WorldWord, head: WorldWord, subject: WorldWord | None, ranks: dict[str, int]
    ) -> str:
        relation = word.relation
        if relation == "punct":
            return "comma" if word.form.text == "," else "end"
        if relation == "vocative":
            return "end"
        if relation == "advmod":
            group = word.form.lexeme.group
            if group == "sentence" or (
                group != "frequency" and group != "manner" and _fronted(word, subject)
            ):
                return "front"
            return group
        if relation == "obl" or relation == "advcl":
            if _fronted(word, subject):
                return "front"
            return "reason" if relation == "advcl" else OBLIQUE_SLOTS.get(word.use, "company")
        if word.form.upos == "PRON":
            group = word.form.lexeme.group
            if group == "question" or group.startswith("relative"):
                return "question"
            if "clitic" in ranks and (relation == "obj" or relation == "iobj"):
                return "clitic"
        return SLOT_OF[relation]

    def _dependent(self, word: WorldWord, agent: WorldWord | None, said: Said) -> None:
        upos = word.form.upos
        if upos in ("NOUN", "PROPN", "PRON"):
            if agent is not None and (word is agent or word.relation == "nsubj:pass"):
                verb = word.head.form.lexeme
                case = self.language.case_of["nsubj"] if word is agent else self.language.object_case(verb)
                self.nominal(word, case, said, silent_case=word is agent)
            else:
                self.nominal(word, self._inflect.case(word), said)
        elif upos == "VERB" or upos == "ADJ":
            self.clause(word, said)
        else:
            self._particle(word, said)

    def _particle(self, word: WorldWord, said: Said) -> None:
        stem = word.form.lexeme.stems.get(self.name)
        for other in word.dependents:
            self._particle(other, said)
        if stem is not None:
            said.append((stem, "", word))

    # -- noun phrases --------------------------------------------------------------------------------------------

    def nominal(self, head: WorldWord, case: int, said: Said, silent_case: bool = False) -> None:
        """A noun phrase in that case; `silent_case` leaves its preposition unsaid."""
        language, ranks, name = self.language, self.language.nominal, self.name
        lexeme, upos = head.form.lexeme, head.form.upos
        number, gender = head.form.number, self._inflect.gender(head)
        if lexeme.group.startswith("relative"):
            number = head.number
        part = "pronoun" if upos == "PRON" else "noun"
        own = lexeme.stems[name], language.endings[part][number, gender, case], head
        if not head.dependents:
            said.append(own)
            return
        places = [(ranks["head"], head.index, head)]
        for word in head.dependents:
            places.append((ranks[SLOT_OF[word.relation]], word.index, word))
        places.sort(key=_rank)
        for _, _, word in places:
            relation = word.relation
            if word is head:
                said.append(own)
            elif relation == "acl:relcl":
                self.clause(word, said)
            elif relation == "amod":
                self._adjective(word, (number, gender, case), said)
            elif relation in ("det", "nummod", "nmod:poss"):
                stem = word.form.lexeme.stems.get(name)
                if stem is not None:
                    said.append((stem, language.endings["determiner"][number, gender, case], word))
            elif relation == "flat":
                ending = language.endings["noun"][number, gender, case]
                said.append((word.form.lexeme.stems[name], ending, word))
            elif relation == "compound":
                said.append((word.form.lexeme.stems[name], "", word))
            elif relation == "conj":
                self.nominal(word, case, said)
            elif relation == "nmod":
                self.nominal(word, self._inflect.case(word), said)
            elif relation != "case" or not silent_case:
                self._particle(word, said)

    def _adjective(self, word: WorldWord, agreement: tuple[str, str, int], said: Said) -> None:
        for other in word.dependents:
            self._particle(other, said)
        said.append((word.form.lexeme.stems[self.name], self.language.endings["adjective"][agreement], word))


def _rank(place: tuple[int, int, WorldWord]) -> tuple[int, int]:
    return place[:2]


def _fronted(word: WorldWord, subject: WorldWord | None) -> bool:
    return subject is not None and word.index < subject.index


def _known(word: WorldWord) -> bool:
    """Whether a noun phrase is definite: ``this letter``, ``his letter``."""
    return any(other.form.lexeme.group in KNOWN for other in word.dependents)
