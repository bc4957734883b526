"""Weights that the lens shows of families with scores of their own, against the papers' equations, entry by entry."""

import math

import pytest
import torch
from torch import Tensor, nn
from transformers import (
    DebertaV2Config,
    DebertaV2Model,
    Gemma2Config,
    Gemma2Model,
    LlamaConfig,
    LlamaModel,
    PreTrainedModel,
    T5Config,
    T5Model,
)

from headwork.lens.asked import Attended
from headwork.lens.lens import Lens
from headwork.sites import Site

IDS = torch.tensor([[5, 9, 33, 12, 7, 3, 21, 8]])
TIME, HEADS, DIM = 8, 4, 6


def random_model(cls: type[PreTrainedModel], config) -> PreTrainedModel:
    torch.manual_seed(0)
    model = cls(config).eval()
    for parameter in model.parameters():
        nn.init.normal_(parameter, std=0.4)
    return model


def attended(model: PreTrainedModel, **inputs: Tensor) -> dict[Site, Attended]:
    seen: dict[Site, Attended] = {}
    with torch.no_grad(), Lens(model) as lens, lens.observing(lambda each: seen.update({each.site: each})):
        model(**inputs)
    return seen


def read_by(module: nn.Module, model: PreTrainedModel, **inputs: Tensor) -> Tensor:
    """What a module is called with."""
    given = []
    hook = module.register_forward_pre_hook(lambda _, args: given.append(args[0]))
    with torch.no_grad():
        model(**inputs)
    hook.remove()
    return given[0]


def softmax(scores: list[float]) -> Tensor:
    powers = [math.exp(score - max(scores)) for score in scores]
    return torch.tensor(powers) / sum(powers)


def bucket(distance: int, buckets: int, farthest: int) -> int:
    """Half of the buckets for one distance each, half for ever more of them up to the farthest (Raffel et al. 2020)."""
    each = buckets // 2
    if distance < each:
        return distance
    place = math.log(distance / each) / math.log(farthest / each) * (buckets - each)
    return min(each + int(place), buckets - 1)


def test_t5_adds_a_learned_bias_of_the_distance_to_unscaled_products():
    buckets, farthest = 8, 10
    config = T5Config(
        vocab_size=40,
        d_model=24,
        d_kv=DIM,
        d_ff=16,
        num_layers=2,
        num_heads=HEADS,
        relative_attention_num_buckets=buckets,
        relative_attention_max_distance=farthest,
    )
    model = random_model(T5Model, config)
    seen = attended(model, input_ids=IDS, decoder_input_ids=IDS)
    for site, each in seen.items():
        stack = model.encoder if site.kind == "encoder" else model.decoder
        table = stack.block[0].layer[0].SelfAttention.relative_attention_bias.weight
        for h in range(HEADS):
            for i in range(TIME):
                scores = []
                for j in range(i + 1 if site.kind == "decoder" else TIME):
                    if site.kind == "cross":
                        bias = 0.0
                    elif site.kind == "decoder":
                        bias = table[bucket(i - j, buckets, farthest), h].item()
                    else:  # one half of the table for keys behind the query, one for those before it
                        later = buckets // 2 if j > i else 0
                        bias = table[later + bucket(abs(i - j), buckets // 2, farthest), h].item()
                    scores.append((each.query[0, h, i] @ each.key[0, h, j]).item() + bias)
                weights = each.weights[0, h, i]
                torch.testing.assert_close(weights[: len(scores)], softmax(scores), atol=1e-5, rtol=1e-4)
                assert not weights[len(scores) :].any()


@pytest.mark.parametrize("kinds", [["c2p", "p2c"], ["c2p"], ["p2c"]])
def test_deberta_adds_content_to_position_and_position_to_content(kinds):
    """A_ij = (Q_i·K_j + Q_i·Kr_δ(i,j) + K_j·Qr_δ(i,j)) / √3d, δ clipped to [0, 2k) (He et al. 2021, equations 3, 4).

    The paper has δ(j,i) in the last term; its code, which the published models were trained with, has δ(i,j).
    """
    span = 3
    config = DebertaV2Config(
        vocab_size=40,
        hidden_size=24,
        num_hidden_layers=2,
        num_attention_heads=HEADS,
        intermediate_size=16,
        relative_attention=True,
        max_relative_positions=span,
        position_buckets=-1,
        pos_att_type=kinds,
        position_biased_input=False,
        norm_rel_ebd="none",
    )
    model = random_model(DebertaV2Model, config)
    seen = attended(model, input_ids=IDS)
    for site, each in seen.items():
        module = model.encoder.layer[site.layer - 1].attention.self
        x = read_by(module, model, input_ids=IDS)[0]
        relative = model.encoder.rel_embeddings.weight
        query, key = (linear(x).view(TIME, HEADS, DIM) for linear in (module.query_proj, module.key_proj))
        if "c2p" in kinds:
            relative_key = module.pos_key_proj(relative).view(-1, HEADS, DIM)
        if "p2c" in kinds:
            relative_query = module.pos_query_proj(relative).view(-1, HEADS, DIM)
        for h in range(HEADS):
            for i in range(TIME):
                scores = []
                for j in range(TIME):
                    score = query[i, h] @ key[j, h]
                    distance = min(max(i - j + span, 0), 2 * span - 1)
                    if "c2p" in kinds:
                        score = score + query[i, h] @ relative_key[distance, h]
                    if "p2c" in kinds:
                        score = score + key[j, h] @ relative_query[distance, h]
                    scores.append(score.item() / math.sqrt((1 + len(kinds)) * DIM))
                torch.testing.assert_close(each.weights[0, h, i], softmax(scores), atol=1e-5, rtol=1e-4)


DECODER = {
    "vocab_size": 40,
    "hidden_size": 24,
    "num_hidden_layers": 2,
    "num_attention_heads": HEADS,
    "num_key_value_heads": 2,
    "head_dim": DIM,
    "intermediate_size": 16,
}


def test_gemma_2_caps_its_scores_and_looks_back_through_a_window():
    """softmax(c tanh(q·k / (c √s))) over the keys of the window (Gemma Team 2024, section 2)."""
    cap, scale, window = 3.0, 9, 4
    config = Gemma2Config(
        **DECODER,
        attn_logit_softcapping=cap,
        query_pre_attn_scalar=scale,
        sliding_window=window,
        layer_types=["sliding_attention", "full_attention"],
    )
    for site, each in attended(random_model(Gemma2Model, config), input_ids=IDS).items():
        for h in range(HEADS):
            for i in range(TIME):
                first = max(0, i - window + 1) if site.layer == 1 else 0
                products = [(each.query[0, h, i] @ each.key[0, h, j]).item() for j in range(first, i + 1)]
                scores = [cap * math.tanh(product / math.sqrt(scale) / cap) for product in products]
                weights = each.weights[0, h, i]
                torch.testing.assert_close(weights[first : i + 1], softmax(scores), atol=1e-5, rtol=1e-4)
                assert not weights[:first].any()
                assert not weights[i + 1 :].any()


def test_llama_s_query_heads_share_keys_and_values_in_groups():
    """Head h has the keys and values of its group (Ainslie et al. 2023), keys rotated by position (Su et al. 2021)."""
    model = random_model(LlamaModel, LlamaConfig(**DECODER))
    for site, each in attended(model, input_ids=IDS).items():
        module = model.layers[site.layer - 1].self_attn
        x = read_by(model.layers[site.layer - 1].self_attn.v_proj, model, input_ids=IDS)[0]
        key, value = (linear(x).view(TIME, 2, DIM) for linear in (module.k_proj, module.v_proj))
        for h in range(HEADS):
            torch.testing.assert_close(each.value[0, h], value[:, h // 2])
            for j in range(TIME):
                for d in range(DIM // 2):
                    angle = j * 10000 ** (-2 * d / DIM)
                    one, other = key[j, h // 2, d].item(), key[j, h // 2, d + DIM // 2].item()
                    turned = one * math.cos(angle) - other * math.sin(angle)
                    assert each.key[0, h, j, d].item() == pytest.approx(turned, abs=1e-5)
            for i in range(TIME):
                scores = [
                    (each.query[0, h, i] @ each.key[0, h, j]).item() / math.sqrt(DIM) for j in range(i + 1)
                ]
                torch.testing.assert_close(
                    each.weights[0, h, i, : i + 1], softmax(scores), atol=1e-5, rtol=1e-4
                )
