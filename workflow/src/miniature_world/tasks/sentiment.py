"""SST-2 of the miniature world: is the sentence positive or negative?

The rule: a sentence has one word with sentiment (sentiment.tsv), an adjective said of the subject or a verb. Its
polarity is reversed by each reversing word that governs it: "not" and "rarely" in its own clause, "refuse to". A second
clause, if there is one, is neutral and reverses nothing. Neither the word nor the negation alone determines the label.
"""

from dataclasses import replace

from miniature_world.tasks.clauses import Clause, Said
from miniature_world.tasks.draw import TENSES, Drawer
from miniature_world.words.lexemes import Lexeme

LINKS = ("because", "when", "while", "although", "and", "but")
SECOND_CLAUSE, NEGATED = 0.6, 0.5  # probabilities of a clause without sentiment, and that it is reversed


def sentiment(drawer: Drawer, label: str) -> list[Said]:
    """A sentence with that label, ``positive`` or ``negative``."""
    known, reversed_ = drawer.relations, drawer.chance()
    sign = 1 if (label == "positive") != reversed_ else -1
    kind = drawer.one_of(("adjective", "verb"))
    word = drawer.one_of(
        [word for word, value in known.polarity.items() if (value, word.kind) == (sign, kind)]
    )
    rarely, often, refuse, want = _governing(drawer)
    if kind == "adjective":
        subject = drawer.phrase(drawer.slots.slot(word, "A1"))
        clause = Clause(word, subject, tense=drawer.one_of(TENSES))
        ways = [{"negated": True}, {"middle": rarely}] if reversed_ else [{}, {"middle": often}]
    else:
        clause = drawer.transitive(word)
        ways = (
            [{"negated": True}, {"middle": rarely}, {"control": refuse}, {"control": want, "negated": True}]
            if reversed_
            else [{}, {"middle": often}, {"control": want}, {"control": refuse, "negated": True}]
        )
    clause = replace(clause, **drawer.one_of(ways))
    wording = drawer.wording(passive=kind == "verb" and clause.control is None and drawer.chance())
    if drawer.chance(SECOND_CLAUSE):
        other = drawer.intransitive() if drawer.chance() else drawer.transitive()
        if drawer.chance(NEGATED):
            other = replace(
                other, **drawer.one_of(({"negated": True}, {"negated": True}, {"middle": rarely}))
            )
        link = drawer.one_of(LINKS)
        first = link not in ("and", "but") and drawer.chance()
        wording = replace(wording, link=link, other=other, other_first=first)
    return [(clause, wording)]


def _governing(drawer: Drawer) -> tuple[Lexeme, Lexeme, Lexeme, Lexeme]:
    """An adverb and a verb that reverse what they govern, and of each one that does not."""
    reversing = drawer.relations.reversing
    adverbs = drawer.words("adverb", "frequency")
    verbs = drawer.words("verb", "infinitive")
    rarely, often = (drawer.one_of([w for w in adverbs if (w in reversing) == way]) for way in (True, False))
    refuse, want = (drawer.one_of([w for w in verbs if (w in reversing) == way]) for way in (True, False))
    return rarely, often, refuse, want
