"""The attention function that every model under the lens runs, registered with `transformers` as "headwork".

For each head it computes

    context = gate · (scale · softmax(cap(query keyᵀ / √d) + bias)) value

which is plain attention (Vaswani et al. 2017, section 3.2.1) unless something is asked of the site. A bias of the
scores (T5's of positions) and a soft cap, cap(s) = c tanh(s / c), belong to the model. `headwork.lens.asked`
holds what is asked of each site.

Weights are only made when someone asks to see them; otherwise torch's fused attention runs and the lens costs
nothing. Gates and scales act on the context, in which they are linear; a head made uniform has its query and its bias
set to zero, so that all scores are equal and softmax divides its attention evenly over the keys that the mask leaves:
all three work within fused attention too. With a soft cap, which fused attention lacks, weights are always made.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn.functional import dropout as drop
from transformers import AttentionInterface, AttentionMaskInterface
from transformers.integrations.sdpa_attention import sdpa_attention_forward
from transformers.masking_utils import sdpa_mask

from headwork.errors import InputError
from headwork.lens.asked import UNDER_LENS, Allowed, Asked, Attended, Contexts, asked_of_this_call
from headwork.sites import HeadVectors, Maps

NAME = "headwork"

# Keywords that `transformers` passes to attention functions and its eager attention ignores. Sliding windows and packed
# texts are in the mask already.
WITHOUT_EFFECT = {
    *("cache_position", "cu_seq_lens_k", "cu_seq_lens_q", "deterministic", "max_length_k", "max_length_q"),
    *(
        "num_items_in_batch",
        "output_hidden_states",
        "position_ids",
        "return_dict",
        "sliding_window",
        "use_cache",
    ),
}

# Weights that are only looked at are made for a few sentences at a time, of at most so many bytes. On a CPU they
# should stay in a core's own cache: 1 MiB is one sentence of 128 tokens and 12 heads, and was fastest of 1, 2 and 4.
CHUNK_BYTES = {"cpu": 2**20}
CHUNK_BYTES_ELSEWHERE = 256 * 2**20

KeyVectors = Float[Tensor, "batch head key head_dim"]
SharedVectors = Float[Tensor, "batch shared key head_dim"]
Bias = Float[Tensor, "_ _ query key"]


def attend(
    module: nn.Module,
    query: HeadVectors,
    key: SharedVectors,
    value: SharedVectors,
    attention_mask: Tensor | None,
    scaling: float | None = None,
    dropout: float = 0.0,
    position_bias: Bias | None = None,
    softcap: float | None = None,
    is_causal: bool | None = None,
    output_attentions: bool | None = False,
    **others: Any,
) -> tuple[Contexts, Maps | None]:
    """Attention as `transformers` calls it: returns the heads' contexts, and the weights if the whole batch's exist.

    `attention_mask` is as `transformers.masking_utils.sdpa_mask` makes it (True where a key may be attended; None if
    there is nothing to mask but, in a causal module, the future) or a float mask to add to the scores, as
    `position_bias` is. Keys and values may have fewer heads than queries, each shared by as many. Raises InputError for
    a keyword that could change attention and is not handled here.
    """
    asked = asked_of_this_call(module)
    _refuse_unknown(module, others)
    for heads in asked.uniform.values():
        blank = torch.zeros(query.shape[1], dtype=torch.bool, device=query.device)
        blank[heads] = True
        query = query.masked_fill(blank.view(1, -1, 1, 1), 0)
        if position_bias is not None:
            position_bias = torch.where(blank.view(1, -1, 1, 1), 0, position_bias)
    for allowed in asked.masks.values():
        if allowed is None:
            allowed = _no_key_after_the_query(query, key)
        if attention_mask is None:
            attention_mask = _causal(module, query, key, is_causal)
        attention_mask = _both(attention_mask, allowed)
    if asked.observers or asked.keeping or output_attentions or softcap is not None:
        if attention_mask is None:
            attention_mask = _causal(module, query, key, is_causal)
        shared_by = query.shape[1] // key.shape[1]
        if shared_by > 1:
            key, value = (tensor.repeat_interleave(shared_by, dim=1) for tensor in (key, value))
        scores = _Scores(query, key, attention_mask, scaling, position_bias, softcap)
        context, weights = _attend_openly(asked, scores, value, dropout)
    else:
        named = {
            "dropout": dropout,
            "scaling": scaling,
            "is_causal": is_causal,
            "position_bias": position_bias,
        }
        context, weights = sdpa_attention_forward(
            module, query, key, value, attention_mask, **named, **others
        )
        context = asked.scaled(context, slice(None))
    for gate in asked.gates.values():
        context = context * gate.to(context.dtype)[..., None, :, None]
    for receive in asked.receivers.values():
        receive(asked.site, context)
    return context, weights


def _refuse_unknown(module: nn.Module, named: dict[str, Any]) -> None:
    unknown = [name for name, value in named.items() if value is not None and name not in WITHOUT_EFFECT]
    if unknown:
        watched = UNDER_LENS.get(module)
        raise InputError(
            f"the lens does not know what {', '.join(unknown)} does to the attention of "
            f"{watched.family if watched else type(module).__name__}, so its weights could be wrong; "
            "leave it out, or handle it in headwork/lens/attention.py"
        )


class _Scores(NamedTuple):
    """What the weights of a batch are made of."""

    query: HeadVectors
    key: KeyVectors
    mask: Tensor | None
    scaling: float | None
    bias: Bias | None
    softcap: float | None

    def weights(self, rows: slice) -> Maps:
        # masks and biases may have a single row for all sentences
        parts = (self.mask, self.bias)
        mask, bias = (part if part is None or len(part) == 1 else part[rows] for part in parts)
        query, key = self.query[rows], self.key[rows]
        return attention_weights(query, key, mask, self.scaling, bias=bias, softcap=self.softcap)


def _attend_openly(
    asked: Asked, scores: _Scores, value: KeyVectors, dropout: float
) -> tuple[Contexts, Maps | None]:
    """Attention whose weights are made, shown and kept: at once if they are needed later, else in chunks of rows."""
    query, key = scores.query, scores.key
    given = [tensor for tensor in (query, key, value, scores.bias) if tensor is not None]
    tracked = torch.is_grad_enabled() and any(tensor.requires_grad for tensor in given)
    if tracked or asked.keeping or dropout or not asked.observers:
        everything = slice(0, len(query))
        weights = asked.scaled(scores.weights(everything), everything)
        if asked.keeping and torch.is_grad_enabled():
            # In a frozen model the graph begins here, so that the layers below cost no memory.
            _ = weights.retain_grad() if weights.requires_grad else weights.requires_grad_()
        for kept in asked.keeping.values():
            kept[asked.site] = weights
        asked.show(Attended(asked.site, everything, weights, value, query, key))
        return (drop(weights, dropout) @ value).transpose(1, 2).contiguous(), weights
    batch, heads, queries, _ = query.shape
    contexts = value.new_empty(batch, queries, heads, value.shape[-1])
    for rows in _chunks(query, key):
        weights = asked.scaled(scores.weights(rows), rows)
        asked.show(Attended(asked.site, rows, weights, value[rows], query[rows], key[rows]))
        contexts[rows] = (weights @ value[rows]).transpose(1, 2)
    return contexts, None


def attention_weights(
    query: HeadVectors,
    key: KeyVectors,
    mask: Tensor | None = None,
    scaling: float | None = None,
    causal: bool = False,
    bias: Bias | None = None,
    softcap: float | None = None,
) -> Maps:
    """softmax(cap(query keyᵀ · scaling) + bias) over the keys that the mask leaves, none after the query if `causal`.

    As `torch.nn.functional.scaled_dot_product_attention` has them: a boolean mask is true where a key may be attended,
    any other is added to the scores; scaling is head_dim^-0.5 by default. With a `softcap` c,
    cap(s) = c tanh(s / c), else s.
    """
    scores = (query * (query.shape[-1] ** -0.5 if scaling is None else scaling)) @ key.transpose(-2, -1)
    if softcap is not None:
        scores = softcap * torch.tanh(scores / softcap)
    if bias is not None:
        scores = scores + bias
    if causal:
        mask = _no_key_after_the_query(query, key)
    if mask is not None and mask.dtype == torch.bool:
        # The lowest number rather than -inf: a query with no key at all gets even weights, as in `transformers`.
        scores.masked_fill_(~mask, torch.finfo(scores.dtype).min)
    elif mask is not None:
        scores += mask
    return scores.softmax(-1)


def _no_key_after_the_query(query: HeadVectors, key: SharedVectors) -> Bool[Tensor, "1 1 query key"]:
    return torch.ones(1, 1, query.shape[-2], key.shape[-2], dtype=torch.bool, device=query.device).tril()


def _causal(
    module: nn.Module, query: HeadVectors, key: SharedVectors, is_causal: bool | None
) -> Bool[Tensor, "1 1 query key"] | None:
    """The mask that fused attention implies where `transformers` gives none: no key after the query, if causal."""
    causal = getattr(module, "is_causal", True) if is_causal is None else is_causal
    if not causal or query.shape[2] == 1:
        return None
    return _no_key_after_the_query(query, key)


def _both(mask: Tensor | None, allowed: Allowed) -> Tensor:
    """A mask as `attend` gets it that leaves only keys that are allowed too."""
    if mask is None:
        return allowed
    if mask.dtype == torch.bool:
        return mask & allowed
    return mask.masked_fill(~allowed, torch.finfo(mask.dtype).min)


def _chunks(query: HeadVectors, key: KeyVectors) -> Iterator[slice]:
    """Runs of rows whose weights fit in the chunk's bytes; one row at least."""
    batch, heads, queries, _ = query.shape
    row = heads * queries * key.shape[2] * query.element_size()
    size = max(1, CHUNK_BYTES.get(query.device.type, CHUNK_BYTES_ELSEWHERE) // max(1, row))
    return (slice(start, min(start + size, batch)) for start in range(0, batch, size))


AttentionInterface.register(NAME, attend)
AttentionMaskInterface.register(NAME, sdpa_mask)
