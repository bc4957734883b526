"""Sensitivity of a masked language model's loss to attention: masks, classes, texts of a batch, a planted no-op."""

import numpy as np
import pytest
import torch
from tiny_bert import tiny_bert, word_tokenizer

from headwork.corpora.running_text.segments import Segment
from headwork.heads.jobs.segment_heads import segment_batches
from headwork.heads.statistics.token_classes import CLASSES, token_classes
from headwork.models.objectives.masking import Masking, MaskingSettings
from headwork.models.training.batches import IGNORED
from headwork.relevance.sensitivity import losses, masked, sensitivity
from headwork.settings.relevance import SensitivitySettings

WORDS = [".", ",", *(f"w{number}" for number in range(23))]


@pytest.fixture(scope="module")
def tokenizer():
    return word_tokenizer(WORDS)


@pytest.fixture
def model(tokenizer):
    return tiny_bert(tokenizer, initializer_range=0.5)


def segments(lengths, seed=0):
    chance = np.random.default_rng(seed)
    return [Segment(*(chance.integers(5, 30, size).tolist() for size in pair)) for pair in lengths]


def batches(tokenizer, lengths=((4, 5), (7, 8), (3, 9)), tokens=100, seed=0):
    made = segment_batches(segments(lengths), tokenizer, tokens=tokens)
    return list(masked(made, Masking(tokenizer, MaskingSettings(share=0.3)), seed))


def values_of(table):
    return table.set_index(["layer", "head", "key"])["value"]


def test_masks_spare_special_pieces_and_padding(tokenizer):
    (batch,) = batches(tokenizer)
    side, labels = batch.queries["encoder"], batch.inputs["labels"]
    assert side is batch.keys["encoder"]
    assert side.ids is batch.inputs["input_ids"]
    chosen = labels != IGNORED
    assert chosen.any(1).all()
    assert (chosen & ~side.real).sum() == 0
    assert (labels[chosen] >= 5).all()
    again, other = batches(tokenizer)[0], batches(tokenizer, seed=1)[0]
    assert torch.equal(again.inputs["labels"], labels)
    assert not torch.equal(other.inputs["labels"], labels)


def test_loss_is_that_of_transformers(model, tokenizer):
    (batch,) = batches(tokenizer, lengths=((6, 7),))
    inputs = dict(batch.inputs)
    labels = inputs.pop("labels")
    with torch.no_grad():
        logits, expected = model(**inputs).logits, model(**batch.inputs).loss
    torch.testing.assert_close(losses(logits, labels)[0], expected)
    count = (labels != IGNORED).sum()
    torch.testing.assert_close(losses(logits, labels, "sum")[0], expected * count)


def test_texts_of_a_batch_do_not_mix(model, tokenizer):
    """Together, padded, or one by one, the means are the same; sums of pairs are n times as large."""
    classes = token_classes(tokenizer)
    whole = batches(tokenizer)
    together = sensitivity(model, whole, classes)
    alone = []
    for row in range(3):
        (batch,) = whole
        length = int(batch.queries["encoder"].present[row].sum())
        inputs = {name: tensor[row : row + 1, :length] for name, tensor in batch.inputs.items()}
        side = batch.queries["encoder"]
        parts = (tensor[row : row + 1, :length] for tensor in (side.ids, side.present, side.real, side.words))
        own = type(side)(*parts)
        alone.append(type(batch)(inputs, {"encoder": own}, {"encoder": own}))
    apart = sensitivity(model, alone, classes)
    assert together["count"].tolist() == apart["count"].tolist()
    np.testing.assert_allclose(together["value"], apart["value"], rtol=1e-4)
    means, sums = (
        values_of(sensitivity(model, alone[:1], classes, SensitivitySettings(pairs=how)))
        for how in ("mean", "sum")
    )
    length = alone[0].inputs["input_ids"].shape[1]
    assert sums[1, 1, "sep"] == pytest.approx(means[1, 1, "sep"] * length * 2)


def test_classes_make_up_what_was_not_masked(model, tokenizer):
    (batch,) = batches(tokenizer, lengths=((9, 9),))
    table = sensitivity(model, [batch], token_classes(tokenizer), SensitivitySettings(pairs="sum"))
    found = values_of(table)
    for head in (1, 2):
        parts = sum(found.get((1, head, name), 0) for name in CLASSES)
        assert parts == pytest.approx(found[1, head, "unmasked"])


def test_attention_to_what_adds_nothing_has_no_gradient(model, tokenizer):
    """A head whose values are nothing is a no-op; the other still counts. (The paper's reading of [SEP].)"""
    value = model.bert.encoder.layer[1].attention.self.value
    with torch.no_grad():
        value.weight[:8] = 0
        value.bias[:8] = 0
    found = values_of(sensitivity(model, batches(tokenizer), token_classes(tokenizer)))
    assert found[2, 1, "unmasked"] == 0
    assert found[2, 2, "unmasked"] > 0
    assert found[1, 1, "sep"] > 0


def test_the_model_is_left_as_it_was(model, tokenizer):
    model.train()
    before = {name: weight.clone() for name, weight in model.state_dict().items()}
    needed = [parameter.requires_grad for parameter in model.parameters()]
    first, second = (sensitivity(model, batches(tokenizer), token_classes(tokenizer)) for _ in range(2))
    assert first.equals(second)  # no dropout
    assert model.training
    assert [parameter.requires_grad for parameter in model.parameters()] == needed
    assert all(parameter.grad is None for parameter in model.parameters())
    assert all(torch.equal(weight, before[name]) for name, weight in model.state_dict().items())


def test_a_summed_loss_is_as_many_times_as_sensitive_as_pieces_are_masked(model, tokenizer):
    (batch,) = batches(tokenizer, lengths=((9, 9),))
    count = int((batch.inputs["labels"] != IGNORED).sum())
    assert count > 1
    mean, summed = (
        sensitivity(model, [batch], token_classes(tokenizer), SensitivitySettings(loss=how))
        for how in ("mean", "sum")
    )
    np.testing.assert_allclose(summed["value"], count * mean["value"], rtol=1e-4)
