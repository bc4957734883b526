"""What the lens shows and does, against the equations of attention and against torch's own MultiheadAttention."""

import math

import pytest
import torch
from torch import Tensor, nn
from transformers import (
    BertConfig,
    BertModel,
    GPT2Config,
    GPT2Model,
    MarianConfig,
    MarianModel,
    PegasusConfig,
    PegasusModel,
    PreTrainedModel,
)

from headwork.lens.anatomy import AttentionSite
from headwork.lens.attention import Attended
from headwork.lens.lens import Lens
from headwork.sites import Site

SIZES = {"vocab_size": 40, "max_position_embeddings": 16, "pad_token_id": 0}
BERT = {"hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 16}
GPT2 = {"n_embd": 24, "n_layer": 2, "n_head": 4}
MARIAN = {
    "d_model": 24,
    **{
        f"{side}_{size}": n
        for side in ("encoder", "decoder")
        for size, n in (("layers", 2), ("attention_heads", 4))
    },
    "encoder_ffn_dim": 16,
    "decoder_ffn_dim": 16,
    "decoder_start_token_id": 0,
    "eos_token_id": 1,
    "bos_token_id": 2,
}
MODELS = {
    "bert": lambda: BertModel(BertConfig(**SIZES, **BERT)),
    "gpt2": lambda: GPT2Model(GPT2Config(**SIZES, **GPT2)),
    "marian": lambda: MarianModel(MarianConfig(**SIZES, **MARIAN)),
    "pegasus": lambda: PegasusModel(PegasusConfig(**SIZES, **MARIAN)),
}
IDS = torch.tensor([[5, 9, 33, 12, 7, 3], [8, 21, 6, 30, 0, 0]])
TARGETS = torch.tensor([[11, 4, 17, 29], [38, 5, 19, 23]])
REAL = IDS != 0


def random_model(family: str) -> PreTrainedModel:
    """A model whose parameters, biases too, are all random and large enough for sharp attention."""
    torch.manual_seed(0)
    model = MODELS[family]().eval()
    for parameter in model.parameters():
        nn.init.normal_(parameter, std=0.4)
    return model


def inputs_of(model: PreTrainedModel) -> dict[str, Tensor]:
    inputs = {"input_ids": IDS, "attention_mask": REAL.long()}
    return inputs | ({"decoder_input_ids": TARGETS} if model.config.is_encoder_decoder else {})


class Trace:
    """For each site of one forward pass: what it read, what the lens showed, and what W_O received and returned."""

    def __init__(self, model: PreTrainedModel, lens: Lens) -> None:
        self.attended: dict[Site, Attended] = {}
        self.joined: dict[Site, Tensor] = {}
        self.output: dict[Site, Tensor] = {}
        self.read: dict[Site, tuple[Tensor, Tensor]] = {}
        hooks = []
        for site, part in lens.anatomy.sites.items():
            hooks.append(part.output.register_forward_hook(self._hook_output(site)))
            hooks.append(part.module.register_forward_pre_hook(self._hook_input(site), with_kwargs=True))
        with torch.no_grad(), lens.observing(self._see):
            self.result = model(**inputs_of(model))[0]
        for hook in hooks:
            hook.remove()

    def _see(self, attended: Attended) -> None:
        self.attended[attended.site] = attended

    def _hook_output(self, site: Site):
        def hook(module: nn.Module, args: tuple[Tensor], result: Tensor) -> None:
            self.joined[site], self.output[site] = args[0], result

        return hook

    def _hook_input(self, site: Site):
        def hook(module: nn.Module, args: tuple, kwargs: dict) -> None:
            query = args[0] if args else kwargs["hidden_states"]
            source = kwargs.get("key_value_states")
            self.read[site] = (query, query if source is None else source)

        return hook


@pytest.fixture(params=MODELS)
def traced(request: pytest.FixtureRequest) -> tuple[PreTrainedModel, Lens, Trace]:
    model = random_model(request.param)
    with Lens(model) as lens:
        yield model, lens, Trace(model, lens)


def test_weights_are_the_softmax_of_scaled_dot_products(traced):
    """A = softmax(Q Kᵀ / √d) over the keys that may be seen (Vaswani et al. 2017, eq. 1), entry by entry."""
    model, _, trace = traced
    for site, seen in trace.attended.items():
        batch, heads, queries, keys = seen.weights.shape
        for b in range(batch):
            for h in range(heads):
                for q in range(queries):
                    scores = [
                        (seen.query[b, h, q].double() @ seen.key[b, h, k].double()).item() / math.sqrt(6)
                        for k in range(keys)
                    ]
                    of_targets = site.kind == "decoder" and model.config.is_encoder_decoder
                    real = [True] * keys if of_targets else REAL[b].tolist()
                    causal = [k <= q or site.kind != "decoder" for k in range(keys)]
                    powers = [math.exp(s) * r * c for s, r, c in zip(scores, real, causal, strict=True)]
                    expected = torch.tensor(powers) / sum(powers)
                    torch.testing.assert_close(seen.weights[b, h, q], expected, atol=1e-6, rtol=1e-4)


def test_the_output_is_the_sum_over_heads_and_keys_of_the_transformed_vectors(traced):
    """y_q = Σ_h Σ_k A[h,q,k] · W_O^h v[h,k] + b (Kobayashi et al. 2020): nothing else enters a site's output."""
    _, lens, trace = traced
    for site, seen in trace.attended.items():
        part = lens.anatomy.part(site)
        transformed = torch.einsum("bhkd,ohd->bhko", seen.value, part.output_weight())
        summed = torch.einsum("bhqk,bhko->bqo", seen.weights, transformed) + part.output.bias
        torch.testing.assert_close(summed, trace.output[site], atol=1e-5, rtol=1e-4)


def test_the_context_shown_is_what_the_output_projection_receives(traced):
    _, _, trace = traced
    for site, seen in trace.attended.items():
        torch.testing.assert_close(
            seen.context.transpose(1, 2).flatten(2), trace.joined[site], atol=1e-6, rtol=1e-5
        )


def test_a_zero_gate_removes_the_heads_block_of_the_output_projection(traced):
    model, lens, trace = traced
    for site, part in lens.anatomy.sites.items():
        weight = part.output_weight()  # a view: what is written into it changes the model
        block = weight[:, 1].clone()
        with torch.no_grad():
            with lens.gating({site: torch.tensor([1.0, 0.0, 1.0, 1.0])}):
                gated = model(**inputs_of(model))[0]
            weight[:, 1] = 0
            removed = model(**inputs_of(model))[0]
            weight[:, 1] = block
        torch.testing.assert_close(gated, removed, atol=1e-5, rtol=1e-4)
        assert (gated - trace.result).abs().max() > 1e-3


def test_a_uniform_head_returns_the_mean_value_of_the_real_tokens():
    model = random_model("bert")
    site = Site("encoder", 2)
    with Lens(model) as lens, lens.uniform([site.head(3)]):
        seen = Trace(model, lens).attended[site]
    for b in range(len(IDS)):
        mean = seen.value[b, 2, REAL[b]].mean(0)
        torch.testing.assert_close(seen.context[b, 2], mean.expand(6, -1), atol=1e-6, rtol=1e-5)


def projections(part: AttentionSite) -> list[tuple[Tensor, Tensor]]:
    """Weight (out, in) and bias of the query, key, value and output projections."""
    module = part.module
    if hasattr(module, "c_attn"):
        weights, biases = module.c_attn.weight.T.chunk(3), module.c_attn.bias.chunk(3)
        return [*zip(weights, biases, strict=True), (module.c_proj.weight.T, module.c_proj.bias)]
    names = ("q_proj", "k_proj", "v_proj") if hasattr(module, "q_proj") else ("query", "key", "value")
    layers = [*(getattr(module, name) for name in names), part.output]
    return [(layer.weight, layer.bias) for layer in layers]


def test_every_site_agrees_with_torchs_multi_head_attention_on_copied_weights(traced):
    model, lens, trace = traced
    for site, part in lens.anatomy.sites.items():
        peer = nn.MultiheadAttention(24, 4, batch_first=True).eval()
        *ins, (out_weight, out_bias) = projections(part)
        with torch.no_grad():
            peer.in_proj_weight.copy_(torch.cat([weight for weight, _ in ins]))
            peer.in_proj_bias.copy_(torch.cat([bias for _, bias in ins]))
            peer.out_proj.weight.copy_(out_weight)
            peer.out_proj.bias.copy_(out_bias)
            query, source = trace.read[site]
            of_targets = site.kind == "decoder" and model.config.is_encoder_decoder
            length = query.shape[1]
            output, weights = peer(
                query,
                source,
                source,
                key_padding_mask=None if of_targets else ~REAL,
                attn_mask=torch.ones(length, length).triu(1).bool() if site.kind == "decoder" else None,
                average_attn_weights=False,
            )
        torch.testing.assert_close(trace.attended[site].weights, weights, atol=1e-6, rtol=1e-4)
        torch.testing.assert_close(trace.output[site], output, atol=1e-5, rtol=1e-4)
