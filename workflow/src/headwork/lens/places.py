"""What an entry says of a family's layers: where the attentions in them lie, and what else is special to them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from jaxtyping import Float
from torch import Tensor, nn

from headwork.sites import HeadVectors

Projected = Float[Tensor, "batch time _"]


def separate(projected: Projected, heads: int, head_dim: int) -> HeadVectors:
    """Each head's values, where the projection makes values alone.

    Key-value heads that several query heads share (grouped-query attention, Ainslie et al. 2023) are repeated for each.
    """
    values = projected.unflatten(-1, (-1, head_dim)).transpose(1, 2)
    shared_by = heads // values.shape[1]
    return values if shared_by == 1 else values.repeat_interleave(shared_by, dim=1)


def last_third(projected: Projected, heads: int, head_dim: int) -> HeadVectors:
    """Each head's values, where the projection makes all queries, then all keys, then all values."""
    return separate(projected[..., -heads * head_dim :], heads, head_dim)


class Place(NamedTuple):
    """Where one attention lies in a layer.

    `attention` and `output` (W_O) are names of submodules relative to the layer; `heads`, the number of heads, and
    `value`, what makes the values, are relative to the attention. `cut` makes values per head of the output of
    `value`. An attention that does not go through `transformers`' attention interface is replaced under the lens:
    `forward` is its method then.
    """

    attention: str
    output: str
    heads: str = "num_heads"
    value: str = "v_proj"
    cut: Callable[[Projected, int, int], HeadVectors] = separate
    forward: Callable[..., Any] | None = None


def itself(layer: nn.Module) -> Sequence[nn.Module]:
    """A layer is called once in a pass."""
    return (layer,)


@dataclass(frozen=True)
class Entry:
    """A class of layers: the attentions in a layer, by kind.

    `layers` gives the layers that a module of this class calls in one pass, in their order. `alone`: a layer computes
    the same when it is given nothing but states and a mask; False where the model hands it positions.
    """

    places: Mapping[str, Place]
    layers: Callable[[nn.Module], Sequence[nn.Module]] = itself
    alone: bool = True


Family = Mapping[str, Entry]
