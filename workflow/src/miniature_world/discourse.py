"""Entities of a paragraph, and antecedents of its pronouns.

The antecedent of a third-person pronoun is the first subject or object of an earlier clause of the sentence that it
agrees with (and that its own clause does not mention). It is determined by the English words, and so is a translation
that needs the antecedent's gender. Only without such an antecedent does the pronoun refer to an earlier sentence.
"""

from miniature_world.sentence import Entity, WorldWord
from miniature_world.slots import Slot
from miniature_world.words.lexemes import Lexeme

ARGUMENTS = frozenset(("nsubj", "nsubj:pass", "obj", "iobj"))
MEMORY = 8  # number of entities of earlier sentences available to pronouns
POSSESSIVES = {"male": "his", "female": "her", "thing": "its", "any": "their"}


class Discourse:
    """The entities of a paragraph and the arguments of the current sentence."""

    def __init__(self, pronouns: list[Lexeme]):
        self._personal = {word.group: word for word in pronouns if word.group in POSSESSIVES}
        self._earlier: list[Entity] = []
        self._here: list[Entity] = []
        self._arguments: list[WorldWord] = []
        self._count = self._count_before = 0

    def new_paragraph(self) -> None:
        """Forgets everything."""
        self._earlier, self._count = [], 0

    def new_sentence(self) -> None:
        """Begins a sentence."""
        self._here, self._arguments = [], []
        self._count_before = self._count

    def forget_sentence(self) -> None:
        """Removes what the sentence introduced (after a dead end)."""
        self._count = self._count_before

    def end_sentence(self) -> None:
        """Moves this sentence's entities to the memory, the latest last."""
        here = {id(entity) for entity in self._here}
        earlier = [entity for entity in self._earlier if id(entity) not in here]
        self._earlier = (earlier + self._here)[-MEMORY:]

    def introduce(self, word: WorldWord, lexeme: Lexeme, natural: str, group: str) -> None:
        """A new entity, named by `word`."""
        self._count += 1
        self.mention(word, Entity(self._count, lexeme, word.number, natural, group))

    def mention(self, word: WorldWord, entity: Entity) -> None:
        """Records that `word` refers to `entity`."""
        word.entity = entity
        if entity not in self._here:
            self._here.append(entity)
        if word.relation in ARGUMENTS:
            self._arguments.append(word)

    def spoken_of(self, slot: Slot) -> Entity | None:
        """The latest entity of an earlier sentence that fits the slot and is not yet in this sentence."""
        for entity in reversed(self._earlier):
            if entity.group in slot.allowed and entity not in self._here:
                return entity
        return None

    def possessive_for(self, noun: WorldWord) -> str:
        """``his``, ``her``, ``its`` or ``their`` for an object of the clause, by its subject; empty where none fits."""
        head = noun.head
        subject = head.subject if head is not None and noun.relation in ("obj", "obl", "xcomp") else None
        if (
            subject is None
            or subject.entity is None
            or subject.form.person != 3
            or subject.antecedent is not None
        ):
            return ""
        return "their" if subject.number == "pl" else POSSESSIVES[subject.entity.pronoun]

    def pronoun(self, word: WorldWord, drawn: Lexeme, slot: Slot) -> Lexeme | None:
        """The pronoun to put at `word` and what it refers to; None where nothing fits.

        Tries the pronoun drawn, then the others; sets `word.entity`, and `word.antecedent` within the sentence.
        """
        clause = _clause(word.head)
        mentioned = {id(other.entity) for other in self._arguments if _clause(other.head) is clause}
        within = self._within(clause, mentioned)
        for refers in (drawn.group, *(group for group in POSSESSIVES if group != drawn.group)):
            antecedent = within.get(refers)
            if antecedent is not None and antecedent.entity.group in slot.allowed:
                word.antecedent = antecedent
                self.mention(word, antecedent.entity)
                return self._personal[refers]
        for entity in reversed(self._earlier):
            if entity.group in slot.allowed and entity.pronoun not in within and entity not in self._here:
                self.mention(word, entity)
                return self._personal[entity.pronoun]
        return None

    def _within(self, clause: WorldWord | None, mentioned: set[int]) -> dict[str, WorldWord]:
        """Each pronoun's antecedent: the first matching argument of an earlier clause of the sentence."""
        found: dict[str, WorldWord] = {}
        for argument in self._arguments:
            head = _clause(argument.head)
            if head is clause or id(argument.entity) in mentioned or _relative(head):
                continue
            found.setdefault("any" if argument.number == "pl" else argument.entity.pronoun, argument)
        return found


def _clause(head: WorldWord | None) -> WorldWord | None:
    """The clause a word belongs to; an infinitive belongs to the clause of the verb that governs it."""
    while head is not None and head.relation == "xcomp":
        head = head.head
    return head


def _relative(head: WorldWord | None) -> bool:
    return head is not None and head.relation == "acl:relcl"
