"""Sampling of the head of a phrase: noun, verb, name, pronoun or determiner.

Each kind of head has its own conditions: nouns must fit their slot, verbs of relative clauses must accept the noun they
modify, pronouns need an antecedent, possessives a subject.
"""

from bisect import bisect
from collections.abc import Callable
from itertools import accumulate

from miniature_world.discourse import Discourse
from miniature_world.grammar import Alternative
from miniature_world.lexicon import Lexicon
from miniature_world.sentence import WorldWord
from miniature_world.slots import Slot, Slots, Urn
from miniature_world.words.lexemes import Lexeme

DETERMINER_RELATIONS = {"numeral": "nummod", "possessive": "nmod:poss", "reflexive": "nmod:poss"}


class Filler:
    """Draws heads for one domain's generator.

    `column` is that of the domain in weights per domain, `random` the generator's stream of numbers in [0, 1), and
    `plural` the probability that a noun is plural.
    """

    def __init__(
        self,
        lexicon: Lexicon,
        slots: Slots,
        column: int,
        random: Callable[[], float],
        plural: float,
        discourse: Discourse,
    ):
        self.slots, self._column, self._random = slots, column, random
        self._plural, self._discourse = plural, discourse
        self._adjective: tuple[WorldWord | None, Lexeme | None] = (None, None)
        self._groups = {
            (kind, group): Urn(lexicon.of(kind, group))
            for kind in ("verb", "adverb", "name")
            for group in {lexeme.group for lexeme in lexicon.of(kind)}
        }
        self._adjectives = Urn(lexicon.of("adjective"))
        self._determiners = {
            number: self._weighted(
                [d for d in lexicon.of("determiner") if d.forms["base"].number in (number, "any")]
            )
            for number in ("sg", "pl")
        }
        self._the = next(word for word in lexicon.of("determiner") if word.lemma == "the")
        self._reflexive = {word.lemma: word for word in lexicon.of("determiner", "reflexive")}
        personal = [word for word in lexicon.of("pronoun") if word.weights[self._column] > 0]
        self._pronouns = self._weighted(personal)
        self._relative = {
            "human": [w for w in lexicon.of("pronoun") if w.group == "relative-human"],
            "thing": [w for w in lexicon.of("pronoun") if w.group == "relative-thing"],
        }
        self._question = lexicon.of("pronoun", "question")

    def _weighted(self, lexemes: list[Lexeme]) -> tuple[list[Lexeme], list[float]]:
        return lexemes, list(accumulate(lexeme.weights[self._column] for lexeme in lexemes))

    def fill(self, way: Alternative, word: WorldWord, slot: Slot | None, role: str) -> bool:
        """Samples the head of a phrase; False if this alternative is not possible here."""
        kind, head = way.head, word.head
        if kind == "noun":
            return self._fill_noun(way, word, slot)
        if kind == "determiner":
            return self._fill_determiner(word)
        if kind == "verb" or kind == "adjective":
            return self._fill_predicate(way, word)
        if kind == "adverb":
            word.form = self._groups["adverb", way.group].draw(self._random()).forms["base"]
            return True
        if kind == "pronoun":
            return self._fill_pronoun(way, word, slot)
        if kind == "name":
            return self._fill_name(way, word, slot)
        if kind == "relative":
            noun = head.head
            human = noun.form.lexeme.group in ("human", "given", "surname")
            choice = self._relative["human" if human else "thing"]
            case = "subject" if role == "A0" or word.relation != "obj" else "object"
            word.form = choice[int(self._random() * len(choice))].forms[case]
            word.antecedent, word.entity, word.number = noun, noun.entity, noun.number
        else:  # again: an entity mentioned before, by its noun and "the"
            entity = self._discourse.spoken_of(slot) if slot is not None and slot.pronouns else None
            if entity is None or entity.lexeme.kind != "noun" or entity.lexeme not in slot.nouns.lexemes:
                return False
            word.form, word.number = entity.lexeme.forms[entity.number], entity.number
            self._discourse.mention(word, entity)
        if word.relation.startswith("nsubj"):
            head.subject = word
        return True

    def _fill_noun(self, way: Alternative, word: WorldWord, slot: Slot) -> bool:
        if way.when and way.when not in slot.allowed:
            return False
        urn = slot.nouns_of(way.when) if way.when else slot.nouns
        if not urn.lexemes:
            return False
        lexeme = urn.draw(self._random())
        number = "pl" if self._random() < self._plural else "sg"
        word.form, word.number = lexeme.forms[number], number
        self._introduce(word, lexeme, lexeme.natural, lexeme.group)
        return True

    def _fill_name(self, way: Alternative, word: WorldWord, slot: Slot | None) -> bool:
        if way.group:
            lexeme = self._groups["name", way.group].draw(self._random())
            word.form = lexeme.forms["sg"]
            return True
        if not slot.names:
            return False
        human = slot.human and (not slot.place or self._random() < 0.6)
        group = ("given" if self._random() < 0.4 else "surname") if human else "place"
        lexeme = self._groups["name", group].draw(self._random())
        word.form = lexeme.forms["sg"]
        self._introduce(word, lexeme, lexeme.natural, "human" if human else "place")
        return True

    def _introduce(self, word: WorldWord, lexeme: Lexeme, natural: str, group: str) -> None:
        if natural == "c":
            natural = "m" if self._random() < 0.5 else "f"
        self._discourse.introduce(word, lexeme, natural, group)
        if word.relation.startswith("nsubj"):
            word.head.subject = word

    def _fill_determiner(self, word: WorldWord) -> bool:
        noun = word.head
        lexemes, sums = self._determiners[noun.number]
        lexeme = lexemes[bisect(sums, self._random() * sums[-1])]
        if lexeme.group == "reflexive":
            lexeme = self._reflexive.get(self._discourse.possessive_for(noun), self._the)
        word.form = lexeme.forms["base"]
        word.relation = DETERMINER_RELATIONS.get(lexeme.group, "det")
        if word.relation == "nmod:poss" and lexeme.group == "reflexive":
            word.antecedent = noun.head.subject
            word.entity = word.antecedent.entity
        return True

    def _fill_predicate(self, way: Alternative, word: WorldWord) -> bool:
        if way.gap:
            noun = word.head
            urn = self.slots.accepting(way.head, way.group or way.head, way.gap, noun.form.lexeme)
            if not urn.lexemes:
                return False
        else:
            urn = self._groups["verb", way.group] if way.head == "verb" else self._adjectives
        lexeme = urn.draw(self._random())
        if way.symbol in ("Infinitive", "Follow") and not self._controls(word.head, lexeme):
            return False
        if word.relation == "amod":
            if self._adjective == (word.head, lexeme):
                return False  # not the same adjective twice
            self._adjective = (word.head, lexeme)
        word.form = lexeme.forms["base"]
        if way.symbol in ("Infinitive", "Follow"):
            word.subject = word.head.subject
            word.subject.roles.append(("A0", word))
        return True

    @staticmethod
    def _controls(head: WorldWord, lexeme: Lexeme) -> bool:
        """Whether the governing verb's subject may also do what this verb says."""
        subject = head.subject.entity
        return ("human" if subject is None else subject.group) in lexeme.asks["A0"]

    def _fill_pronoun(self, way: Alternative, word: WorldWord, slot: Slot) -> bool:
        if way.group == "question":
            word.form = self._question[0].forms["object"]
            return slot.pronouns and slot.allowed != {"human"}
        if not slot.pronouns:
            return False
        lexemes, sums = self._pronouns
        lexeme = lexemes[bisect(sums, self._random() * sums[-1])]
        form = lexeme.forms[way.group]
        if form.person < 3:
            subject = word.head.subject if word.head is not None else None
            if not slot.human or (subject is not None and subject.form.person == form.person):
                return False
            word.form, word.number = form, form.number
        else:
            lexeme = self._discourse.pronoun(word, lexeme, slot)
            if lexeme is None:
                return False
            word.form = lexeme.forms[way.group]
            word.number = word.form.number
        if word.relation.startswith("nsubj"):
            word.head.subject = word
        return True
