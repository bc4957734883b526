"""What is asked of the attention modules under a lens.

It is kept beside the modules, never on them: one `Watched` for each module, one `Asked` for each of its sites, filled
and emptied by `headwork.lens.lens.Lens`, and read by `headwork.lens.attention.attend`.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple
from weakref import WeakKeyDictionary

from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.utils.hooks import RemovableHandle

from headwork.sites import HeadVectors, Maps, Site

Contexts = Float[Tensor, "batch time head head_dim"]
Gate = Float[Tensor, " head"] | Float[Tensor, "batch head"]
Scale = float | Float[Tensor, ""] | Float[Tensor, " batch"]
Allowed = Bool[Tensor, "batch _ query key"]


class Attended(NamedTuple):
    """What one site did for some sentences of a batch; made anew for each call of an observer.

    `rows` are the sentences within the batch of the model's forward pass. `weights` are as used (uniform and scaled
    heads included), after softmax and before dropout; each row sums to one over the keys unless the site is scaled.
    `value` and `key` have one entry for each head, also where the model's heads share them. Scores may have a bias that
    `query` and `key` do not tell. Where gradients are computed the tensors are part of the graph: detach what you keep.
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
        return any(wishes for name, wishes in vars(self).items() if name != "site")

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


@dataclass
class Watched:
    """An attention module under a lens, and what is asked of each of its calls in a pass: more than one if shared.

    `begun` counts the calls of the module in the present pass, `attended` those that reached the lens.
    `number` tells the hooks of this record from those of others.
    """

    family: str
    sites: list[Asked]
    hooks: list[RemovableHandle] = field(default_factory=list)
    number: int | None = None
    lenses: int = 0
    begun: int = 0
    attended: int = 0


# Attention modules of models that are under a lens now. Lenses over the same model share what is asked of it.
UNDER_LENS: "WeakKeyDictionary[nn.Module, Watched]" = WeakKeyDictionary()

# Of other modules that get here (a copy made of a model under the lens) nothing is asked.
NOTHING = Asked(Site("encoder", 0))


def asked_of_this_call(module: nn.Module) -> Asked:
    """What is asked of the attention that is being computed; to be called exactly once in each call of the module."""
    watched = UNDER_LENS.get(module)
    if watched is None:
        return NOTHING
    watched.attended += 1
    return watched.sites[(watched.attended - 1) % len(watched.sites)]


def asks(module: nn.Module) -> bool:
    """Whether anything is asked of an attention, in any of its calls."""
    watched = UNDER_LENS.get(module)
    return watched is not None and any(asked.anything for asked in watched.sites)
