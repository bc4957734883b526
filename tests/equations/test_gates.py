"""Hard Concrete gates: their equations, a million samples, the paper's figure 6."""

import math

import pytest
import torch
from transformers import MarianConfig, MarianMTModel

from headwork.lens.lens import Lens
from headwork.models.gates.hard_concrete import HardConcrete, LearnedGates
from headwork.settings.models import GateSettings
from headwork.sites import Site

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


@pytest.mark.parametrize("reduction", ["sum", "layer_mean"])
def test_an_update_of_gates_and_weights_while_training(reduction):
    """loss(g) + λ Σ P(g ≠ 0): its gradients for gates and weights, with each head's columns of W_O times its gate.

    (Voita et al. 2019, sections 6.1 and 6.2.) The reference uses neither the lens nor the gates of the library:
    transformers' eager attention, and W_O W with W diagonal.
    """
    model, reference = (tiny_marian().train() for _ in range(2))
    sites = [Site(kind, layer) for kind in ("encoder", "decoder", "cross") for layer in (1, 2)]
    heads = dict.fromkeys(sites, 2)
    gates = LearnedGates(heads, GateSettings(temperature=T, initial=0.4, reduction=reduction), 1, penalty=0.3)
    inputs = {
        "input_ids": torch.tensor([[5, 6, 7, 1], [8, 9, 1, 0]]),
        "labels": torch.tensor([[4, 3, 1], [7, 1, -100]]),
    }
    inputs["attention_mask"] = (inputs["input_ids"] != 0).long()
    torch.manual_seed(11)
    with Lens(model) as lens, lens.gating(gates.draw()):
        loss = model(**inputs).loss + gates.cost()
    loss.backward()

    log_a = torch.full((len(sites), 2), 0.4, requires_grad=True)
    torch.manual_seed(11)
    noise = torch.empty(2 * len(sites)).uniform_(1e-6, 1 - 1e-6).view(len(sites), 2)
    concrete = torch.sigmoid((noise.log() - (1 - noise).log() + log_a) / T)
    g = (concrete * (ZETA - GAMMA) + GAMMA).clamp(0, 1)
    for gate, site in zip(g, sites, strict=True):
        side = reference.model.encoder if site.kind == "encoder" else reference.model.decoder
        layer = side.layers[site.layer - 1]
        output = (layer.encoder_attn if site.kind == "cross" else layer.self_attn).out_proj
        scale = gate.repeat_interleave(output.weight.shape[1] // 2)
        output.register_forward_hook(
            lambda module, args, _, scale=scale: args[0] @ (module.weight * scale).T + module.bias
        )
    cost = torch.sigmoid(log_a - T * math.log(-GAMMA / ZETA)).sum()
    expected = reference(**inputs).loss + 0.3 * cost / (len(sites) if reduction == "layer_mean" else 1)
    expected.backward()
    assert (log_a.grad != 0).any()
    torch.testing.assert_close(loss, expected)
    torch.testing.assert_close(gates.gates.log_a.grad.view(-1, 2), log_a.grad)
    for (name, ours), theirs in zip(model.named_parameters(), reference.parameters(), strict=True):
        torch.testing.assert_close(ours.grad, theirs.grad, rtol=1e-4, atol=1e-6, msg=name)


def tiny_marian():
    torch.manual_seed(2)
    sizes = {f"{side}_{size}": 2 for side in ("encoder", "decoder") for size in ("layers", "attention_heads")}
    config = MarianConfig(
        vocab_size=12,
        d_model=8,
        encoder_ffn_dim=8,
        decoder_ffn_dim=8,
        max_position_embeddings=8,
        pad_token_id=0,
        eos_token_id=1,
        decoder_start_token_id=0,
        init_std=0.5,
        dropout=0.0,
        attn_implementation="eager",
        **sizes,
    )
    return MarianMTModel(config)
