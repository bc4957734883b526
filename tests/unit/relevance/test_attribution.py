"""Attribution: its equation restated, completeness, a closed form, and against captum's integrated gradients."""

import numpy as np
import pytest
import torch
from captum.attr import IntegratedGradients
from tiny_bert import tiny_bert, tiny_marian, word_tokenizer
from torch import nn
from transformers import BertForSequenceClassification

from headwork.errors import InputError
from headwork.lens.lens import Lens
from headwork.relevance.attributions.self_attention import attributions, nodes
from headwork.relevance.attributions.targets import of_class, of_piece
from headwork.settings.relevance import AttributionSettings
from headwork.sites import Site


@pytest.fixture(scope="module")
def model():
    config = tiny_bert(word_tokenizer("abcdefgh"), initializer_range=0.4).config
    config.num_labels = 3
    torch.manual_seed(2)
    model = BertForSequenceClassification(config).eval()
    with torch.no_grad():
        model.classifier.weight.mul_(6)
    return model


@pytest.fixture(scope="module")
def inputs():
    torch.manual_seed(3)
    ids = torch.randint(5, 13, (3, 7))
    mask = torch.tensor([[1] * 7, [1] * 5 + [0] * 2, [1] * 6 + [0]])
    return {"input_ids": ids * mask, "attention_mask": mask}


CLASSES = torch.tensor([0, 2, 1])


def probability(model: nn.Module, inputs, scale: float, site: Site):
    """(F of each text with a site's maps scaled, the maps as they are used)."""
    with Lens(model) as lens, lens.scaling({site: scale}), lens.keeping([site]) as kept:
        logits = model(**inputs).logits
    answers = logits.softmax(-1)[torch.arange(len(logits)), CLASSES[: len(logits)]]
    return answers, kept[site]


@pytest.mark.parametrize("rule", ["right", "left", "midpoint", "gauss"])
@pytest.mark.parametrize("layer", [1, 2])
def test_equation(model, inputs, rule, layer):
    """A times the weighted sum of ∂F/∂A at scaled maps, each from a pass of its own through the kept map."""
    site = Site("encoder", layer)
    expected = 0
    for place, weight in zip(*nodes(rule, 4), strict=True):
        answers, maps = probability(model, inputs, place, site)
        expected = expected + weight * torch.autograd.grad(answers.sum(), maps)[0]
    with torch.no_grad():
        expected = expected * probability(model, inputs, 1.0, site)[1]
    settings = AttributionSettings(rule=rule, steps=4, most=4)
    (found,) = attributions(model, inputs, of_class(model, CLASSES), [site], settings)
    torch.testing.assert_close(found.maps, expected, rtol=1e-4, atol=1e-6)
    assert found.steps == [4] * 3


def test_completeness(model, inputs):
    for found in attributions(model, inputs, of_class(model, CLASSES)):
        with torch.no_grad():
            change = probability(model, inputs, 1.0, found.site)[0]
            change = change - probability(model, inputs, 0.0, found.site)[0]
        torch.testing.assert_close(found.change, change, rtol=1e-4, atol=1e-6)
        torch.testing.assert_close(found.maps.sum((1, 2, 3)) + found.missing, change, rtol=1e-4, atol=1e-6)
        bound = (0.02 * change.abs()).clamp_min(1e-4)
        assert (found.missing.abs() <= bound).all()


def test_rules_come_to_the_same_map_and_gauss_soonest(model, inputs):
    site, target = Site("encoder", 1), of_class(model, CLASSES)

    def maps(rule, steps):
        settings = AttributionSettings(rule=rule, steps=steps, most=steps)
        return next(attributions(model, inputs, target, [site], settings)).maps

    exact = maps("gauss", 24)
    errors = {
        (rule, steps): float((maps(rule, steps) - exact).abs().max())
        for rule, steps in (("right", 10), ("right", 160), ("left", 160), ("midpoint", 40), ("gauss", 10))
    }
    assert errors["gauss", 10] < errors["midpoint", 40] < errors["right", 10]
    assert max(errors["right", 160], errors["left", 160]) < errors["right", 10] / 8
    assert errors["gauss", 10] < 1e-2 * float(exact.abs().max())


def test_nodes_are_taken_again_where_the_sum_is_not_complete(model, inputs):
    few = AttributionSettings(steps=1, tolerance=1e-4, negligible=1e-7, most=16)
    found = list(attributions(model, inputs, of_class(model, CLASSES), settings=few))
    assert max(max(each.steps) for each in found) > 1
    once = AttributionSettings(steps=1, tolerance=1e9, most=16)
    rough = list(attributions(model, inputs, of_class(model, CLASSES), settings=once))
    assert all(each.steps == [1] * 3 for each in rough)
    missing, missing_once = (
        sum(float(each.missing.abs().sum()) for each in every) for every in (found, rough)
    )
    assert missing < missing_once


def test_padding_and_a_disconnected_head_have_none(model, inputs):
    with torch.no_grad():
        output = model.bert.encoder.layer[0].attention.output.dense
        kept = output.weight.clone()
        output.weight[:, 8:] = 0
    try:
        found = next(attributions(model, inputs, of_class(model, CLASSES)))
    finally:
        with torch.no_grad():
            output.weight.copy_(kept)
    assert found.maps[:, 1].abs().max() == 0
    assert found.maps[:, 0].abs().max() > 0
    assert found.maps[1, :, 5:].abs().max() == 0
    assert found.maps[1, :, :, 5:].abs().max() == 0


def test_of_the_last_layer_only_what_cls_reads_counts(model, inputs):
    *_, last = attributions(model, inputs, of_class(model, CLASSES))
    assert last.maps[:, :, 1:].abs().max() == 0
    assert last.maps[:, :, 0].abs().max() > 0


def test_batches_do_not_matter(model, inputs):
    target = of_class(model, CLASSES)
    together = [found.maps for found in attributions(model, inputs, target)]
    one = {name: tensor[1:2, :5] for name, tensor in inputs.items()}
    alone = [found.maps for found in attributions(model, one, of_class(model, CLASSES[1:2]))]
    for maps, own in zip(together, alone, strict=True):
        torch.testing.assert_close(maps[1:2, :, :5, :5], own, rtol=1e-3, atol=1e-6)


def test_captum_agrees(model, inputs):
    """Its integrated gradients of the map as an input, from zeros, by Gauss-Legendre."""
    site, text = Site("encoder", 1), {name: tensor[:1] for name, tensor in inputs.items()}
    seen = []
    with torch.no_grad(), Lens(model) as lens, lens.observing(seen.append, sites=[site]):
        model(**text)
    block = model.bert.encoder.layer[0].attention.output

    def forward(maps):
        """The first class's probability with these maps in place of the site's."""
        contexts = (maps @ seen[0].value).transpose(1, 2).flatten(2)
        copies = {name: tensor.expand(len(maps), -1) for name, tensor in text.items()}
        hook = block.register_forward_pre_hook(lambda module, given: (contexts, given[1]))
        try:
            return model(**copies).logits.softmax(-1)[:, 0]
        finally:
            hook.remove()

    theirs = IntegratedGradients(forward).attribute(seen[0].weights, method="gausslegendre", n_steps=8)
    settings = AttributionSettings(steps=8, most=8)
    ours = next(attributions(model, text, of_class(model, CLASSES[:1]), [site], settings)).maps
    np.testing.assert_allclose(ours.numpy(), theirs.detach().numpy(), rtol=1e-3, atol=1e-6)


def test_a_translation_models_encoder_decoder_and_cross_attention():
    model = tiny_marian(word_tokenizer("abcdefghijklmno"), init_std=0.4)
    inputs = {
        "input_ids": torch.randint(2, 20, (2, 6)),
        "attention_mask": torch.ones(2, 6, dtype=torch.long),
        "decoder_input_ids": torch.randint(2, 20, (2, 5)),
    }
    target = of_piece(torch.tensor([2, 4]), torch.tensor([7, 9]))
    found = {each.site: each for each in attributions(model, inputs, target)}
    assert set(found) == {Site("encoder", 1), Site("encoder", 2), Site("decoder", 1), Site("cross", 1)}
    for each in found.values():
        assert (each.missing.abs() <= (0.02 * each.change.abs()).clamp_min(1e-4)).all()
    # what is read after the step in question does not matter
    assert found[Site("cross", 1)].maps[0, :, 3:].abs().max() == 0


def test_half_precision_is_near(model, inputs):
    target = of_class(model, CLASSES)
    ways = (AttributionSettings(precision=name) for name in ("fp32", "bf16"))
    exact, near = ([each.maps for each in attributions(model, inputs, target, settings=way)] for way in ways)
    for one, other in zip(exact, near, strict=True):
        assert float((one - other).abs().max()) < 0.1 * float(one.abs().max())


def test_what_cannot_be_asked(model, inputs):
    with pytest.raises(InputError, match="attribution: no class 3; the model has 0: LABEL_0, 1: LABEL_1"):
        of_class(model, torch.tensor([3]))
    with pytest.raises(InputError, match="the model has no attention encoder 9; it has encoder 1, encoder 2"):
        next(attributions(model, inputs, of_class(model, CLASSES), [Site("encoder", 9)]))
