"""Semantic tags of hand-written sentences: words alike in form or part of speech differ."""

import pytest

from headwork.errors import InputError
from headwork.parses.conllu import Sentence, Word
from headwork.parses.semantic_tags import semantic_tags

EXPECTED = [
    *("DEF", "CON", "REL", "EPS", "DIS", "CON", "NEC"),
    *("NOT", "NIL", "EXT", "GPE", "INT", "IST", "QUE"),
]


def word(form, upos, xpos=None, head=None, misc=None, **feats):
    return Word(form, lemma=form, upos=upos, xpos=xpos, feats=feats, head=head, misc=misc or {})


def test_a_sentence_by_hand():
    sentence = Sentence(
        [
            word("the", "DET", Definite="Def", PronType="Art"),
            word("artist", "NOUN", "NN"),
            word("who", "PRON", "WP", PronType="Rel"),
            word("left", "VERB", "VBD"),
            word("a", "DET", Definite="Ind", PronType="Art"),
            word("town", "NOUN", "NN"),
            word("must", "AUX", "MD"),
            word("not", "PART", "RB", Polarity="Neg"),
            word("have", "AUX", "VB"),
            word("left", "VERB", "VBN"),
            word("Oslo", "PROPN", "NNP", misc={"Entity": "B-LOC"}),
            word("too", "ADV", "RB", head=13),
            word("quickly", "ADV", "RB", head=10),
            word("?", "PUNCT", "."),
        ]
    )
    assert semantic_tags(sentence) == EXPECTED


def test_possessors_numbers_and_conjunctions():
    words = [
        word("my", "PRON", "PRP$", Poss="Yes", PronType="Prs"),
        word("two", "NUM", "CD"),
        word("and", "CCONJ", "CC"),
        word("but", "CCONJ", "CC"),
        word("if", "SCONJ", "IN"),
        word("this", "DET", "DT", PronType="Dem"),
        word("every", "DET", "DT", PronType="Tot"),
        word("Acme", "PROPN", "NNP", misc={"Entity": "B-ORG"}),
    ]
    assert semantic_tags(Sentence(words)) == ["HAS", "QUC", "COO", "BUT", "SUB", "DXP", "AND", "ORG"]


def test_what_has_no_part_of_speech_has_no_tag():
    with pytest.raises(InputError, match="'it' of 'it' has no UPOS"):
        semantic_tags(Sentence([Word("it")]))
