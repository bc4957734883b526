"""Realisation of a clause as an English sentence with its tree, roles and other gold annotation."""

from miniature_world.annotate import annotate
from miniature_world.english import takes_an
from miniature_world.generate import CLAUSE_ROLES
from miniature_world.lexicon import Lexicon
from miniature_world.sentence import WorldSentence, WorldWord
from miniature_world.tasks.clauses import Adjunct, Clause, NounPhrase, Wording
from miniature_world.tasks.relations import Relations
from miniature_world.words.lexemes import Lexeme

DETERMINER_RELATIONS = {"numeral": "nummod", "possessive": "nmod:poss"}
FORM_AFTER = {"have": "participle"}  # form of the verb behind this auxiliary; the base behind all others
COORDINATORS = frozenset(("and", "but"))
# A question word leaves a gap in what follows it.
GAPS = {
    "nsubj": "S[wq]/(S[dcl]\\NP)",
    "nsubj:pass": "S[wq]/(S[dcl]\\NP)",
    "advmod": "S[wq]/S[q]",
    "obl": "NP",
}


class Realiser:
    """Realises sentences with the forms of a lexicon."""

    def __init__(self, lexicon: Lexicon, relations: Relations):
        self._auxiliaries = {word.group: word for word in lexicon.of("auxiliary")}
        self._particles = {(word.lemma, word.group): word for word in lexicon.of("particle")}
        self._not = lexicon.of("adverb", "negation")[0]
        self._by = lexicon.of("preposition", "agent")[0]
        self._asking = relations.asking
        self._words: list[WorldWord] = []

    def sentence(
        self, clause: Clause, wording: Wording, domain: str = "news", paragraph: int = 1, number: int = 1
    ) -> WorldSentence:
        """The sentence that says the clause in that wording, with its place in the world."""
        self._words = []
        root = WorldWord(None, "root", None)
        if wording.opening:
            self._particle(wording.opening, "INTJ", "discourse", root)
            self._particle(",", "PUNCT", "punct", root)
        if wording.other is not None and wording.other_first:
            self._second(wording, root)
            self._particle(",", "PUNCT", "punct", root)
        self._clause(clause, wording, root)
        if wording.other is not None and not wording.other_first:
            self._second(wording, root)
        if wording.calling is not None:
            self._particle(",", "PUNCT", "punct", root)
            self._put(wording.calling, "sg", "vocative", root)
        self._particle("?" if wording.asks else ".", "PUNCT", "punct", root)
        return self._finished(WorldSentence(domain, paragraph, number, self._words, root))

    # -- words ---------------------------------------------------------------------------------------------------

    def _put(self, lexeme: Lexeme, form: str, relation: str, head: WorldWord) -> WorldWord:
        word = WorldWord(lexeme.forms[form], relation, head)
        word.number = word.form.number
        self._words.append(word)
        return word

    def _particle(self, lemma: str, upos: str, relation: str, head: WorldWord) -> None:
        self._put(self._particles[lemma, upos], "base", relation, head)

    def _phrase(
        self, phrase: NounPhrase, relation: str, head: WorldWord, role: str, preposition: Lexeme | None = None
    ) -> WorldWord:
        noun = WorldWord(phrase.noun.forms[phrase.number], relation, head)
        noun.number = phrase.number
        if preposition is not None:
            self._put(preposition, "base", "case", noun)
            noun.use = preposition.group
        if phrase.determiner is not None:
            self._put(
                phrase.determiner, "base", DETERMINER_RELATIONS.get(phrase.determiner.group, "det"), noun
            )
        for adjective in phrase.adjectives:
            self._put(adjective, "base", "amod", noun)
        self._words.append(noun)
        self._role(noun, role, head)
        return noun

    @staticmethod
    def _role(word: WorldWord, role: str, predicate: WorldWord) -> None:
        if predicate.form.lexeme.kind == "verb":
            word.roles.append((role, predicate))

    def _adjunct(self, adjunct: Adjunct, head: WorldWord) -> None:
        if adjunct.phrase is None:
            self._role(self._put(adjunct.word, "base", "advmod", head), adjunct.role, head)
        else:
            self._phrase(adjunct.phrase, "obl", head, adjunct.role, adjunct.word)

    # -- clauses -------------------------------------------------------------------------------------------------

    def _second(self, wording: Wording, root: WorldWord) -> None:
        verb = WorldWord(None, "conj" if wording.link in COORDINATORS else "advcl", root)
        if wording.link in COORDINATORS:
            self._particle(",", "PUNCT", "punct", verb)
            self._particle(wording.link, "CCONJ", "cc", verb)
        else:
            self._particle(wording.link, "SCONJ", "mark", verb)
            verb.use = CLAUSE_ROLES[wording.link]
        self._clause(wording.other, Wording(), verb)

    def _clause(self, clause: Clause, wording: Wording, root: WorldWord) -> None:
        """Appends one clause; `root`, its highest predicate, gets its form here."""
        predicate = root if clause.control is None else WorldWord(None, "xcomp", root)
        chain, form = self._verb_group(clause, wording)
        root.form = (clause.control or clause.predicate).forms[form]
        predicate.form = root.form if clause.control is None else clause.predicate.forms["base"]
        if (front := clause.part(wording.front) if wording.front else None) is not None:
            self._adjunct(front, root)
            self._particle(",", "PUNCT", "punct", root)
        subject, finite = self._before(clause, wording, chain, root, predicate)
        if clause.middle is not None:
            self._put(clause.middle, "base", "advmod", root)
        if clause.degree is not None:
            self._put(clause.degree, "base", "advmod", root)
        self._words.append(root)
        if clause.control is not None:
            self._particle("to", "PART", "mark", predicate)
            self._words.append(predicate)
            self._role(predicate, "A1", root)
            subject.roles.append(("A0", predicate))
        self._after(clause, wording, front, predicate)
        tense = clause.tense if clause.tense in ("past", "present") else "present"
        finite = finite or root
        forms = finite.form.lexeme.forms
        finite.form = forms.get(f"{tense}-sg", forms[tense]) if subject.number == "sg" else forms[tense]
        root.subject = subject

    def _verb_group(self, clause: Clause, wording: Wording) -> tuple[list[tuple[str, str]], str]:
        """Auxiliaries before the verb as key and relation, and the form of the verb (or adjective) itself."""
        adjective = clause.predicate.kind == "adjective" and clause.control is None
        chain = [] if clause.tense in ("past", "present") else [(clause.tense, "aux")]
        if adjective:
            return [*chain, ("be-copula", "cop")], "base"
        if wording.passive:
            return [*chain, ("be-passive", "aux:pass")], "participle"
        if chain:
            return chain, FORM_AFTER.get(clause.tense, "base")
        inverted = wording.asks and wording.asks != "A0"
        return ([("do", "aux")], "base") if clause.negated or inverted else ([], clause.tense)

    def _before(
        self,
        clause: Clause,
        wording: Wording,
        chain: list[tuple[str, str]],
        root: WorldWord,
        predicate: WorldWord,
    ) -> tuple[WorldWord, WorldWord | None]:
        """Appends everything before the verb; returns the subject and the finite auxiliary, if any."""
        passive, asks = wording.passive, wording.asks
        phrase, role = (clause.object, "A1") if passive else (clause.subject, "A0")
        relation = "nsubj:pass" if passive else "nsubj"
        asked = self._asked(clause, wording, predicate) if asks not in ("", "?", role) else None
        auxiliaries = []
        before = 1 if asks == "?" or asked is not None else 0
        for place, (key, kind) in enumerate(chain):
            form = "present" if place == 0 else FORM_AFTER.get(chain[place - 1][0], "base")
            word = WorldWord(self._auxiliaries[key].forms[form], kind, root)
            if word.form.xpos == "MD" and key != "will":
                self._role(word, "AM-MOD", root)
            auxiliaries.append(word)
        self._words += auxiliaries[:before]
        if asks == role:
            subject = self._question_word(phrase, relation, root, role, "human")
        else:
            subject = self._phrase(phrase, relation, root, role)
        self._words += auxiliaries[before : max(before, 1)]
        if clause.negated:
            self._role(self._put(self._not, "base", "advmod", root), "AM-NEG", root)
        self._words += auxiliaries[max(before, 1) :]
        return subject, auxiliaries[0] if auxiliaries else None

    def _question_word(
        self, phrase: NounPhrase, relation: str, head: WorldWord, role: str, human: str
    ) -> WorldWord:
        is_human = phrase.noun.group in ("human", "given", "surname")
        word = self._put(self._asking[human if is_human else "other"], "base", relation, head)
        self._role(word, role, head)
        return word

    def _asked(self, clause: Clause, wording: Wording, predicate: WorldWord) -> WorldWord:
        """Appends the question word of a question that does not ask for its subject."""
        if wording.asks == "A0":
            case = self._put(self._by, "base", "case", predicate)
            word = self._question_word(clause.subject, "obl", predicate, "A0", "human-object")
            case.head = word
            return word
        if wording.asks == "A1":
            return self._question_word(clause.object, "obj", predicate, "A1", "human-object")
        word = self._put(self._asking[wording.asks], "base", "advmod", predicate)
        self._role(word, wording.asks, predicate)
        return word

    def _after(self, clause: Clause, wording: Wording, front: Adjunct | None, predicate: WorldWord) -> None:
        """Appends objects, agent and adjuncts."""
        if wording.passive:
            if wording.asks != "A0":
                self._phrase(clause.subject, "obl", predicate, "A0", self._by)
        elif clause.object is not None and wording.asks != "A1":
            self._phrase(clause.object, "obj", predicate, "A1")
        for adjunct in clause.adjuncts:
            if adjunct is not front and adjunct.role != wording.asks:
                self._adjunct(adjunct, predicate)

    # -- the whole -----------------------------------------------------------------------------------------------

    def _finished(self, sentence: WorldSentence) -> WorldSentence:
        """Indices, dependents, ``an`` for ``a``, and all annotation that follows from the tree."""
        words = sentence.words
        for index, word in enumerate(words, 1):
            word.index = index
            if word.head is not None:
                word.head.dependents.append(word)
            if word.form.text == "a" and takes_an(words[index].form.text):
                word.form = word.form.lexeme.forms["an"]
        annotate(sentence)
        for word in words:
            if word.form.lexeme.group == "question":
                word.category = GAPS.get(word.relation, word.category)
        return sentence
