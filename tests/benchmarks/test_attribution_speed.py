"""Attribution of all weights of a layer against the authors' way of doing it (Hao et al. 2021, released code).

A text of 128 pieces, a classifier of BERT-base's shape, one thread. Their way: for each layer a pass for its maps
(their generate_attrscore.py); scaled at m nodes these are a batch in the graph, and those of all layers above are made
and kept; parameters have gradients; the last layer is computed whole; GELU, layer normalisation and attention are
written out in elementary operations (their model_attr.py). The layers below the one in question they compute once more
for a single text; here they are spared that. The variant `fused` is their way with what torch has today. The cost of a
layer is affine in its number, so layers 4 and 9 stand for all twelve. CPU seconds, peak memory; each variant in a
process of its own. Run this file with a variant's name to see one alone.
"""

import json
import math
import os
import resource
import subprocess
import sys
import time
from unittest import mock

import pytest
import torch
from torch import Tensor, nn
from transformers import BertConfig, BertForSequenceClassification

from headwork.lens.lens import Lens
from headwork.lens.prefix import Prefix
from headwork.models.numerics.product_times import bf16_pays
from headwork.relevance.attributions.self_attention import AttributionSettings, attributions, nodes
from headwork.relevance.attributions.targets import of_class
from headwork.shapes import Site

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


def written_out_weights(query: Tensor, key: Tensor, *asked: object) -> Tensor:
    """Attention weights in elementary operations, with their mask of zeros for what may be attended to."""
    scores = query @ key.transpose(-1, -2)
    scores = scores / math.sqrt(query.shape[-1])
    scores = scores + torch.zeros(len(query), 1, 1, key.shape[2])
    return scores.softmax(-1)


def authors(model: BertForSequenceClassification, inputs: dict[str, Tensor]) -> list[Tensor]:
    """`fused`, with operations as the authors have them."""
    for module in list(model.modules()):
        for name, part in module.named_children():
            if isinstance(part, nn.LayerNorm):
                setattr(module, name, WrittenOutNorm(part))
        if hasattr(module, "intermediate_act_fn"):
            module.intermediate_act_fn = WrittenOutGelu()
    with mock.patch("headwork.lens.attention.attention_weights", written_out_weights):
        return fused(model, inputs)


def fused(model: BertForSequenceClassification, inputs: dict[str, Tensor]) -> list[Tensor]:
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


def ours(
    model: BertForSequenceClassification, inputs: dict[str, Tensor], settings: AttributionSettings
) -> list[Tensor]:
    """By what the site gives, frozen, with the last layer for [CLS] alone."""
    return [each.maps for each in attributions(model, inputs, of_class(model, CLASS), SITES, settings)]


SAME_NODES = AttributionSettings("right", STEPS)
VARIANTS = {
    "authors": authors,
    "fused": fused,
    "ours": lambda *on: ours(*on, SAME_NODES),
    "gauss": lambda *on: ours(*on, AttributionSettings()),
    "bf16": lambda *on: ours(*on, AttributionSettings("right", STEPS, precision="bf16")),
}


def measured(variant: str) -> dict[str, float]:
    """CPU seconds and MiB beyond what the model takes."""
    on = given()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()
    VARIANTS[variant](*on)
    spent = time.process_time() - start
    return {"seconds": spent, "extra": (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024}


@pytest.fixture(scope="module")
def found() -> dict[str, dict[str, float]]:
    environment = os.environ | {"OMP_NUM_THREADS": "1", "JAXTYPING_DISABLE": "1"}
    results = {}
    for variant in VARIANTS:
        if variant == "bf16" and not bf16_pays():
            continue  # multiplied in software: minutes, and nothing learned
        done = subprocess.run(
            [sys.executable, __file__, variant], capture_output=True, text=True, check=True, env=environment
        )
        results[variant] = json.loads(done.stdout)
    return results


@pytest.mark.benchmark
def test_the_same_nodes_cost_less(found, report):
    ratio = found["authors"]["seconds"] / found["ours"]["seconds"]
    report("time of the authors' loop / ours, the same 20 nodes", ratio, at_least=1.45)


@pytest.mark.benchmark
def test_the_same_nodes_take_half_of_the_memory(found, report):
    ratio = found["authors"]["extra"] / found["ours"]["extra"]
    report("memory of the authors' loop / ours, beyond the model", ratio, at_least=2)


@pytest.mark.benchmark
def test_a_few_gaussian_nodes_cost_less_still(found, report):
    ratio = found["authors"]["seconds"] / found["gauss"]["seconds"]
    report("time of the authors' loop / ours, adaptive Gaussian nodes", ratio, at_least=3.3)


@pytest.mark.benchmark
def test_the_maps_are_the_same():
    for one, other in zip(authors(*given()), ours(*given(), SAME_NODES), strict=True):
        scale = float(one.abs().max())
        assert float((one - other).abs().max()) <= 1e-5 * scale


if __name__ == "__main__":
    torch.set_num_threads(1)
    print(json.dumps(measured(sys.argv[1])))
