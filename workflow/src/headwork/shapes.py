"""Names of tensors' axes, and names of places in a model: sites and heads.

A *site* is one attention of one layer: every head in it reads the same vectors. Layers and heads are
counted from 1, as the papers do; `Head("encoder", 3, 5)` is written ``encoder 3-5``.
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
    """One attention: its kind (encoder, decoder or cross) and its layer, counted from 1."""

    kind: str
    layer: int

    def __str__(self) -> str:
        return f"{self.kind} {self.layer}"

    def head(self, number: int) -> "Head":
        """The head of this site with that number, counted from 1."""
        return Head(self.kind, self.layer, number)


class Head(NamedTuple):
    """One attention head: kind, layer and number, both counted from 1."""

    kind: str
    layer: int
    head: int

    @property
    def site(self) -> Site:
        """The attention this head belongs to."""
        return Site(self.kind, self.layer)

    def __str__(self) -> str:
        return f"{self.kind} {self.layer}-{self.head}"
