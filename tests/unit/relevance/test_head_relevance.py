"""Relevance of heads on whole models: shares, steps, padding, gates, two independent ways, and what is refused."""

import pytest
import torch
from seeded_models import BUILDERS, END, HEADS, MASK, SOURCES, TARGETS, batch_for, seeded_model, side
from torch import nn
from transformers.activations import ACT2FN

from headwork.errors import InputError
from headwork.heads.streaming.batches import single_batch
from headwork.lens.lens import Lens
from headwork.models.gates.removal import fold, remove_heads
from headwork.relevance.propagation.gradient import RelevanceGradients
from headwork.relevance.propagation.lrp import head_relevance, step_relevance
from headwork.settings.relevance import LRPSettings
from headwork.sites import Site

RULES = ("alphabeta", "epsilon", "gradient")
STEPS = {
    "marian": sum(map(len, TARGETS)),
    "pegasus": sum(map(len, TARGETS)),
    "bert classifier": len(SOURCES),
    "bert masked lm": 4,
    "roberta": 4,
    "bert causal": sum(map(len, SOURCES)) - len(SOURCES),  # nothing follows the end mark
}


def by_step(model, batch, settings, masked=MASK):
    with Lens(model) as lens:
        return step_relevance(lens, batch, settings, list(lens.anatomy.sites), masked)


@pytest.mark.parametrize("steps", ["each", "together"])
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("family", BUILDERS)
def test_shares_of_a_site_sum_to_one_and_all_steps_are_counted(family, rule, steps):
    model = seeded_model(family)
    batches = [batch_for(model, slice(0, 2)), batch_for(model, slice(2, 3))]
    table = head_relevance(model, batches, LRPSettings(rule=rule, steps=steps), masked=MASK)
    assert set(table["count"]) == {STEPS[family]}
    assert table["value"].between(0, 1).all()
    sites = table.groupby(["kind", "layer"])["value"].sum()
    assert sites.to_numpy() == pytest.approx(1, abs=1e-6)
    kinds = set(batches[0].queries)
    assert set(table["kind"]) == kinds
    assert len(sites) == 2 * len(kinds)
    assert table["value"].std() > 1e-3


def test_only_the_kinds_asked_for_and_the_same_numbers():
    model = seeded_model("marian")
    every = head_relevance(model, [batch_for(model)])
    one = head_relevance(model, [batch_for(model)], kinds=["encoder"])
    expected = every[every["kind"] == "encoder"]
    assert one["value"].to_numpy() == pytest.approx(expected["value"].to_numpy(), abs=1e-6)
    assert len(one) == len(expected) == 2 * HEADS


def test_the_value_is_the_mean_over_steps_of_shares():
    model = seeded_model("pegasus")
    batch = batch_for(model)
    table = head_relevance(model, [batch])
    steps, found = by_step(model, batch, LRPSettings())
    for site, relevance in found.items():
        shares = [heads / heads.sum() for heads in relevance[steps.present]]
        expected = torch.stack(shares).mean(0).tolist()
        rows = table[(table["kind"] == site.kind) & (table["layer"] == site.layer)]
        assert rows["value"].tolist() == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("family", BUILDERS)
def test_a_sentence_in_a_padded_batch_is_a_sentence_alone(family, rule):
    model = seeded_model(family).double()
    steps, found = by_step(model, batch_for(model), LRPSettings(rule=rule))
    for row in range(len(SOURCES)):
        alone, expected = by_step(model, batch_for(model, slice(row, row + 1)), LRPSettings(rule=rule))
        there = steps.present[row]
        assert there.sum() == alone.present.sum()
        for site, relevance in expected.items():
            torch.testing.assert_close(found[site][row][there], relevance[0][alone.present[0]])


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("family", BUILDERS)
def test_single_and_double_precision_agree(family, rule):
    model = seeded_model(family)
    settings = LRPSettings(rule=rule, layernorm="detach_std", bias="neuron")
    single = head_relevance(model, [batch_for(model)], settings, masked=MASK)["value"]
    double = head_relevance(model.double(), [batch_for(model)], settings, masked=MASK)["value"]
    assert single.to_numpy() == pytest.approx(double.to_numpy(), abs=1e-4 if rule == "alphabeta" else 1e-2)


@pytest.mark.parametrize("layernorm", ["detach_std", "identity"])
@pytest.mark.parametrize("family", BUILDERS)
def test_the_epsilon_rule_is_gradient_times_input(family, layernorm):
    """Two machines that share nothing: rules along a tape, and autograd with a few gradients replaced."""
    model = seeded_model(family).double()
    batch = batch_for(model)
    chosen = {"layernorm": layernorm, "attention": "constant"}
    _, rules = by_step(model, batch, LRPSettings(rule="epsilon", epsilon=1e-12, **chosen))
    _, gradients = by_step(model, batch, LRPSettings(rule="gradient", **chosen))
    assert set(rules) == set(gradients)
    for site, expected in gradients.items():
        assert expected.abs().max() > 1e-3
        torch.testing.assert_close(rules[site], expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("rule", ["epsilon", "gradient"])
def test_without_rescaling_steps_together_are_the_sum_of_steps(rule):
    model = seeded_model("marian").double()
    batch = batch_for(model)
    _, each = by_step(model, batch, LRPSettings(rule=rule))
    _, together = by_step(model, batch, LRPSettings(rule=rule, steps="together"))
    for site, relevance in each.items():
        torch.testing.assert_close(together[site][:, 0], relevance.sum(1))


@pytest.mark.parametrize("family", ["marian", "pegasus", "bert classifier"])
@pytest.mark.parametrize("bias", ["spread", "neuron", "drop"])
def test_a_head_whose_gate_is_zero_gets_only_its_share_of_the_bias(family, bias):
    model = seeded_model(family)
    batch = batch_for(model)
    site = Site("encoder", 2)
    with Lens(model) as lens, lens.gating({site: torch.tensor([1.0, 0.0, 1.0, 1.0])}):
        steps, found = step_relevance(lens, batch, LRPSettings(bias=bias), [site])
        output = lens.anatomy.part(site).output
        relevance = found[site][steps.present]
        assert (relevance[:, [0, 2, 3]] > 0).all()
        if bias == "spread":
            assert (relevance[:, 1] > 0).all()
            torch.nn.init.zeros_(output.bias)
            _, found = step_relevance(lens, batch, LRPSettings(bias=bias), [site])
        assert not found[site][:, :, 1].any()


@pytest.mark.parametrize("rule", RULES)
def test_a_head_that_alone_is_projected_has_all_relevance(rule):
    model = seeded_model("pegasus")
    with torch.no_grad():
        for layer in model.model.encoder.layers:
            layer.self_attn.out_proj.weight[:, 4:] = 0
    settings = LRPSettings(rule=rule, bias="neuron", layernorm="detach_std")
    table = head_relevance(model, [batch_for(model)], settings, kinds=["encoder"])
    assert table[table["head"] == 1]["value"].to_numpy() == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("bias", ["spread", "neuron", "drop"])
def test_attentions_without_heads(bias):
    model, settings = seeded_model("marian"), LRPSettings(bias=bias)
    kept = {Site("encoder", 1): torch.zeros(HEADS), Site("decoder", 1): torch.zeros(2)}
    smaller = head_relevance(remove_heads(model, kept), [batch_for(model)], settings)
    sites = smaller.groupby(["kind", "layer"])["value"].sum()
    assert len(sites) == 4
    assert sites.to_numpy() == pytest.approx(1, abs=1e-6)
    if bias != "spread":  # which gives heads of no output relevance too
        fold(model, kept)
        whole = head_relevance(model, [batch_for(model)], settings)
        both = smaller.merge(whole, on=["kind", "layer", "head"])
        assert both["value_x"].to_numpy() == pytest.approx(both["value_y"].to_numpy(), abs=1e-6)


def test_without_a_masked_piece_all_real_places_are_asked_about():
    model = seeded_model("bert masked lm")
    table = head_relevance(model, [batch_for(model)])
    assert set(table["count"]) == {sum(map(len, SOURCES)) - len(SOURCES)}


def test_a_batch_without_a_masked_place_adds_nothing():
    model = seeded_model("bert masked lm")
    without = single_batch(side([[5, 6, END]]), "encoder")
    for rule in RULES:
        settings = LRPSettings(rule=rule)
        table = head_relevance(model, [without, batch_for(model)], settings, masked=MASK)
        assert table.equals(head_relevance(model, [batch_for(model)], settings, masked=MASK))


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("family", BUILDERS)
def test_the_model_is_left_as_it_was(family, rule):
    model = seeded_model(family).train()
    frozen = next(model.parameters()).requires_grad_(False)
    batch = batch_for(model)
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    needed = [parameter.requires_grad for parameter in model.parameters()]
    with torch.no_grad():
        plain = model.eval()(**batch.inputs).logits
    head_relevance(model.train(), [batch], LRPSettings(rule=rule))
    assert model.training
    assert not frozen.requires_grad
    assert [parameter.requires_grad for parameter in model.parameters()] == needed
    assert all(parameter.grad is None for parameter in model.parameters())
    assert all(torch.equal(tensor, before[name]) for name, tensor in model.state_dict().items())
    with torch.no_grad():
        assert torch.equal(model.eval()(**batch.inputs).logits, plain)


def test_relevance_can_be_asked_for_where_gradients_are_off():
    model = seeded_model("marian")
    expected = head_relevance(model, [batch_for(model)], LRPSettings(rule="gradient"))
    with torch.inference_mode(False), torch.no_grad():
        assert head_relevance(model, [batch_for(model)], LRPSettings(rule="gradient")).equals(expected)


def test_a_model_that_predicts_nothing_is_refused():
    model = seeded_model("bert masked lm").bert
    with pytest.raises(InputError, match="BertModel has no output logits"):
        head_relevance(model, [batch_for(model)])


def test_kinds_that_the_model_has_not_are_refused():
    model = seeded_model("bert masked lm")
    with pytest.raises(InputError, match="a BertForMaskedLM has no decoder or cross attention"):
        head_relevance(model, [batch_for(model)], kinds=["decoder", "cross"])


def test_relevance_that_is_not_finite_is_refused():
    model = seeded_model("bert classifier")
    torch.nn.init.zeros_(model.classifier.weight)
    torch.nn.init.zeros_(model.classifier.bias)  # so that all logits are 0
    with pytest.raises(InputError, match="is not finite; choose another layernorm"):
        head_relevance(model, [batch_for(model)], LRPSettings(rule="gradient"))


ACTIVATIONS = ["gelu", "silu", "mish", "relu6", "relu", "leaky_relu", "tanh", "sigmoid"]
ACTIVATIONS += [nn.ELU(), nn.Softplus(), nn.Hardswish()]


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_gradient_times_input_of_an_activation_is_its_output(activation):
    given = torch.linspace(-4.05, 7.0, 40, requires_grad=True)  # not 0: what an offset gives is no input's
    with RelevanceGradients("detach_std", "full"):
        output = (ACT2FN[activation] if isinstance(activation, str) else activation)(given)
        (gradient,) = torch.autograd.grad(output.sum(), given)
    torch.testing.assert_close(gradient * given, output)


@pytest.mark.parametrize(("activation", "function"), [("gelu_new", "pow"), ("quick_gelu", "mul")])
def test_an_activation_of_several_operations_has_no_gradient_of_its_own(activation, function):
    model = seeded_model("bert classifier")
    for layer in model.bert.encoder.layer:
        layer.intermediate.intermediate_act_fn = ACT2FN[activation]
    with pytest.raises(InputError, match=f"no rule says how relevance passes through {function}; gradient"):
        head_relevance(model, [batch_for(model)], LRPSettings(rule="gradient"))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"rule": "epsilon", "layernorm": "alphabeta_jacobian"}, "layernorm with rule epsilon is"),
        ({"rule": "gradient", "bias": "spread"}, "bias with rule gradient is 'spread'"),
        ({"attention": "fixed"}, "attention with rule alphabeta is 'fixed'"),
        ({"epsilon": 0.0}, "`epsilon`: it is 0.0, but must be greater than 0"),
    ],
)
def test_settings_that_make_no_sense_are_refused(given, message):
    with pytest.raises(InputError, match=message):
        LRPSettings.read(given, "lrp")
