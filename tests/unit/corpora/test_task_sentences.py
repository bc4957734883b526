"""Sentences of the tasks: one clause in all its wordings, by hand; trees and annotation."""

from dataclasses import replace

import pytest

from headwork.settings.world import TaskSizes
from miniature_world.generate import english
from miniature_world.sentence import to_conllu
from miniature_world.tasks.clauses import Adjunct, Clause, NounPhrase, Wording
from miniature_world.tasks.realise import Realiser
from miniature_world.tasks.relations import relations
from miniature_world.tasks.write import RECIPES, make_task

LEXICON = english().lexicon


def word(kind: str, lemma: str, group: str | None = None):
    return next(found for found in LEXICON.of(kind, group) if found.lemma == lemma)


def noun(lemma: str, *adjectives: str, number: str = "sg", determiner: str = "the") -> NounPhrase:
    found = tuple(word("adjective", adjective) for adjective in adjectives)
    return NounPhrase(word("noun", lemma), number, word("determiner", determiner), found)


PLACE = Adjunct("AM-LOC", word("preposition", "near", "AM-LOC"), noun("village", determiner="a"))
TIME = Adjunct("AM-TMP", word("adverb", "yesterday"))
CLAUSE = Clause(
    word("verb", "invite"), noun("artist", number="pl"), noun("king", "old"), (PLACE, TIME), "past"
)


@pytest.mark.parametrize(
    ("changes", "wording", "expected"),
    [
        ({}, {}, "the artists invited the old king near a village yesterday ."),
        ({}, {"passive": True}, "the old king was invited by the artists near a village yesterday ."),
        ({}, {"front": "AM-LOC"}, "near a village , the artists invited the old king yesterday ."),
        ({"negated": True}, {}, "the artists did not invite the old king near a village yesterday ."),
        ({"negated": True, "adjuncts": ()}, {"passive": True}, "the old king was not invited by the artists ."),
        ({"tense": "have", "adjuncts": ()}, {}, "the artists have invited the old king ."),
        ({"tense": "have", "adjuncts": ()}, {"passive": True}, "the old king has been invited by the artists ."),
        ({"tense": "will", "negated": True, "adjuncts": ()}, {"passive": True},
         "the old king will not be invited by the artists ."),
        ({"tense": "present", "adjuncts": ()}, {}, "the artists invite the old king ."),
        ({"adjuncts": ()}, {"asks": "?"}, "did the artists invite the old king ?"),
        ({"adjuncts": (), "negated": True}, {"asks": "?", "passive": True},
         "was the old king not invited by the artists ?"),
        ({"adjuncts": ()}, {"asks": "A0"}, "who invited the old king ?"),
        ({"adjuncts": ()}, {"asks": "A1"}, "whom did the artists invite ?"),
        ({"adjuncts": ()}, {"asks": "A1", "passive": True}, "who was invited by the artists ?"),
        ({"adjuncts": ()}, {"asks": "A0", "passive": True}, "by whom was the old king invited ?"),
        ({}, {"asks": "AM-LOC"}, "where did the artists invite the old king yesterday ?"),
        ({"tense": "have"}, {"asks": "AM-TMP", "passive": True},
         "when has the old king been invited by the artists near a village ?"),
        ({"adjuncts": (), "control": word("verb", "refuse"), "negated": True}, {},
         "the artists did not refuse to invite the old king ."),
        ({"adjuncts": (), "middle": word("adverb", "rarely")}, {"passive": True},
         "the old king was rarely invited by the artists ."),
        ({"adjuncts": ()}, {"opening": "oh", "calling": word("name", "Sophie")},
         "oh , the artists invited the old king , Sophie ."),
    ],
)  # fmt: skip
def test_a_clause_in_its_wordings(changes, wording, expected):
    realiser = Realiser(LEXICON, relations())
    assert realiser.sentence(replace(CLAUSE, **changes), Wording(**wording)).text == expected


def test_two_clauses():
    realiser, laughing = Realiser(LEXICON, relations()), Clause(word("verb", "laugh"), noun("artist"))
    angry = Clause(word("adjective", "angry"), noun("king"), negated=True)
    first = realiser.sentence(laughing, Wording(link="although", other=angry, other_first=True))
    assert first.text == "although the king was not angry , the artist laughed ."
    second = realiser.sentence(laughing, Wording(link="and", other=angry))
    assert second.text == "the artist laughed , and the king was not angry ."


def test_roles_stay_when_the_voice_changes():
    realiser = Realiser(LEXICON, relations())
    for wording in (Wording(), Wording(passive=True), Wording(asks="?", passive=True)):
        sentence = realiser.sentence(CLAUSE, wording)
        roles = {role: found.form.text for found in sentence.words for role, _ in found.roles}
        assert roles == {"A0": "artists", "A1": "king", "AM-LOC": "village", "AM-TMP": "yesterday"}


def test_annotation_of_a_question_by_hand():
    clause = Clause(CLAUSE.predicate, CLAUSE.subject, CLAUSE.object)
    block = to_conllu(Realiser(LEXICON, relations()).sentence(clause, Wording(asks="A0", passive=True)))
    rows = [line.split("\t") for line in block.splitlines() if not line.startswith("#")]
    assert [(row[1], row[4], row[6], row[7]) for row in rows] == [
        ("by", "IN", "2", "case"),
        ("whom", "WP", "7", "obl"),
        ("was", "VBD", "7", "aux:pass"),
        ("the", "DT", "6", "det"),
        ("old", "JJ", "6", "amod"),
        ("king", "NN", "7", "nsubj:pass"),
        ("invited", "VBN", "0", "root"),
        ("?", ".", "7", "punct"),
    ]
    assert "Role=A0:7" in rows[1][9]
    assert "Role=A1:7" in rows[5][9]


@pytest.mark.parametrize("task", RECIPES)
def test_every_tree_has_one_root_and_no_crossing_edges(task):
    for _, made in make_task(task, TaskSizes(train=40, dev=40), seed=9):
        for sentence in made.sentences:
            words = sentence.words
            assert [found for found in words if found.head is None] == [sentence.root]
            assert [found.index for found in words] == list(range(1, len(words) + 1))
            spans = [sorted((found.index, found.head.index)) for found in words if found.head is not None]
            assert not [(a, b) for a in spans for b in spans if a[0] < b[0] < a[1] < b[1]], sentence.text
            assert all(found.category for found in words)
