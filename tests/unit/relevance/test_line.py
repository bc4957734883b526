"""A line through normalisation and linear map: against doing it point by point, by hand, and in whole models."""

from contextlib import nullcontext

import pytest
import torch
from tiny_bert import tiny_bert, word_tokenizer
from torch import nn
from transformers import MarianConfig, MarianMTModel, PegasusConfig, PegasusForConditionalGeneration

from headwork.lens.anatomy import anatomy
from headwork.lens.forwards import computing
from headwork.relevance.attributions import self_attention as attribution
from headwork.relevance.attributions.line import Line, Reading, seeing_readings
from headwork.relevance.attributions.self_attention import attributions
from headwork.relevance.attributions.targets import of_piece
from headwork.settings.relevance import AttributionSettings
from headwork.sites import Site

POINTS = torch.tensor([0.0, 0.3, 1.0])
SMALL = {
    "vocab_size": 20, "d_model": 16, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 2,
    "decoder_attention_heads": 2, "encoder_ffn_dim": 24, "decoder_ffn_dim": 24, "max_position_embeddings": 20,
    "init_std": 0.4, "pad_token_id": 0, "eos_token_id": 1, "decoder_start_token_id": 0,
}  # fmt: skip


@pytest.fixture(scope="module", params=[MarianMTModel, PegasusForConditionalGeneration], ids=["post", "pre"])
def translator(request):
    """Normalised behind each block, as Marian is, and in front of it, as Pegasus is."""
    torch.manual_seed(0)
    config = MarianConfig if request.param is MarianMTModel else PegasusConfig
    model = request.param(config(**SMALL)).eval()
    with torch.no_grad():
        for module in model.modules():
            if isinstance(module, nn.LayerNorm):
                module.weight.uniform_(0.5, 2)
                module.bias.uniform_(-1, 1)
    return model


@pytest.fixture(scope="module")
def sentences():
    torch.manual_seed(1)
    return {
        "input_ids": torch.randint(2, 20, (2, 6)),
        "attention_mask": torch.tensor([[1] * 6, [1] * 4 + [0] * 2]),
        "decoder_input_ids": torch.randint(2, 20, (2, 5)),
    }


def a_line(texts: int = 2, time: int = 3, width: int = 8, out: int = 5):
    """A line, and s(0) and d of it."""
    torch.manual_seed(4)
    norm, linear = nn.LayerNorm(width), nn.Linear(width, out)
    with torch.no_grad():
        norm.weight.uniform_(0.5, 2)
        norm.bias.uniform_(-1, 1)
    start, direction = torch.randn(2, texts, time, width).unbind()
    with torch.no_grad():
        return Line(Reading(norm, linear, start), start + direction, direction), start, direction


def states_at(start, direction):
    """text x point in one batch."""
    return (start[:, None] + POINTS[:, None, None] * direction[:, None]).flatten(0, 1)


def test_equation():
    """W LN(s(0) + α d) + b, and the gradient by s(0) of a function of it, summed over the points."""
    line, start, direction = a_line()
    by_start = start.clone().requires_grad_()
    expected = line.linear(line.norm(states_at(by_start, direction)))
    of_mapped = torch.randn_like(expected)
    (gradient,) = torch.autograd.grad((of_mapped * expected.sin()).sum(), by_start)

    shift = torch.zeros_like(start).requires_grad_()
    mapped = line.from_start.requires_grad_()
    with computing(line.at(POINTS, shift, mapped)):
        found = line.linear(line.norm(states_at(start, direction)))
    by_shift, by_mapped = torch.autograd.grad((of_mapped * found.sin()).sum(), (shift, mapped))
    torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(by_shift + line.gradient(by_mapped), gradient, rtol=1e-4, atol=1e-5)


def test_by_hand():
    """Of two numbers a normalisation keeps which one is larger: (1, -1) + α (-4, 4) turns round at a quarter."""
    norm, linear = nn.LayerNorm(2, eps=0.0), nn.Linear(2, 1)
    start, direction = torch.tensor([[[1.0, -1.0]]]), torch.tensor([[[-4.0, 4.0]]])
    with torch.no_grad():
        linear.weight.copy_(torch.tensor([[3.0, 0.0]]))
        linear.bias.fill_(0.5)
        line = Line(Reading(norm, linear, start), start + direction, direction)
        with computing(line.at(POINTS, torch.zeros_like(start), line.from_start)):
            found = linear(norm(states_at(start, direction)))
    assert found.flatten().tolist() == pytest.approx([3.5, -2.5, -2.5])


@pytest.mark.parametrize("away", [0.1, 10.0])
def test_states_that_are_not_on_the_line(away):
    line, start, direction = a_line()
    states = states_at(start, direction) + away * torch.randn(3, 8)
    expected = line.linear(line.norm(states))
    with computing(line.at(POINTS, torch.zeros_like(start), line.from_start)):
        torch.testing.assert_close(line.linear(line.norm(states)), expected, rtol=0, atol=0)


def test_another_input_of_the_linear_map():
    line, start, direction = a_line()
    other = torch.randn(6, 3, 8)
    expected = line.linear(other)
    with computing(line.at(POINTS, torch.zeros_like(start), line.from_start)):
        line.norm(states_at(start, direction))
        assert torch.equal(line.linear(other), expected)


def readings(model, inputs):
    """Names of the modules that read what each site gives."""
    names = {module: name for name, module in model.named_modules()}
    sites = anatomy(model).sites
    with torch.no_grad(), seeing_readings(model, {part.output for part in sites.values()}) as found:
        model(**inputs)
    return {
        site: tuple(names[each].split(".", 3)[-1] for each in found[part.output][:2])
        for site, part in sites.items()
    }


def test_what_reads_a_site_of_a_translation_model(translator, sentences):
    found = readings(translator, sentences)
    post = isinstance(translator, MarianMTModel)
    first = "0.self_attn_layer_norm", "0.encoder_attn_layer_norm"
    of_block = {
        "encoder": (first[0] if post else "0.final_layer_norm", "0.fc1"),
        "decoder": (first[0 if post else 1], "0.encoder_attn.q_proj"),
        "cross": (first[1] if post else "0.final_layer_norm", "0.fc1"),
    }
    for kind, expected in of_block.items():
        assert found[Site(kind, 1)] == expected


def test_what_reads_a_site_of_bert():
    model = tiny_bert(word_tokenizer("abcd")).eval()
    found = readings(model, {"input_ids": torch.randint(5, 9, (1, 4))})
    assert found[Site("encoder", 1)] == ("0.attention.output.LayerNorm", "0.intermediate.dense")


@pytest.mark.parametrize("at_once", [1, 2, 16])
def test_attribution_is_the_same_without_a_line(translator, sentences, monkeypatch, at_once):
    target = of_piece(torch.tensor([2, 4]), torch.tensor([7, 9]))
    settings = AttributionSettings(rule="right", steps=5, at_once=at_once)
    used = []
    monkeypatch.setattr(attribution, "Line", lambda *of: used.append(of) or Line(*of))
    along = [each.maps for each in attributions(translator, sentences, target, settings=settings)]
    assert len(used) == 6
    monkeypatch.setattr(attribution, "seeing_readings", lambda *of: nullcontext({}))
    point_by_point = [each.maps for each in attributions(translator, sentences, target, settings=settings)]
    assert len(used) == 6
    for one, other in zip(along, point_by_point, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-5 * float(other.abs().max()))


def test_attribution_where_nothing_is_on_its_line(translator, sentences, monkeypatch):
    target = of_piece(torch.tensor([2, 4]), torch.tensor([7, 9]))
    expected = [each.maps for each in attributions(translator, sentences, target)]
    monkeypatch.setattr(
        attribution, "Line", lambda reading, end, direction: Line(reading, end + 1, direction)
    )
    found = [each.maps for each in attributions(translator, sentences, target)]
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-5 * float(other.abs().max()))
