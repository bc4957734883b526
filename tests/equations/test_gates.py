"""Hard Concrete gates: their equations, a million samples, the paper's figure 6."""

import math

import pytest
import torch

from headwork.models.gates.hard_concrete import GateSettings, HardConcrete, LearnedGates
from headwork.shapes import Site

T, GAMMA, ZETA = 0.33, -0.1, 1.1
LOCATIONS = torch.tensor([-4.0, -1.0, -0.3, 0.0, 0.7, 2.0, 5.0])
SAMPLES = 1_000_000


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


def survival(x, log_a, temperature=T):
    """P(g > x) for 0 <= x < 1: where the logistic noise is above what makes s = (x - gamma) / (zeta - gamma)."""
    s = (x - GAMMA) / (ZETA - GAMMA)
    return sigmoid(log_a - temperature * math.log(s / (1 - s)))


def test_a_sample_is_the_equation():
    gates = HardConcrete(LOCATIONS)
    torch.manual_seed(3)
    drawn = gates.sample()
    torch.manual_seed(3)
    noise = torch.empty(len(LOCATIONS)).uniform_(1e-6, 1 - 1e-6)
    for g, u, log_a in zip(drawn.tolist(), noise.tolist(), LOCATIONS.tolist(), strict=True):
        s = sigmoid((math.log(u) - math.log(1 - u) + log_a) / T)
        assert g == pytest.approx(min(1, max(0, s * (ZETA - GAMMA) + GAMMA)), abs=1e-5)
    assert drawn.dtype == torch.float32


@pytest.mark.parametrize("temperature", [0.33, 0.5])
def test_closed_forms_are_frequencies(temperature):
    for log_a in LOCATIONS.tolist():
        torch.manual_seed(0)
        many = HardConcrete(torch.full((SAMPLES,), log_a), temperature)
        one = HardConcrete(torch.tensor([log_a]), temperature)
        with torch.no_grad():
            drawn = many.sample()
            # five standard errors of a frequency, 0.5 / sqrt(n) at most
            assert one.p_closed().item() == pytest.approx((drawn == 0).double().mean().item(), abs=2.5e-3)
            assert one.p_open().item() == pytest.approx((drawn == 1).double().mean().item(), abs=2.5e-3)
            assert one.p_not_closed().item() == pytest.approx(1 - one.p_closed().item(), abs=1e-6)
        # the mean of what lies in [0, 1] is the integral of P(g > x)
        grid = [(i + 0.5) / 1000 for i in range(1000)]
        mean = sum(survival(x, log_a, temperature) for x in grid) / 1000
        assert drawn.double().mean().item() == pytest.approx(mean, abs=2.5e-3)


def test_figure_6_has_a_temperature_of_its_own():
    gates = HardConcrete(torch.tensor([0.0, 2.0, -3.0]), temperature=0.5)
    labels = [(0.23, 0.23), (0.04, 0.69), (0.86, 0.01)]
    for closed, open_, label in zip(gates.p_closed(), gates.p_open(), labels, strict=True):
        assert (round(closed.item(), 2), round(open_.item(), 2)) == label


def test_the_two_rules_after_training():
    edge = math.log(11)
    gates = HardConcrete(torch.tensor([-edge - 0.01, -edge + 0.01, -0.01, 0.01, edge - 0.01, edge + 0.01]))
    assert gates.more_likely_open().tolist() == [0, 0, 0, 1, 1, 1]
    without_noise = gates.without_noise()
    assert without_noise[0] == 0
    assert without_noise[5] == 1
    for gate, log_a in zip(without_noise[1:5].tolist(), gates.log_a[1:5].tolist(), strict=True):
        assert gate == pytest.approx(sigmoid(log_a) * (ZETA - GAMMA) + GAMMA, abs=1e-6)
        assert 0 < gate < 1


def test_gradient_of_a_sample():
    gates = HardConcrete(torch.tensor([0.2, -0.4]))
    torch.manual_seed(1)
    gates.sample().sum().backward()
    torch.manual_seed(1)
    u = torch.empty(2).uniform_(1e-6, 1 - 1e-6)
    for slope, noise, log_a in zip(gates.log_a.grad.tolist(), u.tolist(), [0.2, -0.4], strict=True):
        s = sigmoid((math.log(noise / (1 - noise)) + log_a) / T)
        inside = 0 < s * (ZETA - GAMMA) + GAMMA < 1
        assert slope == pytest.approx(inside * (ZETA - GAMMA) * s * (1 - s) / T, rel=1e-4)


HEADS = {Site("encoder", layer): 4 for layer in (1, 2, 3)}


def learned(penalty=0.0, **settings):
    return LearnedGates(HEADS, GateSettings(**settings), seed=0, penalty=penalty)


def test_penalty_and_its_gradient():
    gates = learned(penalty=0.1)
    shifted = (gates.gates.log_a.detach() + T * math.log(11)).tolist()
    cost = gates.cost()
    assert cost.item() == pytest.approx(0.1 * sum(map(sigmoid, shifted)), rel=1e-5)
    cost.backward()
    slopes = [0.1 * sigmoid(x) * (1 - sigmoid(x)) for x in shifted]
    assert gates.gates.log_a.grad.tolist() == pytest.approx(slopes, rel=1e-4)


def test_the_codes_penalty_is_the_papers_times_the_layers():
    paper, code = learned(penalty=0.1), learned(penalty=0.1 * len(HEADS), reduction="layer_mean")
    assert code.cost().item() == pytest.approx(paper.cost().item(), rel=1e-6)


def test_lagrangian():
    gates = LearnedGates(HEADS, GateSettings(initial=1.0), seed=0, target=5)
    with torch.no_grad():
        gates.multipliers.copy_(torch.tensor([2.0, 3.0]))
    x = (12 * sigmoid(1.0 + T * math.log(11)) - 5) / 12
    cost = gates.cost()
    assert cost.item() == pytest.approx(2 * x + 3 * x**2, rel=1e-5)
    cost.backward()
    assert gates.multipliers.grad.tolist() == pytest.approx([x, x**2], rel=1e-5)


def test_glorots_bound():
    many = LearnedGates({Site("encoder", layer): 8 for layer in range(1, 300)}, GateSettings(), seed=1)
    log_a = many.gates.log_a
    # fan-in and fan-out of a (1, 8, 1, 1) weight in TensorFlow are 8: sqrt(6 / 16) = 0.612
    assert 0.60 < log_a.abs().max().item() <= 0.6124
    assert log_a.std().item() == pytest.approx(0.6124 / math.sqrt(3), rel=0.05)
