"""Moses' tokenisation and back again."""

import pytest

from headwork.corpora.parallel.tokenisation import detokeniser, tokenised, tokeniser
from headwork.corpora.sources.pairs import Pair


@pytest.mark.parametrize(
    ("language", "running", "words"),
    [
        ("en", 'He said: "No, Mr. Smith!"', 'He said : " No , Mr. Smith ! "'),
        ("en", "'No.'", "'No . '"),
        ("en", "It's R&D <now>.", "It 's R & D < now > ."),
        ("fr", "L'homme n'est pas là.", "L' homme n' est pas là ."),
        ("ru", "Да, это он.", "Да , это он ."),
    ],
)
def test_there_and_back(language, running, words):
    assert tokeniser("moses", language)(running) == words
    if not set("<'&") & set(running):  # what Moses cannot put together again
        assert detokeniser("moses", language)(words) == running


def test_none_changes_nothing():
    assert tokeniser("none", "karvan")("a  b .") == "a  b ."
    assert detokeniser("none", "karvan")("a  b .") == "a  b ."


@pytest.mark.parametrize("processes", [1, 2])
def test_order_is_kept_whatever_the_number_of_processes(tmp_path, processes, monkeypatch):
    monkeypatch.setattr("headwork.corpora.parallel.tokenisation.CHUNK", 7)
    pairs = [Pair(f"No, {number}.", f"Нет, {number}.", tmp_path, number) for number in range(60)]
    found = list(tokenised(iter(pairs), "moses", "en", "ru", processes))
    assert [item.pair for item in found] == pairs
    assert found[3].source == "No , 3 ."
    assert found[3].target == "Нет , 3 ."
