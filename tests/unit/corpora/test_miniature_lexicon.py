"""The data files: English inflection, ambiguous words kept apart, and mistakes shown with file and line."""

import shutil
from pathlib import Path

import pytest
import yaml

from headwork.errors import InputError
from miniature_world.english import takes_an
from miniature_world.generate import DATA
from miniature_world.grammar import Grammar
from miniature_world.language import Language
from miniature_world.lexicon import LANGUAGES, Lexicon
from miniature_world.slots import Slots


@pytest.fixture(scope="module")
def lexicon() -> Lexicon:
    return Lexicon(DATA / "lexicon")


@pytest.fixture
def data(tmp_path) -> Path:
    """A copy of the data files that a test may spoil."""
    for name in ("lexicon", "languages"):
        shutil.copytree(DATA / name, tmp_path / name)
    shutil.copy(DATA / "grammar.yaml", tmp_path)
    return tmp_path


def find(lexicon: Lexicon, kind: str, lemma: str, sense: int = 1):
    return next(word for word in lexicon.of(kind) if (word.lemma, word.sense) == (lemma, sense))


def replace(path: Path, old: str, new: str) -> int:
    """Replaces the first occurrence; returns its line."""
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    return text[: text.index(old)].count("\n") + 1


@pytest.mark.parametrize(
    ("lemma", "forms"),
    [
        ("visit", "visit visits visited visited visiting"),
        ("carry", "carry carries carried carried carrying"),
        ("write", "write writes wrote written writing"),
        ("stop", "stop stops stopped stopped stopping"),
        ("begin", "begin begins began begun beginning"),
        ("catch", "catch catches caught caught catching"),
        ("see", "see sees saw seen seeing"),
        ("destroy", "destroy destroys destroyed destroyed destroying"),
    ],
)
def test_verbs_inflect(lexicon, lemma, forms):
    verb = find(lexicon, "verb", lemma)
    keys = ("base", "present-sg", "past", "participle", "gerund")
    assert " ".join(verb.forms[key].text for key in keys) == forms


@pytest.mark.parametrize(
    ("lemma", "plural"),
    [("city", "cities"), ("church", "churches"), ("child", "children"), ("valley", "valleys")],
)
def test_nouns_inflect(lexicon, lemma, plural):
    assert find(lexicon, "noun", lemma).forms["pl"].text == plural


def test_the_article_follows_the_sound():
    assert [takes_an(word) for word in ("old", "university", "useful", "honest", "bank")] == [
        True,
        False,
        False,
        True,
        False,
    ]


def test_the_lexicon_is_large_and_every_content_word_is_translated(lexicon):
    content = [word for kind in ("noun", "verb", "adjective", "adverb") for word in lexicon.of(kind)]
    assert len({(word.kind, word.lemma) for word in content}) > 350
    assert len(lexicon.of("name")) > 500
    for language in LANGUAGES:
        stems = [word.stems[language] for word in content]
        assert len(set(stems)) == len(stems)


def test_an_ambiguous_noun_stands_only_where_one_sense_fits(lexicon):
    slots = Slots(lexicon)
    organised = [noun.sense_key for noun in slots.slot(find(lexicon, "verb", "organise"), "A1").nouns.lexemes]
    assert "party%2" in organised
    assert "party%1" not in organised
    supported = [noun.sense_key for noun in slots.slot(find(lexicon, "verb", "support"), "A1").nouns.lexemes]
    assert "party%1" in supported
    criticised = slots.slot(find(lexicon, "verb", "visit"), "A1").nouns.lexemes
    assert not [noun for noun in criticised if noun.lemma == "bank"]  # a bank of either kind can be visited


def test_what_decides_a_verb_is_a_noun_of_one_sense(lexicon):
    slots = Slots(lexicon)
    slot = slots.slot(find(lexicon, "verb", "miss", 2), "A1")
    assert not slot.pronouns
    assert not any(noun.ambiguous for noun in slot.nouns.lexemes)
    assert slots.slot(find(lexicon, "verb", "open"), "A1").pronouns


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("nouns.tsv", "\tplace\t", "\tplaice\t", "no verb or preposition asks for the class 'plaice'"),
        ("verbs.tsv", "\ttransitive\t", "\ttransient\t", "unknown frame 'transient'; known are clausal"),
        ("verbs.tsv", "\thuman\t", "\thumane\t", "unknown class 'humane' in column 'A0'"),
        (
            "adjectives.tsv",
            "angry\t1\thuman animal\t",
            "angry\t1\thuman animal\tmany ",
            "column 'frequency' holds 'many .*', which is not a number",
        ),
        ("adverbs.tsv", "slowly\tmanner", "slowly", "cells where the head has"),
    ],
)
def test_a_mistake_in_the_lexicon_is_shown_with_file_and_line(data, file, old, new, message):
    line = replace(data / "lexicon" / file, old, new)
    with pytest.raises(InputError, match=message) as caught:
        Lexicon(data / "lexicon")
    assert f"{file}:{line}:" in str(caught.value)


def test_a_missing_translation_is_shown_with_file_and_line(data):
    path = data / "lexicon" / "nouns.tsv"
    lines = path.read_text().splitlines()
    cells = lines[4].split("\t")
    cells[lines[0].split("\t").index("velder")] = ""
    path.write_text("\n".join([*lines[:4], "\t".join(cells), *lines[5:]]) + "\n")
    with pytest.raises(InputError, match=rf"nouns\.tsv:5: '{cells[0]}' has no translation into velder"):
        Lexicon(data / "lexicon")


def test_senses_that_nothing_tells_apart_are_refused(data):
    path = data / "lexicon" / "adjectives.tsv"
    lines = path.read_text().splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith("hard\t2\t"))
    cells = lines[at].split("\t")
    cells[2] = "idea food"
    lines[at] = "\t".join(cells)
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(
        InputError, match=r"adjectives\.tsv:\d+: nothing distinguishes hard%. from its other senses"
    ):
        Lexicon(data / "lexicon")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("HEAD=Statement", "HEAD=Statment", "Sentence: phrases has no Statment"),
        ("<Active> <Adjuncts>", "<Active> <Adjunks>", "parts has no Adjunks"),
        ("?modifier", "?modifyer", "modifyer"),
        ("mark='that'", "mark='thatt'", "thatt"),
        ("aux='have':present advmod", "aux='have':presence advmod", "have has no form presence"),
        ("nsubj=Subject(A0) <Active>", "nsubj=Subject(A0 <Active>", "cannot read the item"),
    ],
)
def test_a_mistake_in_the_grammar_is_refused(data, lexicon, old, new, message):
    replace(data / "grammar.yaml", old, new)
    with pytest.raises((InputError, KeyError), match=message):
        Grammar(data / "grammar.yaml", lexicon)


@pytest.mark.parametrize(
    ("old", "new", "error"),
    [
        ("obj: acc", "obj: accusative", KeyError),
        ("f: [a, u, i, e]", "f: [a, u]", ValueError),
        ("f: [a, u, i, e]", "f: [a, u, i, no]", InputError),
        ("[last, ", "[fourth, ", KeyError),
    ],
)
def test_a_mistake_in_a_language_is_refused(data, old, new, error):
    replace(data / "languages" / "karvan.yaml", old, new)
    with pytest.raises(error):
        Language(data / "languages" / "karvan.yaml")


def test_what_verbs_govern_is_said_of_verbs_with_objects_each_once(lexicon):
    governed = yaml.safe_load((DATA / "languages/karvan.yaml").read_text())["verbs govern"]
    lemmas = [lemma for case in governed.values() for lemma in case]
    assert len(lemmas) == len(set(lemmas))
    transitive = {word.lemma for word in lexicon.of("verb") if "A1" in word.asks}
    assert set(lemmas) <= transitive
