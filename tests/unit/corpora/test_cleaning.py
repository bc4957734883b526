"""Each rule drops what it should and nothing else; the report says what and why."""

from pathlib import Path

import pytest

from headwork.corpora.parallel.cleaning import (
    Report,
    fault,
    normalised,
    raw_fault,
    without_control,
    written_in,
)
from headwork.errors import InputError
from headwork.settings.corpora import Cleaning

LANGUAGES = ("en", "ru")


def test_white_space_of_every_kind_becomes_one_space():
    assert normalised("  a\tb\u00a0\u2028c\x0c\x85 d\r") == "a b c d"


def test_control_characters():
    rules = Cleaning()
    for source, target in (("a\x07b", "c"), ("a", "c\ufffd"), ("a \0 b", "c")):
        assert raw_fault(source, target, rules) == "control characters"
    assert raw_fault("naïve – «да» 😀", "c", rules) is None
    assert raw_fault("a\x07b", "c", Cleaning(control=False)) is None
    assert without_control("a\x07b \x00") == "a b"


@pytest.mark.parametrize(
    ("source", "target", "rules", "expected"),
    [
        ("a b c", "d e f", {}, None),
        ("a", "b c d e", {}, "length ratio"),
        ("a b c d", "b", {}, "length ratio"),
        ("a", "b c d", {}, None),
        ("a " * 50, "b", {"length_ratio": 0}, None),
        ("a " * 9 + "a", "b " * 10 + "b", {"max_words": 10}, "too long"),
        ("a " * 9 + "a", "b " * 9 + "b", {"max_words": 10}, None),
        ("a b", "c", {"min_words": 2}, "too short"),
    ],
)
def test_lengths(source, target, rules, expected):
    """The shorter side decides what is too short; zero switches a rule off."""
    assert fault(source, target, LANGUAGES, Cleaning(**rules)) == expected


def test_scripts():
    rules = Cleaning(scripts={"en": "Latin", "ru": "Cyrillic"})
    assert fault("Hello there", "Привет", LANGUAGES, rules) is None
    assert fault("Hello there", "Hello there", LANGUAGES, rules) == "wrong script"
    assert fault("Привет , привет", "Привет", LANGUAGES, rules) == "wrong script"
    assert fault("12 : 30 !", "12 : 30 !", LANGUAGES, rules) is None


@pytest.mark.parametrize(
    ("text", "share", "passes"),
    [
        ("Компания IBM", 0.5, True),  # 8 of 11 letters
        ("Компания IBM", 8 / 11, True),
        ("Компания IBM", 0.8, False),
        ("IBM и HP", 0.5, False),
        ("2026 – 7", 1, True),
    ],
)
def test_share_of_letters(text, share, passes):
    assert written_in(text, "Cyrillic", share) is passes


def test_unknown_script():
    with pytest.raises(InputError, match="no script 'Russian'"):
        written_in("да", "Russian", 0.5)


def test_report(tmp_path):
    report = Report(["news", "films"])
    report.kept(0, "train", 2)
    report.dropped(0, "too long", Path("/data/n.en"), 4, "a\tlong\x00 one, indeed")
    report.dropped(0, "too long", Path("/data/n.en"), 9, "another")
    report.kept(1, "test", 1)
    report.kept(1, "dev", 0)
    report.write(tmp_path / "cleaning.csv")
    assert (tmp_path / "cleaning.csv").read_text().splitlines() == [
        "source,reason,pairs,share,example_line",
        "news,kept in train,2,0.5,",
        'news,too long,2,0.5,"n.en:4: a long\ufffd one, indeed"',
        "films,kept in test,1,1.0,",
    ]


def test_rules_that_nothing_passes():
    with pytest.raises(InputError, match=r"cleaning: min_words \(7\) is above max_words \(3\); lower it"):
        Cleaning.read({"min_words": 7, "max_words": 3}, "cleaning")
