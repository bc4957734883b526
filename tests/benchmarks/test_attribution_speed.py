"""Attribution against captum and the released code of Hao et al. (2021)

A text of 128 subword tokens, a classifier of BERT-base's shape, one thread. Their way: for each layer a pass for its
maps (their generate_attrscore.py); scaled at m nodes these are a batch in the graph, and those of all layers above are
made and kept; parameters have gradients; the last layer is computed whole; GELU, layer normalisation and attention are
written out in elementary operations (their model_attr.py). The layers below the one in question they compute once more
for a single text; here they are spared that. captum's `IntegratedGradients` runs from a map of zeros to the map at the
same nodes, with the whole model at each. The cost of a layer is affine in its number, so layers 4 and 9 stand for all
twelve.
"""

import json
import math
import sys
import time
from unittest import mock

import pytest
import torch
from memory import forget_peak, peak
from own_process import measured
from page import rounded
from torch import Tensor, nn
from transformers import AttentionInterface, AttentionMaskInterface, BertConfig, BertForSequenceClassification
from transformers.integrations.sdpa_attention import sdpa_attention_forward
from transformers.masking_utils import sdpa_mask

from headwork.lens.lens import Lens
from headwork.lens.prefix import Prefix
from headwork.models.numerics.product_times import bf16_pays
from headwork.relevance.attributions.self_attention import attributions, nodes
from headwork.relevance.attributions.targets import of_class
from headwork.settings.relevance import AttributionSettings
from headwork.sites import Site

PIECES, VOCABULARY, STEPS = 128, 1000, 20
SITES = [Site("encoder", 4), Site("encoder", 9)]
CLASS = torch.tensor([1])


def given() -> tuple[BertForSequenceClassification, dict[str, Tensor]]:
    """The model and the text."""
    torch.manual_seed(0)
    model = BertForSequenceClassification(BertConfig(vocab_size=VOCABULARY, num_labels=3)).eval()
    ids = torch.randint(0, VOCABULARY, (1, PIECES))
    return model, {"input_ids": ids, "attention_mask": torch.ones_like(ids)}


class WrittenOutNorm(nn.Module):
    """A layer normalisation in elementary operations."""

    def __init__(self, norm: nn.LayerNorm) -> None:
        super().__init__()
        self.norm = norm

    def forward(self, states: Tensor) -> Tensor:
        centred = states - states.mean(-1, keepdim=True)
        deviation = (centred.pow(2).mean(-1, keepdim=True) + self.norm.eps).sqrt()
        return self.norm.weight * (centred / deviation) + self.norm.bias


class WrittenOutGelu(nn.Module):
    """GELU in elementary operations."""

    def forward(self, given: Tensor) -> Tensor:
        return given * 0.5 * (1.0 + torch.erf(given / math.sqrt(2.0)))


def written_out_weights(query: Tensor, key: Tensor, *asked: object, **others: object) -> Tensor:
    """Attention weights in elementary operations, with their mask of zeros for what may be attended to."""
    scores = query @ key.transpose(-1, -2)
    scores = scores / math.sqrt(query.shape[-1])
    scores = scores + torch.zeros(len(query), 1, 1, key.shape[2])
    return scores.softmax(-1)


def authors(model: BertForSequenceClassification, inputs: dict[str, Tensor]) -> list[Tensor]:
    """`loop`, with operations as the authors have them."""
    for module in list(model.modules()):
        for name, part in module.named_children():
            if isinstance(part, nn.LayerNorm):
                setattr(module, name, WrittenOutNorm(part))
        if hasattr(module, "intermediate_act_fn"):
            module.intermediate_act_fn = WrittenOutGelu()
    with mock.patch("headwork.lens.attention.attention_weights", written_out_weights):
        return loop(model, inputs)


def loop(model: BertForSequenceClassification, inputs: dict[str, Tensor]) -> list[Tensor]:
    """The sum over nodes of the gradients by scaled maps, times the maps."""
    found = []
    places, weights = nodes("right", STEPS)
    with Lens(model) as lens:
        prefix = Prefix(model)
        for site in SITES:
            with prefix.recording():
                model(**inputs)
            rows = torch.zeros(STEPS, dtype=torch.long)
            copies = {name: tensor.expand(STEPS, -1) for name, tensor in inputs.items()}
            with (
                prefix.up_to(site, rows),
                lens.scaling({site: torch.tensor(places)}),
                lens.keeping(lens.anatomy.sites) as kept,
            ):
                answers = model(**copies).logits.softmax(-1)[:, CLASS.item()]
            (gradient,) = torch.autograd.grad(answers.sum(), kept[site])
            maps = kept[site][-1:].detach()  # of the last node, 1
            found.append(maps * gradient.sum(0, keepdim=True) * weights[0])
    return found


def captum(model: BertForSequenceClassification, inputs: dict[str, Tensor]) -> list[Tensor]:
    """`IntegratedGradients` of the class's probability by a layer's map, from a map of zeros."""
    from captum.attr import IntegratedGradients  # seconds, which collecting tests need not take

    found = []
    for site in SITES:
        model.set_attn_implementation("eager")
        with torch.no_grad():
            whole = model(**inputs, output_attentions=True).attentions[site.layer - 1]
        layer = model.bert.encoder.layer[site.layer - 1].attention.self

        def answer(maps: Tensor, layer: nn.Module = layer) -> Tensor:
            def attend(module: nn.Module, query: Tensor, key: Tensor, value: Tensor, mask: Tensor, **how):
                if module is layer:
                    return (maps @ value).transpose(1, 2).contiguous(), maps
                return sdpa_attention_forward(module, query, key, value, mask, **how)

            AttentionInterface.register("given", attend)
            copies = {name: tensor.expand(len(maps), -1) for name, tensor in inputs.items()}
            return model(**copies).logits.softmax(-1)[:, CLASS.item()]

        AttentionMaskInterface.register("given", sdpa_mask)
        AttentionInterface.register("given", sdpa_attention_forward)
        model.set_attn_implementation("given")
        method = IntegratedGradients(answer)
        found.append(method.attribute(whole, torch.zeros_like(whole), n_steps=STEPS, method="riemann_right"))
    return found


def ours(
    model: BertForSequenceClassification, inputs: dict[str, Tensor], settings: AttributionSettings
) -> list[Tensor]:
    """By what the site gives, frozen, with the last layer for [CLS] alone."""
    return [each.maps for each in attributions(model, inputs, of_class(model, CLASS), SITES, settings)]


SAME_NODES = AttributionSettings(rule="right", steps=STEPS)
VARIANTS = {
    "authors": authors,
    "captum": captum,
    "ours": lambda *on: ours(*on, SAME_NODES),
    "gauss": lambda *on: ours(*on, AttributionSettings()),
    "bf16": lambda *on: ours(*on, AttributionSettings(rule="right", steps=STEPS, precision="bf16")),
}


def run(variant: str) -> dict[str, float]:
    """CPU seconds and MiB beyond what the model takes."""
    on = given()
    before, start = forget_peak(), time.process_time()
    VARIANTS[variant](*on)
    return {"seconds": time.process_time() - start, "extra": peak() - before}


@pytest.fixture(scope="module")
def found() -> dict[str, dict[str, float]]:
    # bf16 that is multiplied in software takes minutes, and nothing is learned
    chosen = [variant for variant in VARIANTS if variant != "bf16" or bf16_pays()]
    return {variant: measured(__file__, variant, for_memory=True) for variant in chosen}


@pytest.mark.benchmark
def test_attribution_costs_less(found, report):
    for name, theirs, mine, what, target in (
        ("time of the authors' loop / ours, the same 20 nodes", "authors", "ours", "seconds", 1.45),
        ("time of captum's IntegratedGradients / ours, the same 20 nodes", "captum", "ours", "seconds", 1.45),
        ("time of the authors' loop / ours, adaptive Gaussian nodes", "authors", "gauss", "seconds", 5),
        ("memory of the authors' loop / ours, the same 20 nodes", "authors", "ours", "extra", 2),
    ):
        one, other = (found[way][what] for way in (theirs, mine))
        figures = f"{rounded(one)} and {rounded(other)} {'CPU s' if what == 'seconds' else 'MiB'}"
        report(name, one / other, at_least=target, figures=figures)


@pytest.mark.benchmark
def test_the_maps_are_the_same():
    own = ours(*given(), SAME_NODES)
    for way in (authors, captum):
        for one, other in zip(way(*given()), own, strict=True):
            assert float((one - other).abs().max()) <= 1e-5 * float(one.abs().max())


if __name__ == "__main__":
    torch.set_num_threads(1)
    print(json.dumps(run(sys.argv[1])))
