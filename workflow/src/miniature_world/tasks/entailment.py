"""MNLI and RTE of the miniature world: does the second sentence follow from the first?

The rule is natural logic (MacCartney and Manning 2007) for one clause. A clause is *under* another if verb, subject and
tense agree, the object's noun is the same or falls under the other's (hypernyms.tsv), and it has all of the other's
adjectives and adjuncts. The object and the adjuncts are indefinite, and stand inside the negation.

============== ============== ===================================== ================
first sentence second         holds if                              label
============== ============== ===================================== ================
affirmed       affirmed       the first is under the second         entailment
negated        negated        the second is under the first         entailment
affirmed       negated        the first is under the second         contradiction
negated        affirmed       the second is under the first         contradiction
otherwise                                                           neutral
============== ============== ===================================== ================

RTE has two clauses in the first sentence, either of which may be what the second follows from, and two labels. The
second sentence is sampled before the label, so it carries no information on it.
"""

from collections.abc import Callable
from dataclasses import replace

from miniature_world.tasks.clauses import Clause, Said
from miniature_world.tasks.draw import Drawer, Misfit
from miniature_world.tasks.sentiment import LINKS

PLACE, TIME, MANNER, GENERAL, TWO_STEPS = 0.5, 0.4, 0.3, 0.4, 0.4  # probabilities
ADJUNCTS = {"AM-MNR": MANNER, "AM-LOC": PLACE, "AM-TMP": TIME}


def inference(drawer: Drawer, label: str) -> list[Said]:
    """A premise and a hypothesis with one of three labels."""
    premise, hypothesis = _pair(drawer, label)
    return [_said(drawer, premise), _said(drawer, hypothesis)]


def recognition(drawer: Drawer, label: str) -> list[Said]:
    """A premise of two clauses and a hypothesis, with one of two labels."""
    if drawer.chance():
        premise, hypothesis = _pair(
            drawer, label if label == "entailment" else drawer.one_of(("neutral", "contradiction"))
        )
        other = drawer.intransitive()
    else:
        premise, other, hypothesis = _who_did_it(drawer, label == "entailment")
    other = replace(other, negated=drawer.chance())
    clause, wording = _said(drawer, premise)
    link = drawer.one_of(LINKS)
    first = link not in ("and", "but") and drawer.chance()
    return [(clause, replace(wording, link=link, other=other, other_first=first)), _said(drawer, hypothesis)]


def _said(drawer: Drawer, clause: Clause) -> Said:
    """A clause with its voice: passive only if affirmed, as "a rabbit was not seen" puts the rabbit outside "not"."""
    return clause, drawer.wording(
        passive=clause.object is not None and not clause.negated and drawer.chance()
    )


def _pair(drawer: Drawer, label: str) -> tuple[Clause, Clause]:
    hypothesis, other = _alike(drawer)
    negated = drawer.chance()
    hypothesis_negated = {"entailment": negated, "contradiction": not negated}.get(label, drawer.chance())
    unrelated = label == "neutral" and drawer.chance()
    # Affirmed clauses follow from more specific ones, negated from more general ones; neutral pairs are reversed.
    says_less = negated if label != "neutral" else drawer.chance() if unrelated else not negated
    change = _generalised if says_less else _specialised
    premise = change(drawer, other if unrelated else hypothesis)
    if drawer.chance(TWO_STEPS):
        premise = change(drawer, premise)
    alike = (premise.predicate, premise.subject) == (hypothesis.predicate, hypothesis.subject)
    if unrelated and alike and drawer.relations.related(premise.object.noun, hypothesis.object.noun):
        raise Misfit
    return replace(premise, negated=negated), replace(hypothesis, negated=hypothesis_negated)


def _alike(drawer: Drawer) -> tuple[Clause, Clause]:
    """Two clauses that differ in one word or in exchanged roles, in random order."""
    turn = drawer.chance(0.3)
    clause = drawer.both_ways(indefinite=True, names=False) if turn else drawer.transitive(indefinite=True)
    for role, probability in ADJUNCTS.items():
        if drawer.chance(probability):
            clause = clause.put(role, drawer.adjunct(role, indefinite=True))
    if turn:
        subject, thing = clause.subject, clause.object
        other = replace(
            clause,
            subject=replace(subject, noun=thing.noun, adjectives=thing.adjectives),
            object=replace(thing, noun=subject.noun, adjectives=subject.adjectives),
        )
    else:
        part = drawer.one_of(("predicate", "subject", "object"))
        if part != "object" and drawer.chance(GENERAL):
            clause = _with_hypernym(drawer, clause)
        other = drawer.exchanged(clause, part)
    return (clause, other) if drawer.chance() else (other, clause)


def _with_hypernym(drawer: Drawer, clause: Clause) -> Clause:
    general = drawer.one_of(drawer.relations.hypernyms(clause.object.noun))
    return replace(clause, object=replace(clause.object, noun=general))


def _generalised(drawer: Drawer, clause: Clause) -> Clause:
    """The clause with something left out, or a more general noun."""
    ways: list[Callable[[], Clause]] = [
        lambda role=adjunct.role: clause.put(role, None) for adjunct in clause.adjuncts
    ]
    thing = clause.object
    if thing.adjectives:
        ways.append(lambda: replace(clause, object=replace(thing, adjectives=thing.adjectives[1:])))
    if drawer.relations.hypernyms(thing.noun):
        ways.append(lambda: _with_hypernym(drawer, clause))
    return drawer.one_of(ways)()


def _specialised(drawer: Drawer, clause: Clause) -> Clause:
    """The clause with something added, or a more specific noun."""
    ways: list[Callable[[], Clause]] = [
        lambda role=role: clause.put(role, drawer.adjunct(role, indefinite=True))
        for role in ADJUNCTS
        if clause.part(role) is None
    ]
    thing = clause.object
    ways.append(lambda: replace(clause, object=drawer.with_adjective(thing)))
    nouns = drawer.slot_of(clause, "object").nouns.lexemes
    if hyponyms := [noun for noun in nouns if drawer.relations.falls_under(noun, thing.noun)]:
        ways.append(lambda: replace(clause, object=replace(thing, noun=drawer.one_of(hyponyms))))
    return drawer.one_of(ways)()


def _who_did_it(drawer: Drawer, follows: bool) -> tuple[Clause, Clause, Clause]:
    """Two people in two clauses; the second sentence is about one of them, and says what that one did, or the other."""
    deed, other = drawer.transitive(indefinite=True), drawer.intransitive()
    slots = [drawer.slot_of(deed, "subject"), drawer.slot_of(other, "subject")]
    people = [drawer.person(slots), drawer.person(slots)]
    if len({person.noun.lemma for person in (*people, deed.object)}) < 3:
        raise Misfit
    deed = replace(deed, subject=people[0], negated=drawer.chance())
    other = replace(other, subject=people[1])
    return deed, other, replace(deed, subject=people[0 if follows else 1])
