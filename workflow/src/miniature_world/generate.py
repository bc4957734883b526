"""English sentences of the miniature world, in paragraphs with recurring entities.

Sentences are sampled from the compiled grammar: the head of a phrase first, which restricts its arguments, then the
items in English order. Equal seeds give equal sentences, and a larger number extends a smaller one.
"""

import random
from bisect import bisect
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from miniature_world.annotate import annotate
from miniature_world.discourse import Discourse
from miniature_world.english import takes_an
from miniature_world.fill import Filler
from miniature_world.grammar import DOMAINS, HEAD, LITERAL, PART, PHRASE, Alternative, Grammar
from miniature_world.lexicon import Lexicon
from miniature_world.sentence import WorldSentence, WorldWord
from miniature_world.slots import Slot, Slots, Urn
from miniature_world.words.lexemes import Lexeme

DATA = Path(__file__).parent
PARAGRAPH = (3, 8)  # sentences in a paragraph: at least, at most
TRIES = 12
CLAUSE_ROLES = {
    "because": "AM-CAU",
    "when": "AM-TMP",
    "while": "AM-TMP",
    "if": "AM-ADV",
    "although": "AM-ADV",
}


class DeadEnd(Exception):
    """No lexeme fits here; the sentence is sampled again."""


class English:
    """Lexicon, grammar and slots, shared by all generators (see `english`)."""

    def __init__(self) -> None:
        self.lexicon = Lexicon(DATA / "lexicon")
        self.grammar = Grammar(DATA / "grammar.yaml", self.lexicon)
        self.slots = Slots(self.lexicon)


@cache
def english() -> English:
    """The English side of the world, read once."""
    return English()


def generate(domain: str, sentences: int, seed: int) -> Iterator[WorldSentence]:
    """A stream of annotated sentences of a domain (news, subtitles); a larger number extends the same stream."""
    return Generator(english(), domain, seed).sentences(sentences)


class Generator:
    """One domain's stream of sentences."""

    def __init__(self, world: English, domain: str, seed: int):
        self.grammar, self.slots = world.grammar, world.slots
        self.domain, self._column = domain, DOMAINS.index(domain)
        self._random = random.Random(f"{domain} {seed}").random
        self._chance = {name: pair[self._column] for name, pair in world.grammar.probabilities.items()}
        self._discourse = Discourse(world.lexicon.of("pronoun"))
        self._filler = Filler(
            world.lexicon, world.slots, self._column, self._random, self._chance["plural"], self._discourse
        )
        self._prepositions = {
            use: Urn(world.lexicon.of("preposition", use))
            for use in {word.group for word in world.lexicon.of("preposition")}
        }
        self._words: list[WorldWord] = []
        self._pending: list[tuple[WorldWord, Lexeme]] = []

    def sentences(self, wanted: int) -> Iterator[WorldSentence]:
        """The first sentences of the stream."""
        made = paragraph = 0
        while made < wanted:
            paragraph += 1
            self._discourse.new_paragraph()
            least, most = PARAGRAPH
            for number in range(1, least + int(self._random() * (most - least + 1)) + 1):
                if made == wanted:
                    return
                yield self._sentence(paragraph, number)
                made += 1

    def _sentence(self, paragraph: int, number: int) -> WorldSentence:
        while True:
            self._words, self._pending = [], []
            self._discourse.new_sentence()
            try:
                root = self._expand_headless("Sentence")
            except DeadEnd:
                self._discourse.forget_sentence()
                continue
            break
        self._agree()
        words = self._words
        for index, word in enumerate(words, 1):
            word.index = index
            if word.head is not None:
                word.head.dependents.append(word)
        self._discourse.end_sentence()
        sentence = WorldSentence(self.domain, paragraph, number, words, root)
        annotate(sentence)
        return sentence

    # -- phrases -------------------------------------------------------------------------------------------------

    def _choose(self, chooser) -> Alternative:
        sums = chooser.sums[self._column]
        return chooser.alternatives[bisect(sums, self._random() * sums[-1])]

    def _expand_headless(self, part: str) -> WorldWord:
        """The sentence itself: a part whose head is given by one of its items."""
        root = WorldWord(None, "root", None)
        return self._put_items(self._choose(self.grammar.parts[part]["sg"]), root, None)

    def _phrase(
        self, symbol: str, relation: str, head: WorldWord | None, slot: Slot | None, role: str
    ) -> WorldWord:
        """Appends one phrase and returns its head word."""
        chooser = self.grammar.phrases[symbol]
        for _ in range(TRIES):
            way = self._choose(chooser)
            word = WorldWord(None, relation, head)
            if not way.head:
                return self._put_items(way, word, slot)
            if self._filler.fill(way, word, slot, role):
                return self._put_items(way, word, slot)
        raise DeadEnd

    def _put_items(self, way: Alternative, word: WorldWord, slot: Slot | None) -> WorldWord:
        """Appends the items of an alternative around its head; returns the head (another one for HEAD=Phrase)."""
        words = self._words
        start = len(words)
        given = word
        for item in way.items:
            chance = item[-1]
            if chance is not None and self._random() >= chance[self._column]:
                continue
            kind = item[0]
            if kind == PHRASE:
                self._put_phrase(item, word, slot)
            elif kind == HEAD:
                self._put_head(item[1], word)
            elif kind == LITERAL:
                self._put_literal(item, word)
            elif kind == PART:
                self._put_items(self._choose(self.grammar.parts[item[1]][word.number]), word, slot)
            else:
                word = self._phrase(item[1], word.relation, word.head, slot, "")
        if word is not given:
            for other in words[start:]:
                if other.head is given:
                    other.head = word
                    self._give_role(other, self._role_of(other), word)
        return word

    def _put_head(self, form: str, word: WorldWord) -> None:
        forms = word.form.lexeme.forms
        if form == "present":
            self._pending.append((word, word.form.lexeme))
        elif form and form in forms:
            word.form = forms[form]
        self._words.append(word)

    def _put_literal(self, item: tuple, head: WorldWord) -> None:
        _, relation, lexemes, forms, _ = item
        lexeme = lexemes[int(self._random() * len(lexemes))] if len(lexemes) > 1 else lexemes[0]
        form = forms[int(self._random() * len(forms))] if len(forms) > 1 else forms[0]
        word = WorldWord(lexeme.forms[form], relation, head)
        if lexeme.kind == "auxiliary":
            if form in ("present", "past"):
                self._pending.append((word, lexeme))
                word.use = form
            if word.form.xpos == "MD" and lexeme.lemma != "will" and head.form.lexeme.kind == "verb":
                word.roles.append(("AM-MOD", head))
        elif lexeme.group == "negation" and head.form.lexeme.kind == "verb":
            word.roles.append(("AM-NEG", head))
        elif lexeme.lemma in CLAUSE_ROLES and relation == "mark":
            head.use = CLAUSE_ROLES[lexeme.lemma]
        self._words.append(word)

    def _put_phrase(self, item: tuple, head: WorldWord, slot: Slot | None) -> None:
        _, relation, symbol, role, use, _ = item
        if relation == "flat" and head.form.lexeme.group != "given":
            return  # only a given name is followed by a surname
        if use:
            preposition = self._prepositions[use].draw(self._random())
            case = WorldWord(preposition.forms["base"], "case", None)
            self._words.append(case)
            wanted = self._slot(head, role) if role else self.slots.slot(preposition, "object")
            case.head = child = self._phrase(symbol, relation, head, wanted, role)
            child.use = use
        elif role:
            child = self._phrase(symbol, relation, head, self._slot(head, role), role)
        else:
            child = self._phrase(symbol, relation, head, slot if relation == "conj" else None, "")
        if relation == "conj" and head.entity is not None:
            head.number = "pl"
        if head.form is not None:
            self._give_role(child, role or self._role_of(child), head)

    def _slot(self, head: WorldWord, role: str) -> Slot:
        return self.slots.slot(head.form.lexeme, role)

    def _role_of(self, child: WorldWord) -> str:
        """The role of a dependent that is no numbered argument of a noun phrase's kind."""
        relation = child.relation
        if relation == "advmod":
            return self.grammar.adverb_roles.get(child.form.lexeme.group, "")
        if relation == "obl" or relation == "advcl":
            return child.use
        return "A1" if relation in ("ccomp", "xcomp") else ""

    def _give_role(self, child: WorldWord, role: str, predicate: WorldWord) -> None:
        if not role or predicate.form.lexeme.kind != "verb":
            return
        if child.form.lexeme.group.startswith("relative"):
            child.roles.append(("R-" + role, predicate))
            child.antecedent.roles.append((role, predicate))
        else:
            child.roles.append((role, predicate))

    # -- agreement -----------------------------------------------------------------------------------------------

    def _agree(self) -> None:
        """Inflects finite verbs for their subject, and chooses ``a`` or ``an`` by the following word."""
        for word, lexeme in self._pending:
            clause = word if lexeme.kind == "verb" else word.head
            subject = clause.subject
            forms = lexeme.forms
            tense = word.use if word.use in ("present", "past") else "present"
            if subject.number == "sg" and subject.form.person != 2:
                key = "-sg" if subject.form.person == 3 or tense == "past" else "-i"
                word.form = forms.get(tense + key, forms[tense])
            else:
                word.form = forms[tense]
        words = self._words
        for position, word in enumerate(words):
            if word.form.text == "a" and takes_an(words[position + 1].form.text):
                word.form = word.form.lexeme.forms["an"]
