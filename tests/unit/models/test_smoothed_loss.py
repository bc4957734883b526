"""The smoothed cross-entropy against its equation and against torch's own."""

import pytest
import torch
from torch.nn import functional
from toy_corpus import ARCHITECTURE, data_of, tokenizer_of, write_corpus

from headwork.models.architectures.build import build
from headwork.models.numerics import smoothed_loss
from headwork.models.numerics.smoothed_loss import plain_scores, smoothed_cross_entropy
from headwork.models.objectives.translation import real_positions
from headwork.models.training.batches import Collator


@pytest.fixture
def problem():
    torch.manual_seed(0)
    rows = torch.randn(50, 8, requires_grad=True)
    embeddings = torch.randn(30, 8, requires_grad=True)
    return rows, embeddings, torch.randint(0, 30, (50,))


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_equation(problem, smoothing):
    rows, embeddings, targets = problem
    log_p = torch.log_softmax((rows @ embeddings.t()).double(), dim=1)
    expected = -(1 - smoothing) * log_p[range(50), targets] - smoothing / 30 * log_p.sum(dim=1)
    loss = smoothed_cross_entropy(rows, embeddings, targets, smoothing)
    assert loss.item() == pytest.approx(expected.sum().item(), rel=1e-6)


@pytest.mark.parametrize("rows_at_once", [1, 7, 1000])
def test_gradients_are_torchs(problem, rows_at_once, monkeypatch):
    monkeypatch.setitem(smoothed_loss.LOGITS_AT_ONCE, "cpu", 30 * rows_at_once)
    rows, embeddings, targets = problem
    usual = functional.cross_entropy(rows @ embeddings.t(), targets, reduction="sum", label_smoothing=0.1)
    expected = torch.autograd.grad(usual / 3, (rows, embeddings))
    loss = smoothed_cross_entropy(rows, embeddings, targets, 0.1)
    found = torch.autograd.grad(loss / 3, (rows, embeddings))
    assert loss.item() == pytest.approx(usual.item(), rel=1e-6)
    for ours, theirs in zip(found, expected, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-5, atol=1e-6)


def test_frozen_embeddings_get_no_gradient(problem):
    rows, embeddings, targets = problem
    loss = smoothed_cross_entropy(rows, embeddings.detach(), targets, 0.1)
    loss.backward()
    assert rows.grad is not None
    assert embeddings.grad is None
    with torch.no_grad():
        assert not smoothed_cross_entropy(rows, embeddings, targets, 0.1).requires_grad


@pytest.mark.parametrize("rows_at_once", [7, 1000])
def test_plain_scores(problem, rows_at_once, monkeypatch):
    monkeypatch.setitem(smoothed_loss.LOGITS_AT_ONCE, "cpu", 30 * rows_at_once)
    rows, embeddings, targets = problem
    bias = torch.randn(30)
    logits = (rows @ embeddings.t() + bias).double()
    loss, right = plain_scores(rows, embeddings, targets, bias)
    assert loss.item() == pytest.approx(functional.cross_entropy(logits, targets, reduction="sum").item())
    assert right == (logits.argmax(dim=1) == targets).sum()
    assert not loss.requires_grad
    best = (rows @ embeddings.t()).argmax(dim=1)
    assert plain_scores(rows, embeddings, best)[1] == 50
    assert plain_scores(rows, embeddings, (best + 1) % 30)[1] == 0


def test_plain_scores_know_no_ties_of_bf16():
    rows, embeddings = torch.tensor([[1.0]]), torch.tensor([[100.0], [100.1]])
    with torch.autocast("cpu", dtype=torch.bfloat16):
        tied = rows @ embeddings.t()
        assert tied[0, 0] == tied[0, 1]
        loss, right = plain_scores(rows, embeddings, torch.tensor([1]))
    assert right == 1
    assert loss.item() == pytest.approx(0.6444, abs=1e-4)  # log(1 + e^-0.1)


def test_padding_changes_nothing(tmp_path):
    corpus = write_corpus(tmp_path, {"train": 6})
    tokenizer, data = tokenizer_of(corpus), data_of(corpus, "train")
    model = build(ARCHITECTURE, tokenizer, 1)
    collator = Collator(tokenizer.pad_token_id, tokenizer.pad_token_id)

    def loss(pairs):
        rows, targets = real_positions(model, collator(pairs))
        assert len(targets) == sum(len(target) for _, target in pairs)
        return smoothed_cross_entropy(rows, model.get_output_embeddings().weight, targets, 0.1).item()

    pairs = [data[i] for i in range(len(data))]
    assert loss(pairs) == pytest.approx(sum(loss([pair]) for pair in pairs), rel=1e-5)
    batch = collator(pairs)
    usual = model(**batch).logits.flatten(0, 1), batch["labels"].flatten()
    theirs = functional.cross_entropy(*usual, reduction="sum", label_smoothing=0.1).item()
    assert loss(pairs) == pytest.approx(theirs, rel=1e-5), "the loss of the whole model's own logits"
