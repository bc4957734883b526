"""The rule of each task of the miniature world, worked out again from the gold annotation of what is written."""

import csv
from collections import Counter
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import pytest

from headwork.corpora.annotated.glue import TASKS, read_task
from headwork.parses.conllu import Sentence, read_trees
from miniature_world.generate import english
from miniature_world.tasks import relations

FOLDER = Path(relations.__file__).parent
DEV = 240
ASKED = "?"


def table(name: str) -> list[dict[str, str]]:
    with (FOLDER / name).open(encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def key(word: str) -> str:
    return word if "%" in word else f"{word}%1"


SYNONYMS = {frozenset((key(row["word"]), key(row["synonym"]))) for row in table("synonyms.tsv")}
POLARITY = {key(row["word"]): row["polarity"] for row in table("sentiment.tsv") if row["kind"] != "adverb"}
HYPERNYMS = {key(row["word"]): (row["class"], row["natural"]) for row in table("hypernyms.tsv")}


@pytest.fixture(scope="module")
def classes() -> dict[str, tuple[str, str]]:
    return {noun.sense_key: (noun.group, noun.natural) for noun in english().lexicon.of("noun")} | HYPERNYMS


class Phrase(NamedTuple):
    noun: str
    adjectives: frozenset[str]
    determiner: str
    number: str
    preposition: str


class Fact(NamedTuple):
    """A clause as the annotation has it."""

    predicate: str
    parts: dict[str, Phrase]
    negated: bool
    tense: str


def name_of(word) -> str:
    return word.misc.get("Sense", word.lemma)


def phrase(sentence: Sentence, place: int) -> Phrase:
    word = sentence.words[place]
    if word.xpos in ("WP", "WRB"):
        return Phrase(ASKED, frozenset(), "", "", "")
    below = [other for other in sentence.words if other.head == place + 1]

    def first(*relations: str) -> str:
        return next((other.lemma for other in below if other.deprel in relations), "")

    adjectives = frozenset(name_of(other) for other in below if other.deprel == "amod")
    determiner = first("det", "nummod", "nmod:poss")
    # the agent's "by" says no more than the role does
    preposition = "" if first("case") == "by" else first("case")
    return Phrase(name_of(word), adjectives, determiner, word.feats.get("Number", ""), preposition)


def facts(sentence: Sentence) -> list[Fact]:
    """The clauses of a sentence, the main one first."""
    found = []
    for place, word in enumerate(sentence.words, 1):
        if word.upos != "VERB" or word.deprel not in ("root", "conj", "advcl"):
            continue
        parts = {}
        for other_place, other in enumerate(sentence.words):
            for role in filter(None, other.misc.get("Role", "").split(",")):
                name, predicate = role.split(":")
                if int(predicate) == place and name not in ("AM-NEG", "AM-MOD"):
                    assert name not in parts
                    parts[name] = phrase(sentence, other_place)
        below = [other for other in sentence.words if other.head == place]
        auxiliaries = [other for other in below if other.upos == "AUX"]
        finite = (auxiliaries or [word])[0]
        tense = finite.lemma if finite.lemma in ("have", "will") else finite.feats["Tense"]
        negated = any(other.lemma == "not" for other in below)
        found.append((word.deprel != "root", Fact(name_of(word), parts, negated, tense)))
    return [fact for _, fact in sorted(found, key=lambda pair: pair[0])]


def alike(one: str, other: str) -> bool:
    return one == other or frozenset((one, other)) in SYNONYMS


def alike_phrases(one: Phrase, other: Phrase) -> bool:
    return alike(one.noun, other.noun) and one[1:] == other[1:]


def same(one: Fact, other: Fact) -> bool:
    return (
        alike(one.predicate, other.predicate)
        and one.tense == other.tense
        and one.parts.keys() == other.parts.keys()
        and all(alike_phrases(one.parts[role], other.parts[role]) for role in one.parts)
    )


def falls_under(noun: str, other: str, classes) -> bool:
    if other not in HYPERNYMS or noun == other or noun not in classes:
        return False
    (group, natural), (wanted, gender) = classes[noun], HYPERNYMS[other]
    return group == wanted and natural != "any" and gender in ("any", natural)


def under(one: Fact, other: Fact, classes) -> bool:
    """Whether the first clause says at least what the second says, negation apart."""
    if (one.predicate, one.tense) != (other.predicate, other.tense):
        return False
    if "A1" in one.parts.keys() ^ other.parts.keys() or one.parts["A0"] != other.parts["A0"]:
        return False
    if "A1" in one.parts:
        thing, wanted = one.parts["A1"], other.parts["A1"]
        if not (thing.noun == wanted.noun or falls_under(thing.noun, wanted.noun, classes)):
            return False
        if not thing.adjectives >= wanted.adjectives or thing[2:] != wanted[2:]:
            return False
    return all(one.parts.get(role) == said for role, said in other.parts.items() if role.startswith("AM-"))


def inference(premise: Fact, hypothesis: Fact, classes) -> str:
    """MacCartney and Manning (2007): what is affirmed follows from more, what is denied from less."""
    narrow, wide = (hypothesis, premise) if premise.negated else (premise, hypothesis)
    if not under(narrow, wide, classes):
        return "neutral"
    return "entailment" if premise.negated == hypothesis.negated else "contradiction"


def examples(folder: Path, task: str, split: str = "dev"):
    """Sentences with their trees, and the label."""
    trees = read_trees(folder / task / f"{split}.conllu")
    for example in islice(read_task(folder / task, task, split), DEV):
        texts = [text for text in (example.first, example.second) if text is not None]
        pair = [next(trees) for _ in texts]
        assert [" ".join(tree.forms) for tree in pair] == texts
        assert [tree.sent_id.split("-")[1:] for tree in pair] == [
            [str(example.index), str(number)] for number in range(1, len(pair) + 1)
        ]
        yield pair, example.label


def sentiment(sentence: Sentence) -> str:
    places = [
        place
        for place, word in enumerate(sentence.words, 1)
        if POLARITY.get(name_of(word)) in ("+", "-") and word.upos in ("ADJ", "VERB")
    ]
    assert len(places) == 1
    word = sentence.words[places[0] - 1]
    governing = {places[0], word.head} if word.deprel == "xcomp" else {places[0]}
    reversed_ = sum(
        (other.lemma in ("not", "rarely") and other.head in governing)
        or (other.lemma == "refuse" and place in governing)
        for place, other in enumerate(sentence.words, 1)
    )
    return "positive" if (POLARITY[name_of(word)] == "+") == (reversed_ % 2 == 0) else "negative"


def test_sentiment_is_polarity_times_reversals(tasks):
    seen = Counter()
    for (sentence,), label in examples(tasks, "SST-2"):
        assert sentiment(sentence) == label, sentence.text
        seen[label] += 1
    assert seen == {"positive": DEV // 2, "negative": DEV // 2}


def test_paraphrases_have_the_same_roles(tasks):
    for (one, other), label in examples(tasks, "MRPC"):
        assert (label == "equivalent") == same(*facts(one), *facts(other)), (one.text, other.text)


def test_duplicates_ask_for_the_same_role_of_the_same_clause(tasks):
    kinds = Counter()
    for (one, other), label in examples(tasks, "QQP"):
        assert one.forms[-1] == other.forms[-1] == "?"
        assert (label == "duplicate") == same(*facts(one), *facts(other)), (one.text, other.text)
        kinds.update(role for role, said in facts(one)[0].parts.items() if said.noun == ASKED)
    assert set(kinds) == {"A0", "A1", "AM-LOC", "AM-TMP"}
    assert kinds.total() < DEV  # the others are questions of yes or no


def answers(question: Fact, sentence: Fact) -> bool:
    if not alike(question.predicate, sentence.predicate) or question.tense != sentence.tense:
        return False
    for role, said in question.parts.items():
        found = sentence.parts.get(role)
        if found is None:
            return False
        if said.noun != ASKED and not (
            alike(said.noun, found.noun) and said.adjectives <= found.adjectives and said[2:] == found[2:]
        ):
            return False
    return True


def test_answers_have_what_the_question_names_and_asks_for(tasks):
    for (question, sentence), label in examples(tasks, "QNLI"):
        asked = [role for role, said in facts(question)[0].parts.items() if said.noun == ASKED]
        assert len(asked) == 1
        expected = answers(*facts(question), *facts(sentence))
        assert (label == "entailment") == expected, (question.text, sentence.text)


@pytest.mark.parametrize("split", TASKS["MNLI"].dev)
def test_inference_is_natural_logic(tasks, classes, split):
    seen = Counter()
    for (premise, hypothesis), label in examples(tasks, "MNLI", split):
        (one,), (other,) = facts(premise), facts(hypothesis)
        assert inference(one, other, classes) == label, (premise.text, hypothesis.text)
        seen[one.negated, other.negated, label] += 1
    assert len(seen) == 8  # four combinations of negation, each with the neutral and one other label


def test_recognition_needs_one_clause_of_two_that_entails(tasks, classes):
    trap = 0
    for (premise, hypothesis), label in examples(tasks, "RTE"):
        clauses, (said,) = facts(premise), facts(hypothesis)
        assert len(clauses) == 2
        entailed = any(inference(clause, said, classes) == "entailment" for clause in clauses)
        assert (label == "entailment") == entailed, (premise.text, hypothesis.text)
        trap += not entailed and set(hypothesis.forms) <= set(premise.forms)
    assert trap > DEV / 20  # not entailed although every word is there


def points(one: Fact, other: Fact) -> int:
    roles = ("A0", "A1", "AM-LOC", "AM-TMP")
    agreeing = [alike(one.parts[role].noun, other.parts[role].noun) for role in roles]
    return alike(one.predicate, other.predicate) + sum(agreeing)


def test_similarity_counts_the_parts_that_agree(tasks):
    scores = Counter()
    for (one, other), label in examples(tasks, "STS-B"):
        assert points(*facts(one), *facts(other)) == label, (one.text, other.text)
        scores[label] += 1
    assert scores == dict.fromkeys(range(6), DEV // 6)
