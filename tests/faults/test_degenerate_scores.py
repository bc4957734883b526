"""Scores of translations that are empty, and of resamples without a match, are numbers from 0 to 100."""

import itertools
import random

import pytest
import sacrebleu

from headwork.models.scoring.bleu import score

REFERENCE = ["The dog bit the man .", "It was not unexpected .", "The man bit him first ."]


@pytest.mark.parametrize("resamples", [2, 20, 1000])
@pytest.mark.parametrize("empty", itertools.product([False, True], repeat=3))
def test_empty_translations(resamples, empty):
    said = ["" if gone else line for gone, line in zip(empty, REFERENCE, strict=True)]
    found = score(said, REFERENCE, {"resamples": resamples, "chrf": True}, (said, REFERENCE))
    for name, figure in (("bleu", found), ("bleu", found["tokenised_lowercased"]), ("chrf", found["chrf"])):
        assert 0 <= figure["low"] <= figure["high"] <= 100
        assert 0 <= figure[name] <= 100
    assert found["bleu"] == pytest.approx(sacrebleu.corpus_bleu(said, [REFERENCE]).score, abs=1e-4)
    assert found["chrf"]["chrf"] == pytest.approx(sacrebleu.corpus_chrf(said, [REFERENCE]).score, abs=1e-4)
    if resamples > 2 and any(empty) and not all(empty):
        assert found["chrf"]["low"] < found["chrf"]["high"]


@pytest.mark.parametrize("said", [["x"] * 3, ["."] * 3, ["", "x", ""]])
def test_translations_without_a_match(said):
    found = score(said, REFERENCE, {"resamples": 100, "chrf": True})
    assert 0 <= found["chrf"]["low"] <= found["chrf"]["chrf"] <= found["chrf"]["high"] <= 100


def test_usual_scores_are_sacrebleus():
    chance = random.Random(0)
    words = ["the", "cat", "sat", "on", "a", "mat", "and", "dog", "ran", "away"]
    reference = [" ".join(chance.choices(words, k=8)) for _ in range(50)]
    said = [" ".join(chance.choices(words, k=8)) for _ in range(50)]
    found = score(said, reference, {"chrf": True})["chrf"]
    whole = sacrebleu.CHRF().corpus_score(said, [reference], n_bootstrap=1000)
    assert found["chrf"] == round(whole.score, 4)
    assert found["low"] == round(whole._mean - whole._ci, 4)
    assert found["high"] == round(whole._mean + whole._ci, 4)
