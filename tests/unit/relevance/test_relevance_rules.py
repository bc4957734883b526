"""Each rule alone: what left an operation's outputs arrives at its inputs, and two ways of adding up agree."""

import pytest
import torch

from headwork.relevance.propagation import rules
from headwork.relevance.propagation.attention import Attention
from headwork.relevance.propagation.rules import AlphaBeta, Epsilon

STEPS, PLACES, INPUTS, OUTPUTS = 3, (2, 4), 12, 9
BIASES = ("spread", "neuron", "drop")


def alphabeta(bias="spread", layernorm="alphabeta_jacobian", attention="full", alpha=0.5, epsilon=1e-5):
    return AlphaBeta(alpha, epsilon, bias, layernorm, attention)


def epsilon_rule(bias="neuron", layernorm="detach_std", attention="constant", epsilon=1e-6):
    return Epsilon(epsilon, bias, layernorm, attention)


@pytest.fixture(autouse=True)
def _seeded():
    torch.manual_seed(3)


@pytest.fixture
def layer():
    """Input, weight, bias, and relevance of the output."""
    return (
        torch.randn(*PLACES, INPUTS),
        torch.randn(OUTPUTS, INPUTS),
        torch.randn(OUTPUTS),
        torch.rand(STEPS, *PLACES, OUTPUTS),
    )


def heads(time=5, queries=5):
    """One attention, and relevance of its contexts."""
    query = torch.randn(2, 3, queries, 4)
    key, value = torch.randn(2, 3, time, 4), torch.randn(2, 3, time, 4)
    mask = torch.ones(2, 1, 1, time, dtype=torch.bool)
    mask[1, ..., -2:] = False
    return Attention.of(query, key, value, mask), torch.rand(STEPS, 2, 3, queries, 4)


def same(left, right):
    torch.testing.assert_close(left, right, rtol=1e-4, atol=1e-6)


# by hand


def test_positive_and_negative_contributions_share_by_halves():
    x, weight = torch.tensor([1.0, 2.0, -1.0]), torch.tensor([[3.0, -1.0, -1.0]])  # contributions 3, -2, 1
    arrived = alphabeta(epsilon=1e-9).linear(x, weight, None, torch.tensor([[4.0]]))
    same(arrived, torch.tensor([[1.5, 2.0, 0.5]]))


def test_contributions_of_one_sign_share_everything():
    x, weight = torch.tensor([1.0, 2.0]), torch.tensor([[3.0, 1.0]])
    arrived = alphabeta(epsilon=1e-9).linear(x, weight, None, torch.tensor([[1.0]]))
    same(arrived, torch.tensor([[0.6, 0.4]]))


def test_a_sum_by_hand():
    # per element: 3 and 1 share one half of it; 2 and -5 one half each; then everything is made to sum to 2
    one, other = alphabeta(epsilon=1e-9).add(
        torch.tensor([3.0, 2.0]), torch.tensor([1.0, -5.0]), torch.ones(1, 2)
    )
    same(one, torch.tensor([[0.375, 0.5]]) * 2 / 1.5)
    same(other, torch.tensor([[0.125, 0.5]]) * 2 / 1.5)


@pytest.mark.parametrize(
    ("bias", "expected"),
    # contributions 3, -2 and a bias of 1: spread 3.5 and -1.5
    [("spread", [0.5, 0.5]), ("neuron", [0.375, 0.5]), ("drop", [0.5, 0.5])],
)
def test_the_bias_by_hand(bias, expected):
    x, weight = torch.tensor([1.0, 2.0]), torch.tensor([[3.0, -1.0]])
    arrived = alphabeta(bias, epsilon=1e-9).linear(x, weight, torch.tensor([1.0]), torch.tensor([[1.0]]))
    same(arrived, torch.tensor([expected]))


@pytest.mark.parametrize(
    ("bias", "expected"), [("spread", [1.75, -0.75]), ("neuron", [1.5, -1.0]), ("drop", [3.0, -2.0])]
)
def test_the_epsilon_rule_by_hand(bias, expected):
    x, weight = torch.tensor([1.0, 2.0]), torch.tensor([[3.0, -1.0]])
    arrived = epsilon_rule(bias).linear(x, weight, torch.tensor([1.0]), torch.tensor([[1.0]]))
    same(arrived, torch.tensor([expected]))


def test_one_query_that_sees_one_key_gives_it_all():
    attention = Attention.of(*(torch.randn(1, 1, 1, 4) for _ in range(3)))
    relevance = torch.rand(STEPS, 1, 1, 1, 4)
    to_query, to_key, to_value = alphabeta(epsilon=1e-9).attention(attention, relevance)
    same(to_value.sum(-1), relevance.sum(-1))  # of one key the weight is 1, whatever query and key are
    assert not to_query.any()
    assert not to_key.any()


# conservation


@pytest.mark.parametrize("bias", ["spread", "drop"])
def test_a_linear_layer_conserves_relevance_at_every_place(layer, bias):
    x, weight, offset, relevance = layer
    arrived = alphabeta(bias).linear(x, weight, offset, relevance)
    same(arrived.sum(-1), relevance.sum(-1))
    assert (arrived >= 0).all()


def test_a_bias_that_is_a_neuron_takes_its_share(layer):
    x, weight, offset, relevance = layer
    arrived = alphabeta("neuron").linear(x, weight, offset, relevance)
    wider = torch.cat([x, torch.ones(*PLACES, 1)], -1), torch.cat([weight, offset[:, None]], 1)
    expected = alphabeta().linear(*wider, None, relevance)
    same(arrived, expected[..., :-1])
    same(expected.sum(-1), relevance.sum(-1))
    assert (expected[..., -1] > 0).any()


@pytest.mark.parametrize("bias", ["spread", "drop"])
@pytest.mark.parametrize("layernorm", ["alphabeta_jacobian", "detach_std", "identity"])
def test_layer_normalisation_conserves_relevance_at_every_place(layer, layernorm, bias):
    x, weight, _, _ = layer
    relevance = torch.rand(STEPS, *PLACES, INPUTS)
    arrived = alphabeta(bias, layernorm).layer_norm(x, weight[0], weight[1], 1e-5, relevance)
    same(arrived.sum(-1), relevance.sum(-1))
    assert (arrived >= 0).all()


def test_a_sum_conserves_relevance_at_every_place(layer):
    x = layer[0]
    relevance = torch.rand(STEPS, *PLACES, INPUTS)
    parts = alphabeta().add(x, torch.randn_like(x), relevance)
    same(sum(parts).sum(-1), relevance.sum(-1))
    assert all((part >= 0).all() for part in parts)


@pytest.mark.parametrize("kind", ["full", "constant"])
def test_attention_conserves_the_relevance_of_every_head_and_spares_what_is_masked(kind):
    attention, relevance = heads()
    parts = alphabeta(attention=kind).attention(attention, relevance)
    same(sum(part.sum((-2, -1)) for part in parts), relevance.sum((-2, -1)))
    assert all((part >= 0).all() for part in parts)
    to_query, to_key, to_value = parts
    assert not to_key[:, 1, :, -2:].any()
    assert not to_value[:, 1, :, -2:].any()
    assert to_query.any() == to_key.any() == (kind == "full")


@pytest.mark.parametrize("bias", ["spread", "drop"])
def test_the_epsilon_rule_conserves_relevance(layer, bias):
    x, weight, offset, relevance = (tensor.double() for tensor in layer)
    same(epsilon_rule(bias).linear(x, weight, offset, relevance).sum(-1), relevance.sum(-1))
    parts = epsilon_rule().add(x[..., :9], x[..., 3:], relevance)
    same(sum(parts).sum(-1), relevance.sum(-1))


@pytest.mark.parametrize("kind", ["full", "constant"])
def test_the_epsilon_rule_conserves_the_relevance_of_every_head(kind):
    attention, relevance = heads()
    parts = epsilon_rule(attention=kind, epsilon=1e-7).attention(attention, relevance)
    torch.testing.assert_close(
        sum(part.sum((-2, -1)) for part in parts), relevance.sum((-2, -1)), rtol=1e-3, atol=1e-3
    )


# two ways, one result


@pytest.mark.parametrize("bias", ["neuron", "drop"])
def test_two_products_equal_contributions_one_by_one(layer, bias):
    x, weight, offset, relevance = (tensor.double() for tensor in layer)
    expected = alphabeta(bias).linear(
        x, weight.expand(*PLACES, -1, -1), offset.expand(*PLACES, -1), relevance
    )
    torch.testing.assert_close(alphabeta(bias).linear(x, weight, offset, relevance), expected)


@pytest.mark.parametrize("bias", ["neuron", "drop"])
def test_products_where_contributions_are_of_one_sign_are_as_exact_in_single_precision(bias):
    """A place whose input is almost all zero, as after ReLU, beside places whose inputs are of both signs."""
    x, weight, offset = torch.randn(4, 64), torch.randn(32, 64), 0.1 * torch.randn(32)
    x[1, 3:] = 0
    x[2] = 0
    relevance = torch.rand(STEPS, 4, 32)
    found = alphabeta(bias).linear(x, weight, offset, relevance)
    expected = alphabeta(bias).linear(x.double(), weight.double(), offset.double(), relevance.double())
    torch.testing.assert_close(found.double(), expected, rtol=1e-3, atol=1e-5)
    same(found[:, [0, 1, 3]].sum(-1), expected[:, [0, 1, 3]].sum(-1).float())
    assert not found[:, 2].any()


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("numbers", [1, INPUTS * 2, INPUTS * OUTPUTS * 3])
def test_how_much_is_worked_on_at_a_time_does_not_matter(layer, bias, numbers, monkeypatch):
    x, weight, offset, relevance = layer
    square = torch.rand(STEPS, *PLACES, INPUTS)

    def everything():
        rule = alphabeta(bias)
        yield rule.linear(x, weight, offset, relevance)
        yield rule.layer_norm(x, weight[0], weight[1], 1e-5, square)
        yield from rule.add(x, x.flip(-1), square)

    expected = list(everything())
    monkeypatch.setitem(rules.CHUNK, "cpu", numbers)
    for found, one in zip(everything(), expected, strict=True):
        torch.testing.assert_close(found, one)


def test_a_place_without_relevance_gets_none(layer):
    x, weight, offset, relevance = layer
    relevance[:, 1, 2:] = 0
    for bias in BIASES:
        arrived = alphabeta(bias).linear(x, weight, offset, relevance)
        assert not arrived[:, 1, 2:].any()
        assert arrived[:, 1, :2].any(-1).all()


@pytest.mark.parametrize("rule", [alphabeta, epsilon_rule])
@pytest.mark.parametrize("kind", ["full", "constant"])
def test_steps_with_queries_of_their_own_equal_relevance_at_one_query(rule, kind):
    attention, relevance = heads()
    places = torch.tensor([[0, 3, 4], [2, 1, 0]])
    rule = rule(attention=kind)
    alone = torch.zeros_like(relevance)
    for step in range(STEPS):
        for row in range(2):
            alone[step, row, :, places[row, step]] = relevance[step, row, :, places[row, step]]
    expected = rule.attention(attention, alone)
    asked = torch.stack([alone[s, torch.arange(2), :, places[:, s]][:, :, None] for s in range(STEPS)])
    to_query, to_key, to_value = rule.attention(attention.of_queries(places), asked)
    torch.testing.assert_close(to_key, expected[1])
    torch.testing.assert_close(to_value, expected[2])
    for step in range(STEPS):
        for row in range(2):
            there = expected[0][step, row, :, places[row, step]]
            torch.testing.assert_close(to_query[step, row, :, 0], there)


def test_a_silent_head_gets_only_its_share_of_the_bias(layer):
    x, weight, offset, relevance = layer
    x[..., 4:8] = 0  # the context of a head whose gate is 0
    shared = alphabeta("spread").linear(x, weight, offset, relevance)[..., 4:8]
    assert (shared > 0).all()
    same(shared, shared[..., :1].expand_as(shared))
    for bias in ("neuron", "drop"):
        assert not alphabeta(bias).linear(x, weight, offset, relevance)[..., 4:8].any()
