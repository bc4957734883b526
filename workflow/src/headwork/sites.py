"""Names of tensor axes, and of the attention sites and heads of a model.

A *site* is one attention sublayer of one layer; all its heads read the same vectors. Layers and heads are counted from
1, as in the papers; `Head("encoder", 3, 5)` is written ``encoder 3-5``.
"""

from typing import NamedTuple

from jaxtyping import Bool, Float, Int
from torch import Tensor

KINDS = ("encoder", "decoder", "cross")

Maps = Float[Tensor, "batch head query key"]
HeadVectors = Float[Tensor, "batch head time head_dim"]
Vectors = Float[Tensor, "batch time hidden"]
PerHead = Float[Tensor, " head"]
Ids = Int[Tensor, "batch time"]
Mask = Bool[Tensor, "batch time"]


class Site(NamedTuple):
    """One attention sublayer: its kind (encoder, decoder or cross) and its layer, counted from 1."""

    kind: str
    layer: int

    def __str__(self) -> str:
        return f"{self.kind} {self.layer}"

    def head(self, number: int) -> "Head":
        """Return the head of this site with that number, counted from 1."""
        return Head(self.kind, self.layer, number)


class Head(NamedTuple):
    """One attention head: kind, layer and number, both counted from 1."""

    kind: str
    layer: int
    head: int

    @property
    def site(self) -> Site:
        """The attention sublayer of this head."""
        return Site(self.kind, self.layer)

    def __str__(self) -> str:
        return f"{self.kind} {self.layer}-{self.head}"
