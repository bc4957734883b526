"""Importance of heads: equations restated, a head that is not connected, and Michel et al.'s division by layer."""

import pandas as pd
import pytest
import torch
from tiny_bert import tiny_bert, word_tokenizer
from torch.nn.functional import cross_entropy
from transformers import BertForSequenceClassification

from headwork.lens.lens import Lens
from headwork.relevance.attributions.importance import (
    OF_GRADIENTS,
    normalised,
    of_attributions,
    table,
    taylor,
)
from headwork.relevance.attributions.self_attention import Attribution, attributions
from headwork.relevance.attributions.targets import of_class
from headwork.sites import Site

CLASSES = torch.tensor([1, 0])


@pytest.fixture
def model():
    config = tiny_bert(word_tokenizer("abcdefgh"), initializer_range=0.4).config
    config.num_labels = 2
    torch.manual_seed(2)
    return BertForSequenceClassification(config).eval()


@pytest.fixture
def inputs():
    torch.manual_seed(3)
    mask = torch.tensor([[1] * 6, [1] * 4 + [0] * 2])
    return {"input_ids": torch.randint(5, 13, (2, 6)) * mask, "attention_mask": mask}


def test_equations(model, inputs):
    """The gradient of each text's loss by its maps, from a pass of its own; that by contexts by finite differences."""
    found = taylor(model, inputs, of_class(model, CLASSES))
    assert set(found) == set(OF_GRADIENTS)
    for text, length in enumerate((6, 4)):
        alone = {name: tensor[text : text + 1, :length] for name, tensor in inputs.items()}
        with Lens(model) as lens, lens.keeping(lens.anatomy.sites) as kept:
            cross_entropy(model(**alone).logits, CLASSES[text : text + 1]).backward()
        for site, weights in kept.items():
            expected = (weights * weights.grad).sum((0, 2, 3)).abs()
            torch.testing.assert_close(found["taylor"][site][text], expected, rtol=1e-3, atol=1e-6)
            torch.testing.assert_close(found["attention"][site][text], weights.amax((0, 2, 3)))


def test_the_context_form_is_the_gradient_of_a_gate_where_one_place_is_read(model, inputs):
    """In the last layer only [CLS] has a gradient: |c · ∂L/∂c| = |∂L/∂gate| (Michel et al. 2019, equation 3)."""
    found = taylor(model, inputs, of_class(model, CLASSES))["taylor-context"][Site("encoder", 2)]
    gates = torch.ones(2, 2, requires_grad=True)
    with Lens(model) as lens, lens.gating({Site("encoder", 2): gates}):
        cross_entropy(model(**inputs).logits, CLASSES, reduction="sum").backward()
    torch.testing.assert_close(found, gates.grad.abs(), rtol=1e-3, atol=1e-6)


def test_a_head_that_is_not_connected_has_none(model, inputs):
    with torch.no_grad():
        model.bert.encoder.layer[0].attention.output.dense.weight[:, 8:] = 0
    found = taylor(model, inputs, of_class(model, CLASSES))
    attributed = of_attributions(list(attributions(model, inputs, of_class(model, CLASSES))), inputs)
    for importance in (found["taylor"], found["taylor-context"], attributed):
        assert importance[Site("encoder", 1)][:, 1].abs().max() == 0
        assert importance[Site("encoder", 1)][:, 0].min() > 0
    assert found["attention"][Site("encoder", 1)][:, 1].min() > 0


@pytest.mark.parametrize("kind", ["encoder", "decoder", "cross"])
def test_padding_never_is_the_highest(kind, inputs):
    masks = inputs | {"decoder_attention_mask": torch.tensor([[1] * 3, [1] * 2 + [0]])}
    queries, keys = (
        masks[f"{'decoder_' * there}attention_mask"] for there in (kind != "encoder", kind == "decoder")
    )
    maps = -(queries[:, None, :, None] * keys[:, None, None]).float()
    found = of_attributions([Attribution(Site(kind, 1), maps, None, None, [])], masks)
    assert found[Site(kind, 1)].tolist() == [[-1], [-1]]


def test_tables(model, inputs):
    found = table("taylor", taylor(model, inputs, of_class(model, CLASSES))["taylor"])
    assert found[["kind", "layer", "head", "statistic", "key", "count"]].to_numpy().tolist() == [
        ["encoder", layer, head, "importance", "taylor", 2] for layer in (1, 2) for head in (1, 2)
    ]
    divided = normalised(found)
    assert (divided["value"] ** 2).groupby(divided["layer"]).sum().tolist() == pytest.approx([1, 1])
    silent = normalised(found.assign(value=0.0))
    pd.testing.assert_series_equal(silent["value"], pd.Series([0.0] * 4, name="value"))
