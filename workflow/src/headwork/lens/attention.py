"""The attention function that every model under the lens runs, registered with `transformers` as "headwork".

For each head it computes

    context = gate · (scale · softmax(query keyᵀ / √d)) value

which is plain attention (Vaswani et al. 2017, section 3.2.1) unless something is asked of the site. What is asked is
kept beside the modules, never on them: `Asked`, one per site, filled and emptied by `headwork.lens.lens.Lens`.

Weights are only made when someone asks to see them; otherwise torch's fused attention runs and the lens costs
nothing. Gates and scales act on the context, in which they are linear; a head made uniform has its query set to zero,
so that all scores are equal and softmax divides its attention evenly over the keys that the mask leaves: all three
work within fused attention too.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn.functional import dropout as drop
from transformers import AttentionInterface, AttentionMaskInterface
from transformers.integrations.sdpa_attention import sdpa_attention_forward
from transformers.masking_utils import sdpa_mask

from headwork.shapes import HeadVectors, Maps, Site

NAME = "headwork"

# Weights that are only looked at are made for a few sentences at a time, of at most so many bytes. On a CPU they
# should stay in a core's own cache: 1 MiB is one sentence of 128 tokens and 12 heads, and was fastest of 1, 2 and 4.
CHUNK_BYTES = {"cpu": 2**20}
CHUNK_BYTES_ELSEWHERE = 256 * 2**20

KeyVectors = Float[Tensor, "batch head key head_dim"]
Contexts = Float[Tensor, "batch time head head_dim"]
Gate = Float[Tensor, " head"] | Float[Tensor, "batch head"]
Scale = float | Float[Tensor, ""] | Float[Tensor, " batch"]
Allowed = Bool[Tensor, "batch _ query key"]


class Attended(NamedTuple):
    """What one site did for some sentences of a batch; made anew for each call of an observer.

    `rows` are the sentences within the batch of the model's forward pass. `weights` are as used (uniform and scaled
    heads included), after softmax and before dropout; each row sums to one over the keys unless the site is scaled.
    Where gradients are computed the tensors are part of the graph: detach what you keep.
    """

    site: Site
    rows: slice
    weights: Maps
    value: HeadVectors
    query: HeadVectors | None = None
    key: HeadVectors | None = None

    @property
    def context(self) -> HeadVectors:
        """Each head's output before its gate and W_O: its weights times its values."""
        return self.weights @ self.value


Observer = Callable[[Attended], None]
Receiver = Callable[[Site, Contexts], None]


@dataclass
class Asked:
    """What is asked of one site at present. Each dict maps a token (one per `with` block) to the block's wish."""

    site: Site
    lenses: int = 0
    observers: dict[object, tuple[Observer, ...]] = field(default_factory=dict)
    keeping: dict[object, dict[Site, Tensor]] = field(default_factory=dict)
    uniform: dict[object, list[int]] = field(default_factory=dict)
    scales: dict[object, Scale] = field(default_factory=dict)
    gates: dict[object, Gate] = field(default_factory=dict)
    receivers: dict[object, Receiver] = field(default_factory=dict)
    masks: dict[object, Allowed | None] = field(default_factory=dict)

    @property
    def anything(self) -> bool:
        """Whether anything is asked of the site at present."""
        return any(
            (
                self.observers,
                self.keeping,
                self.uniform,
                self.scales,
                self.gates,
                self.receivers,
                self.masks,
            )
        )

    def scaled(self, tensor: Float[Tensor, "rows _ _ _"], rows: slice) -> Float[Tensor, "rows _ _ _"]:
        """Weights or contexts of these rows of the batch times all scales asked for."""
        for scale in self.scales.values():
            if isinstance(scale, Tensor):
                scale = scale.to(tensor)
                scale = scale[rows].view(-1, 1, 1, 1) if scale.ndim else scale
            tensor = tensor * scale
        return tensor

    def show(self, attended: Attended) -> None:
        """Call every observer of the site."""
        for observers in self.observers.values():
            for observer in observers:
                observer(attended)


# Attention modules of models that are under a lens now. Lenses over the same model share what is asked of it.
UNDER_LENS: "WeakKeyDictionary[nn.Module, Asked]" = WeakKeyDictionary()

# Of other modules that get here (a copy made of a model under the lens) nothing is asked.
NOTHING = Asked(Site("encoder", 0))


def attend(
    module: nn.Module,
    query: HeadVectors,
    key: KeyVectors,
    value: KeyVectors,
    attention_mask: Tensor | None,
    scaling: float | None = None,
    dropout: float = 0.0,
    **kwargs: Any,
) -> tuple[Contexts, Maps | None]:
    """Attention as `transformers` calls it: returns the heads' contexts, and the weights if the whole batch's exist.

    `attention_mask` is as `transformers.masking_utils.sdpa_mask` makes it (True where a key may be attended; None if
    there is nothing to mask but, in a causal module, the future) or a float mask to add to the scores.
    """
    asked = UNDER_LENS.get(module, NOTHING)
    for heads in asked.uniform.values():
        blank = torch.zeros(query.shape[1], dtype=torch.bool, device=query.device)
        blank[heads] = True
        query = query.masked_fill(blank.view(1, -1, 1, 1), 0)
    for allowed in asked.masks.values():
        if allowed is None:
            allowed = _no_key_after_the_query(query, key)
        if attention_mask is None:
            attention_mask = _causal(module, query, key, kwargs.get("is_causal"))
        attention_mask = _both(attention_mask, allowed)
    if asked.observers or asked.keeping or kwargs.get("output_attentions"):
        if attention_mask is None:
            attention_mask = _causal(module, query, key, kwargs.get("is_causal"))
        context, weights = _attend_openly(asked, query, key, value, attention_mask, scaling, dropout)
    else:
        context, weights = sdpa_attention_forward(
            module, query, key, value, attention_mask, dropout=dropout, scaling=scaling, **kwargs
        )
        context = asked.scaled(context, slice(None))
    for gate in asked.gates.values():
        context = context * gate.to(context.dtype)[..., None, :, None]
    for receive in asked.receivers.values():
        receive(asked.site, context)
    return context, weights


def _attend_openly(
    asked: Asked,
    query: HeadVectors,
    key: KeyVectors,
    value: KeyVectors,
    mask: Tensor | None,
    scaling: float | None,
    dropout: float,
) -> tuple[Contexts, Maps | None]:
    """Attention whose weights are made, shown and kept: at once if they are needed later, else in chunks of rows."""
    tracked = torch.is_grad_enabled() and any(t.requires_grad for t in (query, key, value))
    if tracked or asked.keeping or dropout or not asked.observers:
        everything = slice(0, len(query))
        weights = asked.scaled(attention_weights(query, key, mask, scaling), everything)
        if asked.keeping and torch.is_grad_enabled():
            # In a frozen model the graph begins here, so that the layers below cost no memory.
            _ = weights.retain_grad() if weights.requires_grad else weights.requires_grad_()
        for kept in asked.keeping.values():
            kept[asked.site] = weights
        asked.show(Attended(asked.site, everything, weights, value, query, key))
        return (drop(weights, dropout) @ value).transpose(1, 2).contiguous(), weights
    batch, heads, queries, head_dim = query.shape
    contexts = value.new_empty(batch, queries, heads, head_dim)
    for rows in _chunks(query, key):
        # transformers' masks may have a single row for all sentences.
        part = mask if mask is None or len(mask) == 1 else mask[rows]
        weights = asked.scaled(attention_weights(query[rows], key[rows], part, scaling), rows)
        asked.show(Attended(asked.site, rows, weights, value[rows], query[rows], key[rows]))
        contexts[rows] = (weights @ value[rows]).transpose(1, 2)
    return contexts, None


def attention_weights(
    query: HeadVectors,
    key: KeyVectors,
    mask: Tensor | None = None,
    scaling: float | None = None,
    causal: bool = False,
) -> Maps:
    """softmax(query keyᵀ · scaling) over the keys that the mask leaves, or none after the query if `causal`.

    As `torch.nn.functional.scaled_dot_product_attention` has them: a boolean mask is true where a key may be attended,
    any other is added to the scores; scaling is head_dim^-0.5 by default.
    """
    scores = (query * (query.shape[-1] ** -0.5 if scaling is None else scaling)) @ key.transpose(-2, -1)
    if causal:
        mask = _no_key_after_the_query(query, key)
    if mask is not None and mask.dtype == torch.bool:
        # The lowest number rather than -inf: a query with no key at all gets even weights, as in `transformers`.
        scores.masked_fill_(~mask, torch.finfo(scores.dtype).min)
    elif mask is not None:
        scores += mask
    return scores.softmax(-1)


def _no_key_after_the_query(query: HeadVectors, key: KeyVectors) -> Bool[Tensor, "1 1 query key"]:
    return torch.ones(1, 1, query.shape[-2], key.shape[-2], dtype=torch.bool, device=query.device).tril()


def _causal(
    module: nn.Module, query: HeadVectors, key: KeyVectors, is_causal: bool | None
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
    return (
        mask & allowed
        if mask.dtype == torch.bool
        else mask.masked_fill(~allowed, torch.finfo(mask.dtype).min)
    )


def _chunks(query: HeadVectors, key: KeyVectors) -> Iterator[slice]:
    """Runs of rows whose weights fit in the chunk's bytes; one row at least."""
    batch, heads, queries, _ = query.shape
    row = heads * queries * key.shape[2] * query.element_size()
    size = max(1, CHUNK_BYTES.get(query.device.type, CHUNK_BYTES_ELSEWHERE) // max(1, row))
    return (slice(start, min(start + size, batch)) for start in range(0, batch, size))


AttentionInterface.register(NAME, attend)
AttentionMaskInterface.register(NAME, sdpa_mask)
