"""Operation by operation along a forward pass: closed forms, captum, whole models, and what is not known."""

import warnings

import pytest
import torch
from seeded_models import BUILDERS, batch_for, seeded_model
from torch import nn

from headwork.errors import InputError
from headwork.lens.lens import Lens
from headwork.relevance.propagation.lrp import rule_of
from headwork.relevance.propagation.rules import AlphaBeta, Epsilon
from headwork.relevance.propagation.steps import Relevance, Steps
from headwork.relevance.propagation.tape import Tape
from headwork.settings.relevance import LRPSettings

ONE_STEP = Steps(None, torch.ones(4, 1, dtype=torch.bool))


def of_input(function, x, rule, start=None):
    """The relevance of x for the highest output of each row, or for a given relevance of the outputs."""
    tape = Tape(rule)
    with torch.no_grad(), tape:
        tape.watch("x", x)
        result = function(x)
    start = Relevance.of_top(result, ONE_STEP, False) if start is None else Relevance(start)
    found = {}
    tape.walk(result, start, ONE_STEP, found.__setitem__)
    return found.pop("x").amount


def test_a_linear_net_in_closed_form():
    """Of y = W₂ W₁ x the epsilon rule without epsilon gives x_i (W₂ W₁)_oi / y_o."""
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(6, 5, bias=False), nn.Linear(5, 3, bias=False)).double()
    x = torch.randn(4, 6, dtype=torch.double)
    together = (net[1].weight @ net[0].weight).detach()
    y = x @ together.T
    top = y.argmax(-1)
    expected = x * together[top] / y.gather(1, top[:, None])
    found = of_input(net, x, Epsilon(1e-12, "neuron", "identity", "constant"))[0]
    torch.testing.assert_close(found, expected)


def test_two_ways_to_one_tensor_are_added_up():
    x = torch.tensor([[3.0, -1.0]]).expand(4, 2).clone()
    found = of_input(
        lambda x: x + (x * 2.0).transpose(0, 1).transpose(0, 1), x, Epsilon(1e-9, "drop", "identity", "full")
    )
    torch.testing.assert_close(found, torch.tensor([[1.0, 0.0]]).expand(1, 4, 2))


@pytest.mark.parametrize(
    "move",
    [
        lambda x: x.view(4, 3, 2).transpose(1, 2).reshape(4, 6),
        lambda x: x.view(4, 3, 2).transpose(-2, 0).contiguous(),
        lambda x: x.view(4, 2, 3)[:, 1],
        lambda x: x[..., 1:4],
        lambda x: x[:, None, ::2],
    ],
)
def test_relevance_goes_where_numbers_came_from(move):
    x = torch.arange(24.0).view(4, 6)
    start = torch.rand(2, *move(x).shape)
    found = of_input(move, x, Epsilon(1e-9, "drop", "identity", "full"), start)
    for step in range(2):
        leaf = x.clone().requires_grad_()
        (expected,) = torch.autograd.grad(move(leaf), leaf, start[step])
        torch.testing.assert_close(found[step], expected)


@pytest.fixture
def feed_forward():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(7, 9), nn.ReLU(), nn.Linear(9, 8), nn.ReLU(), nn.Linear(8, 3)).double()


def by_captum(net, x, rule):
    """captum's LRP of the highest output, which it starts with the output itself."""
    captum = pytest.importorskip("captum.attr")
    for module in net:
        if isinstance(module, nn.Linear):
            module.rule = rule()
    top = net(x).argmax(-1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it makes the input require a gradient
        found = captum.LRP(net).attribute(x.clone(), target=top)
    return (found / net(x).gather(1, top[:, None])).detach()


def test_the_epsilon_rule_is_captums(feed_forward):
    rules = pytest.importorskip("captum.attr._utils.lrp_rules")
    x = torch.randn(4, 7, dtype=torch.double)
    expected = by_captum(feed_forward, x, lambda: rules.EpsilonRule(epsilon=1e-3))
    found = of_input(feed_forward, x, Epsilon(1e-3, "neuron", "identity", "constant"))[0]
    torch.testing.assert_close(found, expected, rtol=1e-6, atol=1e-6)


def test_alpha_one_is_captums(feed_forward):
    rules = pytest.importorskip("captum.attr._utils.lrp_rules")
    x = torch.rand(4, 7, dtype=torch.double)  # captum's rule takes inputs to be positive
    expected = by_captum(feed_forward, x, lambda: rules.Alpha1_Beta0_Rule(set_bias_to_zero=True))
    found = of_input(feed_forward, x, AlphaBeta(1.0, 1e-9, "drop", "identity", "constant"))[0]
    torch.testing.assert_close(found, expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("attention", ["full", "constant"])
@pytest.mark.parametrize("layernorm", ["alphabeta_jacobian", "detach_std", "identity"])
@pytest.mark.parametrize("family", BUILDERS)
def test_all_relevance_arrives_at_the_embeddings_and_none_at_padding(family, layernorm, attention):
    """From 1 at the logit of every step, through the whole model, to 1 at the inputs of the lowest layers."""
    model = seeded_model(family)
    batch = batch_for(model)
    tape = Tape(rule_of(LRPSettings(layernorm=layernorm, attention=attention, epsilon=1e-7)))
    lowest = [module for name, module in model.named_modules() if name.endswith(("layers.0", "layer.0"))]
    hooks = [
        module.register_forward_pre_hook(lambda module, given: tape.watch(module, given[0]))
        for module in lowest
    ]
    with Lens(model), torch.no_grad(), tape:
        logits = model(**batch.inputs, **({"use_cache": False} if "decoder" in batch.queries else {})).logits
    for hook in hooks:
        hook.remove()
    steps = Steps.of(batch, logits)
    total = torch.zeros(steps.present.shape)
    found = {}
    tape.walk(logits, Relevance.of_top(logits, steps, False), steps, found.__setitem__)
    for module, relevance in found.items():
        amount = relevance.spread(steps).amount
        assert (amount >= 0).all()
        side = batch.queries["encoder" if "encoder" in batch.queries and module is lowest[0] else "decoder"]
        assert not (amount * ~side.present[..., None]).any(), "padding has relevance"
        total += amount.sum((2, 3)).T
    torch.testing.assert_close(total, steps.present.float(), rtol=1e-4, atol=1e-5)


def test_an_operation_without_a_rule_is_an_error_that_names_it():
    unknown = [torch.exp, lambda x: x.exp_(), lambda x: x * x, lambda x: x.softmax(-1)]
    for function in (*unknown, lambda x: torch.cat([x, x]), lambda x: x.chunk(2)[0]):
        with pytest.raises(InputError, match="no rule says how relevance passes"):
            of_input(function, torch.ones(4, 2), AlphaBeta(0.5, 1e-5, "spread", "identity", "full"))


def test_a_result_that_does_not_come_of_what_is_watched_is_an_error():
    with pytest.raises(InputError, match="does not depend on a watched tensor"):
        of_input(
            lambda x: torch.ones(4, 2), torch.ones(4, 2), AlphaBeta(0.5, 1e-5, "spread", "identity", "full")
        )


@pytest.mark.parametrize("family", BUILDERS)
def test_a_model_on_tape_computes_what_it_always_does(family):
    model = seeded_model(family)
    inputs = batch_for(model).inputs
    with torch.no_grad():
        plain = model(**inputs).logits
        with Lens(model) as lens:
            tape = Tape(rule_of(LRPSettings()))
            caching = {"use_cache": False} if "decoder" in str(lens.anatomy.sites) else {}
            with lens.handing(tape.watch), tape:
                taped = model(**inputs, **caching).logits
        assert torch.equal(taped, plain)
        assert torch.equal(model(**inputs).logits, plain)
