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
    "forms",
    [
        "visit visits visited visited visiting",
        "carry carries carried carried carrying",
        "write writes wrote written writing",
        "stop stops stopped stopped stopping",
        "begin begins began begun beginning",
        "catch catches caught caught catching",
        "see sees saw seen seeing",
        "destroy destroys destroyed destroyed destroying",
    ],
)
def test_verbs_inflect(lexicon, forms):
    verb = find(lexicon, "verb", forms.split()[0])
    keys = ("base", "present-sg", "past", "participle", "gerund")
    assert " ".join(verb.forms[key].text for key in keys) == forms


@pytest.mark.parametrize(
    ("lemma", "plural"),
    [("city", "cities"), ("church", "churches"), ("child", "children"), ("valley", "valleys")],
)
def test_nouns_inflect(lexicon, lemma, plural):
    assert find(lexicon, "noun", lemma).forms["pl"].text == plural


def test_the_article_follows_the_sound():
    words = ("old", "university", "useful", "honest", "bank")
    assert [word for word in words if takes_an(word)] == ["old", "honest"]


def test_every_content_word_has_a_translation_of_its_own(lexicon):
    content = [word for kind in ("noun", "verb", "adjective", "adverb") for word in lexicon.of(kind)]
    for language in LANGUAGES:
        assert len({word.stems[language] for word in content}) == len(content)


def test_an_ambiguous_noun_stands_only_where_one_sense_fits(lexicon):
    def objects(verb):
        return {
            noun.sense_key for noun in Slots(lexicon).slot(find(lexicon, "verb", verb), "A1").nouns.lexemes
        }

    assert {"party%1", "party%2"} & objects("organise") == {"party%2"}
    assert "party%1" in objects("support")
    assert not {"bank%1", "bank%2"} & objects("visit"), "a bank of either kind can be visited"


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
            "'frequency' holds 'many",
        ),
        ("adverbs.tsv", "slowly\tmanner", "slowly", "cells where the head has"),
    ],
)
def test_a_mistake_in_the_lexicon_is_shown_with_file_and_line(data, file, old, new, message):
    line = replace(data / "lexicon" / file, old, new)
    with pytest.raises(InputError, match=message) as caught:
        Lexicon(data / "lexicon")
    assert f"{file}:{line}:" in str(caught.value)


def change_row(path: Path, start: str, column: str, value: str) -> None:
    """Gives the row that starts so another value in one column."""
    head, *rows = (line.split("\t") for line in path.read_text().splitlines())
    row = next(row for row in rows if "\t".join(row).startswith(start))
    row[head.index(column)] = value
    path.write_text("".join("\t".join(row) + "\n" for row in [head, *rows]))


def test_a_missing_translation_is_shown_with_file_and_line(data):
    path = data / "lexicon" / "nouns.tsv"
    start = path.read_text().splitlines()[4]
    change_row(path, start, "velder", "")
    noun = start.partition("\t")[0]
    with pytest.raises(InputError, match=rf"nouns\.tsv:5: '{noun}' has no translation into velder"):
        Lexicon(data / "lexicon")


def test_senses_that_nothing_tells_apart_are_refused(data):
    change_row(data / "lexicon" / "adjectives.tsv", "hard\t2\t", "classes", "idea food")
    with pytest.raises(InputError, match=r"adjectives\.tsv:\d+: nothing distinguishes hard%. from its other"):
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
