"""Pieces that no target has cannot be said: in the loss, in the scores, in every engine, and in what is saved."""

import pytest
import torch
from torch.nn import functional
from toy_corpus import ARCHITECTURE, RECIPE, data_of, tokenizer_of, write_corpus
from transformers import AutoModelForSeq2SeqLM

from headwork.models.architectures.build import build
from headwork.models.jobs.train import run_training
from headwork.models.objectives.output_pieces import NEVER, limit_outputs, output_bias, output_pieces
from headwork.models.objectives.translation import Translating
from headwork.models.scoring.beam_search import translate
from headwork.models.training.batches import Collator

SMOOTHING = 0.1


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return write_corpus(tmp_path_factory.mktemp("outputs"), {"train": 60, "dev": 20, "test": 20})


@pytest.fixture(params=["pegasus", "marian"])
def limited(request, corpus):
    """A model that may say what the targets have, the pieces, and a batch."""
    tokenizer, data = tokenizer_of(corpus), data_of(corpus, "train")
    model = build({**ARCHITECTURE, "family": request.param}, tokenizer, 3).eval()
    pieces = sorted(set(data.target.pieces.tolist()))
    assert len(pieces) < len(tokenizer) - 20, "the source has pieces of its own"
    limit_outputs(model, pieces)
    return model, pieces, Collator(0, 0)([data[number] for number in range(20)])


def test_all_may_be_said_unless_something_was_said(corpus):
    model = build(ARCHITECTURE, tokenizer_of(corpus), 3)
    assert output_pieces(model).tolist() == list(range(model.config.vocab_size))
    assert not Translating.of(model, SMOOTHING).emitted.limited


def test_logits(limited):
    model, pieces, batch = limited
    assert output_pieces(model).tolist() == pieces
    bias = output_bias(model)
    assert set(bias.tolist()) == {0.0, NEVER}
    before = model(**batch).logits.softmax(dim=-1)
    others = [piece for piece in range(model.config.vocab_size) if piece not in pieces]
    assert before[..., others].sum(dim=-1).max() < 1e-6


def test_loss_is_that_over_the_pieces_alone(limited):
    model, pieces, batch = limited
    found = Translating.of(model, SMOOTHING).loss(model, batch)
    labels = batch["labels"]
    real = labels >= 0
    logits = model(**batch).logits[real][:, pieces]
    places = torch.tensor([pieces.index(piece) for piece in labels[real].tolist()])
    usual = functional.cross_entropy(logits, places, reduction="sum", label_smoothing=SMOOTHING)
    assert found.loss.item() == pytest.approx(usual.item(), rel=1e-5)
    assert found.count == int(real.sum())
    weights = [weight for weight in model.parameters() if weight.requires_grad]
    ours, theirs = (torch.autograd.grad(loss, weights) for loss in (found.loss, usual))
    for one, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-3, atol=1e-4)


def test_scores_are_the_models_own_and_finite(limited):
    """Dev may have a piece that train's targets lack."""
    model, pieces, batch = limited
    other = next(piece for piece in range(3, model.config.vocab_size) if piece not in pieces)
    batch["labels"][0, 0] = other
    found = Translating.of(model, SMOOTHING).score(model, batch)
    real = batch["labels"] >= 0
    with torch.no_grad():
        logits = model(**batch).logits[real]
    usual = functional.cross_entropy(logits, batch["labels"][real], reduction="sum")
    assert found.loss.item() == pytest.approx(usual.item(), rel=1e-5)
    assert found.right == int((logits.argmax(dim=1) == batch["labels"][real]).sum())


@pytest.mark.parametrize("engine", ["transformers", "ctranslate2"])
def test_no_engine_says_them(limited, corpus, engine):
    model, pieces, _ = limited
    tokenizer = tokenizer_of(corpus)
    lines = (corpus / "test.source.txt").read_text().splitlines()

    def said():
        found = translate(model, lines, {"engine": engine, "beam": 2}, tokenizer=tokenizer)
        return set(tokenizer(" ".join(found))["input_ids"])

    own = said()
    assert len(own) > 2
    assert own <= set(pieces) | {tokenizer.unk_token_id}
    limit_outputs(model, range(model.config.vocab_size))
    assert not said() <= own, "free, the model says others"


@pytest.mark.slow
def test_a_run_has_the_pieces_of_its_targets(corpus, tmp_path):
    row = {"run": "toy", "objective": "translation", "recipe": "toy", "seed": 1, "gates": "none"}
    run_training(row, ARCHITECTURE, {**RECIPE, "steps": 3}, corpus, tmp_path / "run", tmp_path / "work")
    model = AutoModelForSeq2SeqLM.from_pretrained(tmp_path / "run")
    assert output_pieces(model).tolist() == sorted(set(data_of(corpus, "train").target.pieces.tolist()))
