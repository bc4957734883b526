"""The last layer of an encoder for some places of the text only: all that a classifier reads is [CLS].

Everything after the attention of a layer is done place by place, so in the last layer the places that nobody reads can
be left out: output projection, feed-forward and layer normalisations, about three quarters of a layer's work. The rest
is nearly all in keys and values, of which a few queries q need none. With what the layer reads, x, and attention a,

    q_i · (W_K x_j + b_K) = (W_Kᵀ q_i) · x_j + const        the constant of a query changes no softmax
    Σ_j a_ij (W_V x_j + b_V) = W_V Σ_j a_ij x_j + b_V       as Σ_j a_ij = 1

so W_K and W_V are applied once for a query instead of once for every token.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from jaxtyping import Float
from torch import Tensor, einsum, nn
from torch.nn.functional import linear

from headwork.lens.anatomy import AttentionSite, anatomy
from headwork.lens.asked import asked_of_this_call, asks
from headwork.lens.attention import attention_weights
from headwork.lens.forwards import computing
from headwork.sites import Site, Vectors

# Blocks of BERT's kind: called with (heads' contexts, what the layer read), both (batch, time, hidden).
BLOCKS = [f"{name}SelfOutput" for name in ("Bert", "Camembert", "Electra", "Roberta", "XLMRoberta")]


@contextmanager
def only_places(model: nn.Module, places: tuple[int, ...] | None) -> Iterator[Site | None]:
    """Within, the last hidden states have these places (from 0) alone, in this order; None: all places.

    Gives the site behind which the others are left out, the last one of the encoder: what is asked of it by a lens
    holds. None: for other families than BERT's the states stay whole, in the order they had.
    """
    last = None if places is None else _last_site(model)
    if last is None:
        yield None
        return
    part, block = last

    def leave_out(module: nn.Module, given: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
        contexts, read = given
        return contexts, read[:, places]

    hook = block.register_forward_pre_hook(leave_out)
    try:
        with computing({part.module: _Attention(part, places)}):
            yield part.site
    finally:
        hook.remove()


class _Attention:
    """The attention of a site for the queries of some places."""

    def __init__(self, part: AttentionSite, places: tuple[int, ...]) -> None:
        self.part, self.places, self.whole = part, places, part.module.forward

    def __call__(
        self, hidden_states: Vectors, attention_mask: Tensor | None = None, **named: Any
    ) -> tuple[Float[Tensor, "batch place hidden"], None]:
        """As BERT's attentions are called; gives the contexts of the places."""
        if asks(self.part.module) or len(self.places) >= self.part.head_dim:
            contexts, _ = self.whole(hidden_states, attention_mask=attention_mask, **named)
            return contexts[:, self.places], None
        module, heads = self.part.module, self.part.heads
        asked_of_this_call(module)  # nothing is; but the lens counts the calls
        shape = heads, self.part.head_dim
        w_k, w_v = (made.weight.unflatten(0, shape) for made in (module.key, module.value))
        query = linear(hidden_states[:, self.places], module.query.weight, module.query.bias)
        # all heads' queries are of one head, as they all look at x itself
        asking = einsum("bphe,hed->bhpd", query.unflatten(-1, (heads, -1)), w_k).flatten(1, 2)[:, None]
        if attention_mask is not None:
            attention_mask = attention_mask[:, :, self.places].repeat(1, 1, heads, 1)
        weights = attention_weights(asking, hidden_states[:, None], attention_mask, module.scaling)
        mixed = (weights[:, 0] @ hidden_states).unflatten(1, (heads, -1))
        contexts = einsum("bhpd,hed->bphe", mixed, w_v).flatten(2)
        return contexts + module.value.bias, None


def _last_site(model: nn.Module) -> tuple[AttentionSite, nn.Module] | None:
    """The encoder's last attention and the block behind it, if that is of a known kind."""
    encoder = [part for site, part in anatomy(model).sites.items() if site.kind == "encoder"]
    for module in model.modules() if encoder else ():
        if type(module).__name__ in BLOCKS and any(
            child is encoder[-1].output for child in module.children()
        ):
            return encoder[-1], module
    return None
