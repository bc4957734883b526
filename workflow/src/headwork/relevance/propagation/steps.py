"""Predictions whose relevance is propagated, and relevance tensors for all of them at once.

Relevance starts with 1 at the logit of the subword token or class that the model finds most probable (Voita et al.
2019, section 4), separately for each *step*: a place of the target text, a masked place, a class. It is carried for all
steps of a batch at once, with a leading axis over steps in front of the axes of the tensor it belongs to.
"""

from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from headwork.heads.streaming.batches import Batch
from headwork.sites import Mask

PerStep = Float[Tensor, "batch step head"]


@dataclass(frozen=True)
class Steps:
    """The steps of each sentence, padded on the right to the most that one has: `present` says which there are.

    `places` are their positions in the text; None if the model makes one prediction for a sentence.
    """

    places: Int[Tensor, "batch step"] | None
    present: Bool[Tensor, "batch step"]

    @classmethod
    def of(cls, batch: Batch, logits: Tensor, masked: int | None = None) -> "Steps":
        """The steps of a batch for which the model gave these logits.

        Logits (batch, class) are one step a sentence. Of logits (batch, time, piece) a decoder's are steps where it has
        read its start piece or a real token, so that EOS is the last it predicts; another model's are at the places
        that hold the subword token `masked`, or at all real ones if that is None.
        """
        if logits.ndim == 2:
            return cls(None, torch.ones(len(logits), 1, dtype=torch.bool, device=logits.device))
        side = batch.queries["decoder"] if "decoder" in batch.queries else batch.queries["encoder"]
        chosen: Mask
        if "cross" in batch.queries:
            chosen = side.present  # of what it says, a language's code too
        elif "decoder" in batch.queries:
            chosen = side.real.clone()
            chosen[:, 0] = side.present[:, 0]
        else:
            chosen = side.real if masked is None else (side.ids == masked) & side.present
        most = int(chosen.sum(1).max())
        places = (~chosen).int().argsort(dim=1, stable=True)[:, :most]
        return cls(places, chosen.gather(1, places))

    def at_places(self, time: int) -> Float[Tensor, "step batch time"]:
        """Return 1 at the position of each step, 0 elsewhere."""
        every = torch.arange(time, device=self.present.device)
        here = (self.places[..., None] == every) & self.present[..., None]
        return here.transpose(0, 1).to(torch.get_default_dtype())


class Relevance(NamedTuple):
    """The relevance of every element of a tensor for every step: `amount` (step, *the tensor's axes).

    `own`: relevance has not left the place of its step yet. Then the step axis is 1 long, and what stands at a place of
    the text belongs to the step of that place: a decoder's relevance above its highest self-attention.
    `chosen`: along the tensor's last axis, which is `size` long, only the element with this index has any; then `held`
    is 1 long there.
    """

    held: Float[Tensor, " step *axes"]
    own: bool = False
    chosen: Int[Tensor, " *places"] | None = None
    size: int = 0

    @property
    def amount(self) -> Float[Tensor, " step *axes"]:
        """Relevance with all axes of the tensor in their full length."""
        if self.chosen is None:
            return self.held
        index = self.chosen[None, ..., None].expand_as(self.held)
        return self.held.new_zeros(*self.held.shape[:-1], self.size).scatter(-1, index, self.held)

    @classmethod
    def of_top(cls, logits: Tensor, steps: Steps, together: bool) -> "Relevance":
        """1 at the highest logit of every step; `together`: as if all steps of a sentence were one."""
        chosen, size = logits.argmax(-1), logits.shape[-1]
        if steps.places is None:
            return cls(torch.ones_like(logits[None, ..., :1]), False, chosen, size)
        ones = steps.at_places(logits.shape[1]).sum(0, keepdim=True)[..., None].to(logits)
        return cls(ones, not together, chosen, size)

    def spread(self, steps: Steps) -> "Relevance":
        """The same with a step axis of its full length; the tensor's axes are batch, time and others."""
        if not self.own:
            return self
        here = steps.at_places(self.held.shape[2]).to(self.held)
        here = here.view(*here.shape, *[1] * (self.held.ndim - 3))
        return self._replace(held=self.held * here, own=False)

    def plus(self, other: "Relevance", steps: Steps) -> "Relevance":
        """Return the sum with the relevance that reaches the tensor on another path."""
        if self.own == other.own:
            return Relevance(self.amount + other.amount, self.own)
        return Relevance(self.spread(steps).amount + other.spread(steps).amount)

    def per_head(self, steps: Steps) -> PerStep:
        """Of contexts (batch, time, head, head_dim): the sum over a head's dimensions and all places of the text."""
        heads = self.amount.sum(-1)
        if self.own:
            places = steps.places[..., None].expand(-1, -1, heads.shape[-1])
            return heads[0].gather(1, places) * steps.present[..., None]
        return heads.sum(2).transpose(0, 1)
