"""QNLI of the miniature world: does the sentence answer the question?

The rule: it does if it has the question's verb, every argument and adjunct of the question in the same roles (or
synonyms; the question may omit adjectives), and the argument or adjunct asked for: who or what did it, to whom or what,
where, or when. In half of the negative pairs the answer is missing, as in the published task; in the others two people
have exchanged roles, or one word differs.
"""

from dataclasses import replace

from miniature_world.tasks.clauses import Clause, Said
from miniature_world.tasks.draw import Drawer
from miniature_world.tasks.paraphrase import ARGUMENTS, CORE, SWAPPED, swapped

PARTS = {"A0": "subject", "A1": "object"}
OTHER_ADJUNCT = {"AM-LOC": "AM-TMP", "AM-TMP": "AM-LOC"}


def answer(drawer: Drawer, label: str) -> list[Said]:
    """A question and a sentence that answers it (``entailment``), or not."""
    answered = label == "entailment"
    role = drawer.one_of(tuple(OTHER_ADJUNCT))
    turned = drawer.chance()
    clause = drawer.both_ways() if turned else drawer.transitive()
    clause = clause.put(role, drawer.adjunct(role))
    asks = role if drawer.chance() else drawer.one_of(ARGUMENTS)
    visible = [name for name in CORE if name != PARTS.get(asks)]
    other = swapped(clause) if turned else drawer.exchanged(clause, drawer.one_of(visible))
    # Either clause may become the sentence, so that word frequencies do not depend on the label.
    sentence, different = (clause, other) if drawer.chance() else (other, clause)
    if answered:
        question, asked = sentence, asks
    elif asks == role:
        question, asked = sentence, OTHER_ADJUNCT[role]
    else:
        question, asked = different, SWAPPED.get(asks, asks) if turned else asks
    if asks == role or drawer.chance():
        question = question.put(role, None)
    question = _bare(drawer, question)
    return [
        (question, drawer.wording(drawer.chance(), asked)),
        (sentence, drawer.wording(drawer.chance(), front=drawer.one_of(("", role)))),
    ]


def _bare(drawer: Drawer, clause: Clause) -> Clause:
    """The clause, some of its adjectives left out."""
    for name in PARTS.values():
        if drawer.chance():
            clause = clause.put(name, replace(clause.part(name), adjectives=()))
    return clause
