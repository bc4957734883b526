"""Scores against sacreBLEU's own."""

import os

import pytest
import sacrebleu
from tokenizers.normalizers import Lowercase
from toy_corpus import bpe
from transformers import PreTrainedTokenizerFast

from headwork.errors import InputError
from headwork.models.scoring.bleu import score, scoring_of
from headwork.settings.models import Scoring

REFERENCES = [f"The cat number {n} sat on the mat, and the dog {n % 7} saw it." for n in range(60)]
HYPOTHESES = [line if n % 3 else line.replace("sat on", "lay under") for n, line in enumerate(REFERENCES)]


def test_bleu_is_sacrebleus():
    found = score(HYPOTHESES, REFERENCES, {"resamples": 200})
    assert found["bleu"] == pytest.approx(sacrebleu.corpus_bleu(HYPOTHESES, [REFERENCES]).score, abs=1e-4)
    assert found["low"] < found["bleu"] < found["high"]
    assert found["high"] - found["low"] < 15
    assert found["signature"].startswith("nrefs:1|bs:200|seed:12345|case:mixed|eff:no|tok:13a|smooth:exp")
    assert (found["sentences"], found["exact"]) == (60, pytest.approx(40 / 60))
    assert score(REFERENCES, REFERENCES)["bleu"] == pytest.approx(100)


def test_the_interval_has_a_seed():
    one, again, other = (
        score(HYPOTHESES, REFERENCES, {"resamples": 100, "seed": seed}) for seed in (1, 1, 2)
    )
    assert one == again
    assert (one["low"], one["high"]) != (other["low"], other["high"])
    assert "seed:2" in other["signature"]
    assert "SACREBLEU_SEED" not in os.environ


def test_words_lower_cased():
    words = [line.replace(",", " ,").replace(".", " .") for line in HYPOTHESES]
    upper = [line.replace(",", " ,").replace(".", " .").upper() for line in REFERENCES]
    found = score(HYPOTHESES, REFERENCES, tokenised=(words, upper))["tokenised_lowercased"]
    assert found["bleu"] == pytest.approx(score(HYPOTHESES, REFERENCES)["bleu"], abs=1e-3)
    assert "case:lc" in found["signature"]
    assert "tok:none" in found["signature"]


@pytest.mark.parametrize(("tokenize", "warned"), [("none", False), ("13a", True)])
def test_text_that_is_tokenised_on_purpose_is_not_warned_of(caplog, tokenize, warned):
    tokenised = [line.replace(".", " .") for line in REFERENCES * 2]
    found = score(tokenised, tokenised, {"tokenize": tokenize, "resamples": 2})
    assert f"tok:{tokenize}" in found["signature"]
    assert ("forgot to detokenize" in caplog.text) == warned


def test_case_may_not_count():
    lower = [line.lower() for line in REFERENCES]
    strict = score(lower, REFERENCES)
    loose = score(lower, REFERENCES, {"lowercase": True})
    assert (strict["exact"], loose["exact"]) == (0, 1)
    assert strict["bleu"] < loose["bleu"] == pytest.approx(100)
    assert "case:lc" in loose["signature"]


def test_case_counts_if_the_tokenizer_keeps_it():
    tokenizer = bpe(["ab", "cd"])
    assert scoring_of(PreTrainedTokenizerFast(tokenizer_object=tokenizer)) == Scoring()
    tokenizer.normalizer = Lowercase()
    lowering = PreTrainedTokenizerFast(tokenizer_object=tokenizer)
    assert scoring_of(lowering, {"scoring": {"tokenize": "none"}}) == Scoring(tokenize="none", lowercase=True)
    assert scoring_of(lowering, {"scoring": {"lowercase": False}}) == Scoring()


def test_chrf():
    found = score(HYPOTHESES, REFERENCES, {"chrf": True, "resamples": 50})["chrf"]
    assert found["chrf"] == pytest.approx(sacrebleu.corpus_chrf(HYPOTHESES, [REFERENCES]).score, abs=1e-4)
    assert found["low"] < found["chrf"] < found["high"]


def test_what_cannot_be_scored():
    with pytest.raises(InputError, match="59 translations cannot be scored against 60 references"):
        score(HYPOTHESES[1:], REFERENCES)
    with pytest.raises(InputError, match="0 translations"):
        score([], [])
    nothing_right = score(["alpha beta gamma delta"] * 5, ["one two three four five six"] * 5)
    assert [nothing_right[name] for name in ("bleu", "low", "high", "exact")] == [0] * 4
