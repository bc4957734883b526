"""Norms of the vectors that attention mixes, against the vectors made one by one (Kobayashi et al. 2020)."""

import math
import sys
from pathlib import Path

import pytest
import torch

from headwork.heads.norms.cancelling import Cancelling
from headwork.heads.norms.frequency_ranks import FrequencyRanks
from headwork.heads.norms.vector_norms import VectorNorms, gram_roots, summed_norms, transformed_norms
from headwork.heads.norms.weights_and_norms import Norms
from headwork.heads.statistics.rare import Frequencies
from headwork.heads.statistics.token_classes import CLASSES, TokenClasses
from headwork.heads.streaming.batches import Batch, Side
from headwork.heads.streaming.measure import measure
from headwork.lens.anatomy import anatomy
from headwork.lens.lens import Lens
from headwork.lens.values import reading_values

sys.path.insert(0, str(Path(__file__).parents[1] / "unit" / "lens"))
from small_models import HIDDEN, VOCABULARY, padded_batch, small_model

from headwork.settings.heads import CancellingSettings

FAMILIES = (
    "bert",
    "bert with cross attention",
    "distilbert",
    "gpt2",
    "gpt_neox",
    "llama",
    "marian",
    "pegasus",
    "bart",
)


def explicit(value, output_weight):
    """f_h(x_j) = v_j W_O^h: (batch, head, key, hidden), head by head."""
    heads = [value[:, head] @ output_weight[:, head].T for head in range(value.shape[1])]
    return torch.stack(heads, dim=1)


def norms_of_every_vector(weights, value, output_weight):
    """‖f‖, ‖α f‖ and ‖Σ_h α f‖ from the (batch, head, query, key, hidden) tensor, in double precision."""
    vectors = explicit(value.double(), output_weight.double())
    mixed = weights.double()[..., None] * vectors[:, :, None]
    return vectors.norm(dim=-1), mixed.norm(dim=-1), mixed.sum(1).norm(dim=-1)


def seen(model, inputs):
    """x, values, weights and output (before residual and dropout) of every site, each as the model itself had it."""
    read, outputs, weights, hooks = {}, {}, {}, []
    parts = anatomy(model).sites
    for site, part in parts.items():
        hook = part.output.register_forward_hook(lambda _, __, y, site=site: outputs.update({site: y}))
        hooks.append(hook)
    with (
        torch.no_grad(),
        Lens(model) as lens,
        reading_values(parts.values(), lambda site, x, value: read.update({site: (x, value)})),
        lens.observing(lambda attended: weights.setdefault(attended.site, []).append(attended.weights)),
    ):
        model(**inputs)
    for hook in hooks:
        hook.remove()
    return {site: (*read[site], torch.cat(weights[site]), outputs[site]) for site in parts}


def close(found, expected, relative=1e-5):
    assert (found - expected).abs().max() <= relative * expected.abs().max()


def inputs_of(family, model):
    inputs = padded_batch(model)
    if family == "bert with cross attention":
        inputs["encoder_hidden_states"] = torch.randn(3, 5, HIDDEN, generator=torch.manual_seed(3))
    return inputs


@pytest.mark.parametrize("family", FAMILIES)
def test_the_vectors_sum_to_the_output_of_the_block(family):
    """Σ_h Σ_j α_ij f_h(x_j) + b_O is what W_O puts out, and f(x) = (x W_V + b_V) W_O."""
    model = small_model(family)
    for site, (x, value, weights, output) in seen(model, inputs_of(family, model)).items():
        part = anatomy(model).part(site)
        weight = part.output_weight().detach()
        vectors = explicit(value, weight)
        summed = torch.einsum("bhqk,bhkd->bqd", weights, vectors)
        close(summed + part.output.bias.detach(), output)
        close(part.head_values(part.value(x)).detach(), value)


@pytest.mark.parametrize("family", FAMILIES)
def test_norms_are_those_of_the_vectors(family):
    model = small_model(family)
    for site, (_, value, weights, _) in seen(model, inputs_of(family, model)).items():
        weight = anatomy(model).part(site).output_weight().detach()
        f, weighted, summed = norms_of_every_vector(weights, value, weight)
        found = transformed_norms(value, gram_roots(weight))
        close(found, f)
        close(weights * found[:, :, None], weighted)
        close(summed_norms(weights, value, weight), summed)


@pytest.mark.parametrize("left", [0.0, 1e-2, 1e-4])
def test_heads_that_cancel(left):
    """Two heads write opposite vectors but for a small part, with equal weights: all that is summed is that part."""
    torch.manual_seed(0)
    value, weights = torch.randn(2, 4, 7, 5), torch.randn(2, 4, 6, 7).softmax(-1)
    output = torch.randn(20, 4, 5)
    value[:, [1, 3]] = value[:, [0, 2]]
    weights[:, [1, 3]] = weights[:, [0, 2]]
    output[:, [1, 3]] = -(1 + left) * output[:, [0, 2]]
    f, _, summed = norms_of_every_vector(weights, value, output)
    close(transformed_norms(value, gram_roots(output)), f)
    if left:
        close(summed_norms(weights, value, output), summed)
    assert summed_norms(weights, value, output).max() <= summed.max() + 1e-7 * f.max()


def test_a_value_that_output_maps_to_almost_nothing():
    """W_O stretches one direction a million times as far as the other; the value lies along the short one."""
    long, short = torch.tensor([0.6, 0.8, 0, 0]), torch.tensor([0, 0, 0, 1.0])
    output = torch.stack([long + 1e-4 * short, long - 1e-4 * short], dim=1)[:, None]
    value = torch.tensor([1.0, -1.0]).view(1, 1, 1, 2)
    expected = norms_of_every_vector(torch.ones(1, 1, 1, 1), value, output)[0]
    assert transformed_norms(value, gram_roots(output)).item() == pytest.approx(expected.item(), rel=2e-3)
    assert expected.item() == pytest.approx(2e-4, rel=1e-3)


def test_one_head_by_hand():
    """v = (3, 4) through W_O = 2·identity is (6, 8), ten long; weights 0.25 and 0.75 make 2.5 and 7.5 of it."""
    value = torch.tensor([[3.0, 4.0], [0.0, 1.0]]).view(1, 1, 2, 2)
    output = 2 * torch.eye(2).view(2, 1, 2)
    weights = torch.tensor([[0.25, 0.75], [0.75, 0.25]]).view(1, 1, 2, 2)
    norms = transformed_norms(value, gram_roots(output))
    assert norms.flatten().tolist() == pytest.approx([10, 2])
    expected = torch.tensor([[2.5, 1.5], [7.5, 0.5]])
    torch.testing.assert_close((weights * norms[:, :, None])[0, 0], expected)
    torch.testing.assert_close(summed_norms(weights, value, output)[0], expected)


def measured(pairs=10**6):
    """A padded batch of a small BERT: every statistic, and what the model had at each site."""
    model = small_model("bert")
    inputs = padded_batch(model)
    ids, present = inputs["input_ids"], inputs["attention_mask"].bool()
    real = present.clone()
    real[:, 0] = False
    side = Side(ids, present, real, torch.zeros_like(ids))
    table = torch.arange(VOCABULARY) % len(CLASSES)
    frequencies = Frequencies(torch.ones(VOCABULARY).long(), torch.arange(VOCABULARY) // 2 + 1, VOCABULARY)
    vectors = VectorNorms(model)
    statistics = [
        Norms(vectors, TokenClasses(CLASSES, table)),
        Cancelling(vectors, TokenClasses(CLASSES, table), CancellingSettings(pairs=pairs)),
        FrequencyRanks(vectors, {"encoder": frequencies}),
    ]
    batch = Batch(inputs, {"encoder": side}, {"encoder": side})
    with vectors.reading():
        found = measure(model, [batch], statistics)
    found = found.set_index(["layer", "head", "statistic", "key"])
    return found, statistics, seen(model, inputs), side, table, frequencies


def ranks(values):
    return [
        1 + sum(other < one for other in values) + (sum(other == one for other in values) - 1) / 2
        for one in values
    ]


def spearman(x, y):
    """Pearson's correlation of the ranks."""
    x, y = ranks(x), ranks(y)
    mean = (len(x) + 1) / 2
    product = sum((a - mean) * (b - mean) for a, b in zip(x, y, strict=True))
    return product / math.sqrt(sum((a - mean) ** 2 for a in x) * sum((b - mean) ** 2 for b in y))


def test_statistics_by_class():
    found, _, sites, side, table, _ = measured(pairs=100)
    length = side.present.sum(1).tolist()

    def class_of(b, j):
        """A special token before the text is of the class of [CLS], even if it ends other texts."""
        by_id = CLASSES[table[side.ids[b, j]]]
        return CLASSES.index("cls" if j == 0 and by_id == "sep" else by_id)

    for site, (x, value, weights, _) in sites.items():
        output = anatomy(small_model("bert")).part(site).output_weight().detach()
        f, weighted, _ = norms_of_every_vector(weights, value, output)
        for number, name in enumerate(CLASSES):
            members = [[j for j in range(n) if class_of(b, j) == number] for b, n in enumerate(length)]
            for head in range(4):
                place = site.layer, head + 1
                for statistic, tensor in (("weight", weights), ("weighted-norm", weighted)):
                    of_sentence = [
                        sum(tensor[b, head, i, j].item() for i in range(n) for j in members[b]) / n
                        for b, n in enumerate(length)
                    ]
                    assert found.loc[(*place, statistic, name), "value"] == pytest.approx(
                        sum(of_sentence) / len(length), rel=1e-5
                    )
                    assert found.loc[(*place, statistic, name), "count"] == len(length)
                norms = [f[b, head, j].item() for b in range(len(length)) for j in members[b]]
                assert found.loc[(*place, "norm", name), "value"] == pytest.approx(
                    sum(norms) / len(norms), rel=1e-5
                )
                pairs = [
                    (weights[b, head, i, j].item(), f[b, head, j].item())
                    for b, n in enumerate(length)
                    for i in range(n)
                    for j in members[b]
                ]
                alone, norms = zip(*pairs, strict=True)
                assert found.loc[(*place, "pair-weight", name), "value"] == pytest.approx(
                    sum(alone) / len(alone), rel=1e-5
                )
                assert found.loc[(*place, "pair-weight", name), "count"] == len(pairs)
                rho = found.loc[(*place, "weight-norm-rho", name)]
                assert rho["count"] == len(pairs)
                assert rho["value"] == pytest.approx(
                    spearman(alone, [round(norm, 5) for norm in norms]), abs=1e-6
                )
        shares = found.xs("weight", level="statistic")["value"].groupby(["layer", "head"]).sum()
        assert shares.to_list() == pytest.approx([1.0] * len(shares))
        x_norms = x.norm(dim=-1)[side.present].tolist()
        mean = sum(x_norms) / len(x_norms)
        sd = math.sqrt(sum((norm - mean) ** 2 for norm in x_norms) / len(x_norms))
        spread = {"mean": mean, "sd": sd, "cv": sd / mean, "min": min(x_norms), "max": max(x_norms)}
        for key, value in spread.items():
            assert found.loc[(site.layer, 0, "input-norm-spread", key), "value"] == pytest.approx(
                value, rel=1e-5
            )
        own = f[:, 2][side.present]
        cv = (own.var(correction=0).sqrt() / own.mean()).item()
        assert found.loc[(site.layer, 3, "norm-spread", "cv"), "value"] == pytest.approx(cv, rel=1e-5)
        assert found.loc[(site.layer, 3, "norm-spread", "max"), "value"] == pytest.approx(
            own.max().item(), rel=1e-5
        )


def test_frequency_ranks():
    found, statistics, sites, side, _, frequencies = measured()
    length = side.present.sum(1).tolist()
    places = [(b, j) for b, n in enumerate(length) for j in range(n)]
    rank = [frequencies.rank[side.ids[place]].item() for place in places]
    mean_norm, mean_weight = [0.0] * len(places), [0.0] * len(places)
    for site, (_, value, weights, _) in sites.items():
        output = anatomy(small_model("bert")).part(site).output_weight().detach()
        f = transformed_norms(value, gram_roots(output))
        for head in range(4):
            norm = [f[b, head, j].item() for b, j in places]
            weight = [
                sum(weights[b, head, i, j].item() for i in range(length[b])) / length[b] for b, j in places
            ]
            mean_norm = [total + one / 12 for total, one in zip(mean_norm, norm, strict=True)]
            mean_weight = [total + one / 12 for total, one in zip(mean_weight, weight, strict=True)]
            assert found.loc[(site.layer, head + 1, "rank-norm-rho", "all"), "value"] == pytest.approx(
                spearman(rank, norm), abs=1e-6
            )
    together = statistics[2].correlations().set_index(["measure", "key"])
    assert together.loc[("norm", "all"), "value"] == pytest.approx(spearman(rank, mean_norm), abs=1e-6)
    assert together.loc[("weight", "all"), "value"] == pytest.approx(spearman(rank, mean_weight), abs=1e-6)
    real = [number for number, (_, j) in enumerate(places) if j]
    assert together.loc[("norm", "real"), "value"] == pytest.approx(
        spearman([rank[n] for n in real], [mean_norm[n] for n in real]), abs=1e-6
    )
    assert together.loc[("norm", "real"), "count"] == len(real)
