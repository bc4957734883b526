"""The rules of relevance restated by explicit Jacobians, operation by operation, on whole models of two layers.

In the authors' later code: z_ji = J_ji x_i + f(0)_j / n; alpha-beta with both fractions, and what arrives at the inputs
of one place (in attention: one head of one sentence) multiplied to sum to what left the outputs. AttnLRP has rules of
its own for softmax and for products of matrices. The models are written down a second time here, as lists of functions;
autograd makes the Jacobians.
"""

import itertools

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional
from transformers import (
    BertConfig,
    BertForMaskedLM,
    BertForSequenceClassification,
    MarianConfig,
    MarianMTModel,
    PegasusConfig,
    PegasusForConditionalGeneration,
)

from headwork.heads.streaming.batches import Side, single_batch, translation_batch
from headwork.lens.lens import Lens
from headwork.relevance.propagation.lrp import step_relevance
from headwork.settings.relevance import CHOICES, LRPSettings
from headwork.sites import Site

ALPHA, EPSILON = 0.6, 1e-3
HEADS, HIDDEN, VOCABULARY = 2, 8, 13
SHAPE = {
    "d_model": HIDDEN,
    "encoder_ffn_dim": 12,
    "decoder_ffn_dim": 12,
    "encoder_layers": 2,
    "decoder_layers": 2,
}
NMT = {
    **SHAPE,
    "vocab_size": VOCABULARY,
    "encoder_attention_heads": HEADS,
    "decoder_attention_heads": HEADS,
    "max_position_embeddings": 10,
    "activation_function": "gelu",
    "init_std": 0.5,
    "pad_token_id": 0,
    "eos_token_id": 1,
    "decoder_start_token_id": 0,
    "forced_eos_token_id": 1,
}
BERT = {
    "vocab_size": VOCABULARY,
    "hidden_size": HIDDEN,
    "num_hidden_layers": 2,
    "num_attention_heads": HEADS,
    "intermediate_size": 12,
    "max_position_embeddings": 10,
    "initializer_range": 0.5,
    "num_labels": 3,
}
BUILDERS = {
    "marian": lambda: MarianMTModel(MarianConfig(**NMT)),
    "pegasus": lambda: PegasusForConditionalGeneration(PegasusConfig(**NMT)),
    "bert classifier": lambda: BertForSequenceClassification(BertConfig(**BERT)),
    "bert masked lm": lambda: BertForMaskedLM(BertConfig(**BERT)),
}
# a third of all combinations, the defaults among them
SETTINGS = [
    LRPSettings(
        rule=rule,
        alpha=ALPHA,
        epsilon=EPSILON,
        **{
            name: known[choice]
            for (name, known), choice in zip(CHOICES[rule]._asdict().items(), choices, strict=True)
        },
    )
    for rule in ("alphabeta", "epsilon")
    for choices in itertools.product(*map(range, map(len, CHOICES[rule])))
    if sum(choices) % 3 == 0
] + [
    LRPSettings(rule="gradient", layernorm=layernorm, attention=attention)
    for layernorm, attention in itertools.product(
        CHOICES["gradient"].layernorm, CHOICES["gradient"].attention
    )
]
MASK = 3


def small(family):
    torch.manual_seed(5)
    model = BUILDERS[family]().double().eval()
    for name, tensor in itertools.chain(model.named_parameters(), model.named_buffers()):
        if "bias" in name:
            nn.init.normal_(tensor, std=0.4)
    return model


def shares(z, lost, settings):
    """R_j is divided: z (output, input), and what one more input (the bias as a neuron) takes, (output,)."""
    if settings.rule != "alphabeta":
        total = z.sum(1) + lost
        epsilon = EPSILON if settings.rule == "epsilon" else 1e-30  # the padding token's logit is 0 / 0
        return z / (total + torch.where(total < 0, -epsilon, epsilon))[:, None], None
    parts = torch.cat([z, lost[:, None]], 1)
    positive, negative = parts.clamp_min(0), parts.clamp_max(0)
    divided = ALPHA * positive / (positive.sum(1, keepdim=True) + EPSILON)
    divided = divided + (1 - ALPHA) * negative / (negative.sum(1, keepdim=True) - EPSILON)
    return divided[:, :-1], divided[:, -1]


def through(function, inputs, settings):
    """What divides an operation's relevance among its inputs, by the Jacobian at all of them together."""
    sizes = [x.numel() for x in inputs]

    def flat(x):
        return function(
            *[part.view_as(one) for part, one in zip(x.split(sizes), inputs, strict=True)]
        ).flatten()

    x = torch.cat([one.flatten() for one in inputs])
    z = torch.autograd.functional.jacobian(flat, x) * x
    bias, lost = flat(torch.zeros_like(x)), torch.zeros(len(z), dtype=z.dtype)
    if settings.bias == "spread":
        z = z + bias[:, None] / len(x)
    elif settings.bias == "neuron":
        lost = bias
    divided, to_bias = shares(z, lost, settings)

    def divide(relevance):
        arrived = relevance.flatten() @ divided
        if settings.rule == "alphabeta" and relevance.sum() > 0:
            arrived = arrived * relevance.sum() / (arrived.sum() + relevance.flatten() @ to_bias)
        return [part.view_as(one) for part, one in zip(arrived.split(sizes), inputs, strict=True)]

    return divide


def attn_lrp(query, key, value, causal, constant):
    """The way back through one head in AttnLRP (Achtibat et al. 2024, section 3.2), rule by rule.

    A product of two matrices gives each factor half of what the contributions to each output take; softmax s of x has
    R(x_i) = x_i (R(s_i) - s_i Σ_j R(s_j)). With constant weights the values have all.
    """
    scores = query @ key.T / query.shape[-1] ** 0.5
    seen = torch.ones_like(scores).tril() if causal else torch.ones_like(scores)
    weights = scores.masked_fill(seen == 0, -torch.inf).softmax(-1)

    def divide(relevance):
        # contribution of weight (q, k) and value (k, d) to output (q, d)
        z = weights[:, :, None] * value[None]
        part = z / z.sum(1, keepdim=True) * relevance[:, None]
        if constant:
            return [torch.zeros_like(query), torch.zeros_like(key), part.sum(0)]
        of_weights = part.sum(-1) / 2
        of_scores = seen * scores * (of_weights - weights * of_weights.sum(-1, keepdim=True))
        z = query[:, None] * key[None]
        to_query_and_key = z / z.sum(-1, keepdim=True) * of_scores[:, :, None] / 2
        return [to_query_and_key.sum(1), to_query_and_key.sum(0), part.sum(0) / 2]

    return divide


class Explicit:
    """A forward pass over one sentence, (time, hidden), as a list of functions, and the way back along it."""

    def __init__(self, settings):
        self.settings = settings
        self.values: list[Tensor] = []
        self.backs: list[tuple[int, list[int], object]] = []
        self.sites: dict[Site, list[int]] = {}

    def given(self, value):
        self.values.append(value)
        return len(self.values) - 1

    def op(self, function, *inputs, back=None):
        """An operation on all places together."""
        values = [self.values[one] for one in inputs]
        output = self.given(function(*values))
        back = back or through(function, values, self.settings)
        self.backs.append((output, list(inputs), back))
        return output

    def each_place(self, function, *inputs):
        """An operation that treats every place by itself."""

        places = zip(*[self.values[one] for one in inputs], strict=True)
        divided = [through(function, values, self.settings) for values in places]

        def back(relevance):
            rows = [divide(row) for divide, row in zip(divided, relevance, strict=True)]
            return [torch.stack(arrived) for arrived in zip(*rows, strict=True)]

        return self.op(function, *inputs, back=back)

    def unchanged(self, function, one):
        return self.op(function, one, back=lambda relevance: [relevance])

    def add(self, one, other):
        return self.each_place(torch.add, one, other)

    def norm(self, module, one):
        if self.settings.layernorm == "identity":
            return self.unchanged(module, one)
        if self.settings.layernorm == "alphabeta_jacobian":
            return self.each_place(module, one)

        def normalise(x):
            deviation = (x.var(-1, unbiased=False, keepdim=True) + module.eps).sqrt().detach()
            return (x - x.mean(-1, keepdim=True)) / deviation * module.weight + module.bias

        return self.each_place(normalise, one)

    def feed_forward(self, first, activation, second, one):
        return self.each_place(second, self.unchanged(activation, self.each_place(first, one)))

    def attention(self, site, projections, output, queries, keys, causal=False):
        q, k, v = (self.each_place(p, x) for p, x in zip(projections, (queries, keys, keys), strict=True))
        size = HIDDEN // HEADS
        contexts = []
        for head in range(HEADS):
            dims = slice(head * size, (head + 1) * size)

            def one_head(query, key, value):
                scores = query @ key.T / size**0.5
                if causal:
                    scores = scores + torch.full_like(scores, -torch.inf).triu(1)
                weights = scores.softmax(-1)
                return (weights.detach() if self.settings.attention == "constant" else weights) @ value

            parts = [
                self.op(lambda x, dims=dims: x[:, dims], one, back=self.cut(one, dims)) for one in (q, k, v)
            ]
            back = None
            if self.settings.rule == "gradient":
                constant = self.settings.attention == "constant"
                back = attn_lrp(*(self.values[part] for part in parts), causal, constant)
            contexts.append(self.op(one_head, *parts, back=back))
        self.sites[site] = contexts
        joined = self.op(
            lambda *heads: torch.cat(heads, -1), *contexts, back=lambda relevance: relevance.split(size, -1)
        )
        return self.each_place(output, joined)

    def cut(self, one, dims):
        def back(relevance):
            whole = torch.zeros_like(self.values[one])
            whole[:, dims] = relevance
            return [whole]

        return back

    def relevance_of_heads(self, last, start):
        found = {last: start}
        for output, inputs, back in reversed(self.backs):
            if output in found:
                for one, part in zip(inputs, back(found[output]), strict=True):
                    found[one] = found[one] + part if one in found else part
        return {
            site: torch.stack([found[context].sum() for context in contexts])
            for site, contexts in self.sites.items()
            if contexts[0] in found
        }


def encoder_decoder(e, model, source, target):
    """Marian normalises after each sum (post-norm), Pegasus before each layer and once at the end (pre-norm)."""
    before = isinstance(model, PegasusForConditionalGeneration)
    base = model.model

    def sublayer(norm, x, function):
        if before:
            return e.add(x, function(e.norm(norm, x)))
        return e.norm(norm, e.add(x, function(x)))

    def embedded(side, ids):
        positions = side.embed_positions((1, len(ids)))
        return e.given(side.embed_tokens(ids) * side.embed_scale + positions)

    def feed_forward(layer):
        return lambda h: e.feed_forward(layer.fc1, layer.activation_fn, layer.fc2, h)

    def attention(site, module, keys=None, causal=False):
        parts = module.q_proj, module.k_proj, module.v_proj
        return lambda h: e.attention(site, parts, module.out_proj, h, h if keys is None else keys, causal)

    x = embedded(base.encoder, source)
    for number, layer in enumerate(base.encoder.layers, start=1):
        x = sublayer(layer.self_attn_layer_norm, x, attention(Site("encoder", number), layer.self_attn))
        x = sublayer(layer.final_layer_norm, x, feed_forward(layer))
    memory = e.norm(base.encoder.layer_norm, x) if before else x
    x = embedded(base.decoder, target)
    for number, layer in enumerate(base.decoder.layers, start=1):
        own, cross = Site("decoder", number), Site("cross", number)
        x = sublayer(layer.self_attn_layer_norm, x, attention(own, layer.self_attn, causal=True))
        x = sublayer(layer.encoder_attn_layer_norm, x, attention(cross, layer.encoder_attn, memory))
        x = sublayer(layer.final_layer_norm, x, feed_forward(layer))
    states = e.norm(base.decoder.layer_norm, x) if before else x
    logits = e.each_place(lambda h: functional.linear(h, model.lm_head.weight), states)
    if e.settings.bias == "neuron":
        return e.add(logits, e.given(model.final_logits_bias.expand_as(e.values[logits])))
    # spread over the one input that there is beside it, and dropped, a bias changes nothing
    return e.unchanged(lambda x: x + model.final_logits_bias, logits)


def bert(e, model, ids):
    base = model.bert
    x = e.given(base.embeddings(ids[None])[0])
    for number, layer in enumerate(base.encoder.layer, start=1):
        own, out = layer.attention.self, layer.attention.output
        attended = e.attention(Site("encoder", number), (own.query, own.key, own.value), out.dense, x, x)
        x = e.norm(out.LayerNorm, e.add(attended, x))
        hidden = layer.intermediate
        update = e.feed_forward(hidden.dense, hidden.intermediate_act_fn, layer.output.dense, x)
        x = e.norm(layer.output.LayerNorm, e.add(update, x))
    if isinstance(model, BertForMaskedLM):
        head = model.cls.predictions.transform
        x = e.norm(head.LayerNorm, e.unchanged(head.transform_act_fn, e.each_place(head.dense, x)))
        return e.each_place(model.cls.predictions.decoder, x)

    def first(relevance):
        whole = torch.zeros_like(e.values[x])
        whole[:1] = relevance
        return [whole]

    pooled = e.unchanged(torch.tanh, e.each_place(base.pooler.dense, e.op(lambda h: h[:1], x, back=first)))
    return e.each_place(model.classifier, pooled)


def side(*sentences):
    longest = max(map(len, sentences))
    ids = torch.tensor([sentence + [0] * (longest - len(sentence)) for sentence in sentences])
    present = torch.tensor([[place < len(s) for place in range(longest)] for s in sentences])
    real = present & (ids != 1)
    return Side(ids, present, real, torch.where(real, torch.arange(longest), -1))


SOURCE = side([5, 7, MASK, 4, 1], [6, MASK, 1])
TARGET = side([8, 9, 1], [5, 11, 6, 1])


def expected(model, settings, row):
    """For each step of a sentence the relevance of every head, each step by itself, and the logits."""
    source = SOURCE.ids[row][SOURCE.present[row]]
    e = Explicit(settings)
    if model.config.is_encoder_decoder:
        target = TARGET.ids[row][TARGET.present[row]]
        last = encoder_decoder(e, model, source, torch.cat([torch.tensor([0]), target[:-1]]))
        places = range(len(target))
    else:
        last = bert(e, model, source)
        masked = isinstance(model, BertForMaskedLM)
        places = (source == MASK).nonzero()[:, 0].tolist() if masked else [0]
    logits = e.values[last]
    steps = []
    for place in places:
        start = torch.zeros_like(logits)
        start[place, logits[place].argmax()] = 1
        steps.append(e.relevance_of_heads(last, start))
    return steps, logits


@pytest.mark.parametrize(
    "settings", SETTINGS, ids=lambda s: f"{s.rule}, {s.layernorm}, {s.attention}, {s.bias}"
)
@pytest.mark.parametrize("family", BUILDERS)
@torch.no_grad()
def test_relevance_of_heads_equals_that_by_explicit_jacobians(family, settings):
    model = small(family)
    nmt = model.config.is_encoder_decoder
    batch = translation_batch(SOURCE, TARGET, 0) if nmt else single_batch(SOURCE, "encoder")
    model_logits = model(**batch.inputs).logits
    with Lens(model) as lens:
        _, found = step_relevance(lens, batch, settings, list(lens.anatomy.sites), MASK)
    for row in range(2):
        steps, logits = expected(model, settings, row)
        theirs = model_logits[row][: len(logits)] if model_logits.ndim == 3 else model_logits[row][None]
        torch.testing.assert_close(logits, theirs)
        assert set(steps[0]) == set(found)
        for number, step in enumerate(steps):
            for site, heads in step.items():
                torch.testing.assert_close(
                    found[site][row, number], heads, rtol=1e-6, atol=1e-9, msg=str(site)
                )
        for relevance in found.values():
            assert not relevance[row, len(steps) :].any(), "a step that is not there has relevance"
