"""MRPC and QQP of the miniature world: are two sentences, or two questions, paraphrases?

The rule: they are if verb, arguments with their roles and adjuncts agree, by the same words or synonyms (synonyms.tsv).
Voice and the position of an adjunct do not matter. Negative pairs have the roles of two people exchanged (the same
words, in either voice), or another word in place of a synonym.
"""

from dataclasses import replace

from miniature_world.tasks.clauses import Clause, NounPhrase, Said
from miniature_world.tasks.draw import Drawer, Misfit

ADJUNCT = 0.6  # probability
CORE = ("predicate", "subject", "object")
ARGUMENTS = ("A0", "A1")
SWAPPED = {"A0": "A1", "A1": "A0"}


def paraphrase(drawer: Drawer, same: bool) -> list[Said]:
    """Two statements that say the same, or not."""
    first, second, _ = _clauses(drawer, same)
    said = []
    for clause, passive in zip((first, second), _voices(drawer, first, second), strict=True):
        front = drawer.one_of(("", *(adjunct.role for adjunct in clause.adjuncts)))
        said.append((clause, drawer.wording(passive, front=front)))
    return said


def duplicate(drawer: Drawer, same: bool) -> list[Said]:
    """Two questions that ask the same, or not."""
    first, second, changed = _clauses(drawer, same)
    asks = drawer.one_of(
        ("?", *(role for role in ARGUMENTS if role != changed), *(adjunct.role for adjunct in first.adjuncts))
    )
    # If an exchanged person is asked for, the question asks for the other role and names the other person.
    exchanged = changed == "roles" and not same
    asked = (asks, SWAPPED.get(asks, asks) if exchanged else asks)
    voices = _voices(drawer, first, second)
    return [
        (clause, drawer.wording(passive, role))
        for clause, passive, role in zip((first, second), voices, asked, strict=True)
    ]


def _clauses(drawer: Drawer, same: bool) -> tuple[Clause, Clause, str]:
    """Two clauses, and in what they differ if they do: ``roles``, ``predicate``, ``A0`` or ``A1``."""
    roles = drawer.chance()
    clause = drawer.both_ways() if roles else drawer.transitive()
    if drawer.chance(ADJUNCT):
        role = drawer.one_of(("AM-LOC", "AM-TMP"))
        clause = clause.put(role, drawer.adjunct(role))
    if roles:
        changed, other = "", swapped(clause)
    else:
        changed = drawer.one_of([name for name in CORE if has_synonym(drawer, clause, name)])
        kind = "verb" if changed == "predicate" else "noun"
        other = drawer.exchanged(clause, changed, drawer.relations.with_synonyms(kind))
    # Either may be first, so that word frequencies do not depend on the label.
    first, different = (clause, other) if drawer.chance() else (other, clause)
    second = first if same else different
    for name in CORE:
        wanted = same if name == changed else drawer.chance()
        if wanted and has_synonym(drawer, second, name):
            second = with_synonym(drawer, second, name)
    return first, second, {"subject": "A0", "object": "A1", "": "roles"}.get(changed, changed)


def _voices(drawer: Drawer, first: Clause, second: Clause) -> tuple[bool, bool]:
    """Whether each is passive; not both alike where they have the same words."""
    passive = drawer.chance()
    words = [{clause.predicate, clause.subject.noun, clause.object.noun} for clause in (first, second)]
    return passive, not passive if words[0] == words[1] else drawer.chance()


def swapped(clause: Clause) -> Clause:
    """The clause with subject and object exchanged."""
    return replace(clause, subject=clause.object, object=clause.subject)


def has_synonym(drawer: Drawer, clause: Clause, name: str) -> bool:
    """Whether a synonym of that part fits."""
    try:
        with_synonym(drawer, clause, name)
    except Misfit:
        return False
    return True


def with_synonym(drawer: Drawer, clause: Clause, name: str) -> Clause:
    """The clause with a synonym in its predicate, subject or object; Misfit if there is none that fits."""
    part = clause.part(name)
    synonym = drawer.relations.synonym(part.noun if isinstance(part, NounPhrase) else part)
    if synonym is None:
        raise Misfit
    if name == "predicate":
        if not drawer.accepts(synonym, clause):
            raise Misfit
        return clause.put(name, synonym)
    if not drawer.fits(synonym, drawer.slot_of(clause, name)):
        raise Misfit
    return clause.put(name, replace(part, noun=synonym))
