"""STS-B of the miniature world: how similar is the content of two sentences?

The rule: a sentence has five parts (verb, who, whom or what, where, when). Each part on which the two agree, by the
same word or a synonym in the same role, is a point, from 0 to 5. Adjectives, determiners, voice and order do not count.
"""

from dataclasses import replace

from miniature_world.tasks.clauses import Said
from miniature_world.tasks.draw import Drawer, Misfit
from miniature_world.tasks.paraphrase import CORE, has_synonym, with_synonym

ADJUNCTS = ("AM-LOC", "AM-TMP")
PARTS = (*CORE, *ADJUNCTS)


def similarity(drawer: Drawer, score: float) -> list[Said]:
    """Two sentences that agree in so many parts."""
    clause = drawer.both_ways() if drawer.chance() else drawer.transitive()
    for role in ADJUNCTS:
        clause = clause.put(role, drawer.adjunct(role))
    other = clause
    for name in PARTS:
        other = drawer.exchanged(other, name)
    # Parts of the first sentence come from either clause, so that word frequencies do not depend on the score.
    first, second = clause, other
    for name in PARTS:
        if drawer.chance():
            first, second = first.put(name, second.part(name)), second.put(name, first.part(name))
    agreeing = drawer.random.sample(PARTS, int(score))
    for name in agreeing:
        second = second.put(name, first.part(name))
    if not {"subject", "object"} & set(agreeing) and drawer.chance():
        second = replace(second, subject=first.object, object=first.subject)
    for clause in (first, second):
        related = drawer.relations.related(clause.subject.noun, clause.object.noun)
        if related or not drawer.accepts(clause.predicate, clause):
            raise Misfit
    for name in CORE:
        if drawer.chance() and has_synonym(drawer, second, name):
            second = with_synonym(drawer, second, name)
    return [
        (clause, drawer.wording(drawer.chance(), front=drawer.one_of(("", *ADJUNCTS))))
        for clause in (first, second)
    ]
