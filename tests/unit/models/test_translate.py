"""Beam search."""

import pytest
import torch
from toy_corpus import ARCHITECTURE, RECIPE, data_of, tokenizer_of, write_corpus

from headwork.errors import InputError
from headwork.models.architectures.build import build
from headwork.models.loading.checkpoints import save
from headwork.models.scoring.beam_search import (
    CTranslate2,
    Hypothesis,
    Transformers,
    ranking_score,
    translate,
)
from headwork.models.training.train import train


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return write_corpus(tmp_path_factory.mktemp("translate"), {"train": 1500, "dev": 60, "test": 80})


SHAPES = {
    "pegasus": {"family": "pegasus"},
    "marian": {"family": "marian"},
    "a decoder with one head": {"family": "pegasus", "decoder_heads": 1},
}


@pytest.fixture(scope="module", params=SHAPES)
def trained(request, corpus, tmp_path_factory):
    """A model that half knows its task, its tokenizer, and lines to translate."""
    tokenizer = tokenizer_of(corpus)
    model = build({**ARCHITECTURE, **SHAPES[request.param]}, tokenizer, 1)
    recipe = {**RECIPE, "steps": 120, "tokens_per_batch": 500, "checkpoint_every": 200}
    work = tmp_path_factory.mktemp("work")
    train(model, data_of(corpus, "train"), data_of(corpus, "dev"), recipe, 1, work)
    lines = (corpus / "test.source.txt").read_text().splitlines()
    return model, tokenizer, lines


@pytest.mark.parametrize("beam", [1, 4])
def test_engines_agree(trained, beam):
    model, tokenizer, lines = trained
    fast, slow = (
        translate(model, lines, {"engine": engine, "beam": beam}, tokenizer=tokenizer)
        for engine in ("ctranslate2", "transformers")
    )
    assert fast == slow
    assert len(set(fast)) > 20, "it says different things of different lines"


@pytest.mark.parametrize("alpha", [0.0, 0.6])
def test_engines_find_the_same_hypotheses(trained, alpha):
    model, tokenizer, lines = trained
    sources = [tokenizer(line)["input_ids"] for line in lines[:12]]
    fast = CTranslate2(model, tokenizer, 4, alpha, 1).hypotheses(sources, 9)
    slow = Transformers(model, 4, alpha, 1, "cpu").hypotheses(sources, 9)
    for ours, theirs in zip(fast, slow, strict=True):
        assert [one.pieces for one in ours] == [one.pieces for one in theirs]
        expected = [one.log_probability for one in theirs]
        assert [one.log_probability for one in ours] == pytest.approx(expected, abs=2e-3)


def test_log_probability_is_the_models(trained):
    model, tokenizer, lines = trained
    source = tokenizer(lines[0], return_tensors="pt").input_ids
    best = CTranslate2(model, tokenizer, 4, 0.6, 1).hypotheses(source.tolist(), 30)[0][0]
    target = torch.tensor([[*best.pieces, tokenizer.eos_token_id]])
    with torch.no_grad():
        logits = model(input_ids=source, labels=target).logits[0]
    logits[:, tokenizer.pad_token_id] = -torch.inf
    logits[0, tokenizer.eos_token_id] = -torch.inf
    expected = logits.log_softmax(dim=1)[range(target.shape[1]), target[0]].sum().item()
    assert best.log_probability == pytest.approx(expected, abs=1e-3)


def decided(model, tokenizer, lines, longest):
    """The lines whose best translation is ahead of the next by more than rounding in another batch could make up."""
    sources = [tokenizer(line)["input_ids"] for line in lines]
    some = []
    for line, found in zip(
        lines, CTranslate2(model, tokenizer, 4, 0.6, 1).hypotheses(sources, longest), strict=True
    ):
        best, second, *_ = sorted((ranking_score(one, 0.6, 6.0) for one in found), reverse=True)
        some += [line] * (best - second > 0.01)
    return some


def test_order_and_empty_lines_are_kept(trained, tmp_path):
    model, tokenizer, lines = trained
    # A model that half knows its task repeats itself up to the limit, which is otherwise that of the batch.
    limit = {"longest_factor": 0.0, "longest_extra": 14}
    some = decided(model, tokenizer, lines, 14)[:20]
    assert len(some) == 20
    expected = translate(model, some, limit, tokenizer=tokenizer)
    few = {**limit, "tokens_per_batch": 40}
    turned = translate(model, ["", *reversed(some), " "], few, tokenizer=tokenizer)
    assert turned == ["", *reversed(expected), ""]
    save(tmp_path, model, tokenizer)
    assert translate(tmp_path, some, limit) == expected


def test_the_longest_translation(trained):
    model, tokenizer, lines = trained
    short = {"longest_factor": 0.0, "longest_extra": 2}
    for engine in "ctranslate2", "transformers":
        found = translate(model, lines[:10], {**short, "engine": engine}, tokenizer=tokenizer)
        assert max(len(tokenizer(line)["input_ids"]) - 1 for line in found) <= 2


def test_worth_restates_the_formula():
    hypothesis = Hypothesis([5, 6, 7], -2.0)
    assert ranking_score(hypothesis, 0.6, 6.0) == pytest.approx(-2.0 / 9**0.6)
    assert ranking_score(hypothesis, 0.0, 6.0) == -2.0
    # a longer hypothesis gains by the penalty
    longer = Hypothesis([5, 6, 7, 8, 9], -2.1)
    assert ranking_score(longer, 0.0, 6.0) < ranking_score(hypothesis, 0.0, 6.0)
    assert ranking_score(longer, 0.6, 6.0) > ranking_score(hypothesis, 0.6, 6.0)


def test_overlong_sentences(trained):
    model, tokenizer, lines = trained
    long, longest = " ".join(["ba"] * 60), " ".join(["ba"] * 39)
    with pytest.raises(
        InputError, match=r"text:2: .* 61 pieces, the model has 40 positions; .*overlong: cut"
    ):
        translate(model, [lines[0], long], tokenizer=tokenizer)
    cut = translate(model, [lines[0], long], {"overlong": "cut"}, tokenizer=tokenizer)
    assert cut == translate(model, [lines[0], longest], tokenizer=tokenizer)
