"""Attention between words, from attention between their subword tokens (Clark et al. 2019, section 4.1).

    A[v, w] = mean over pieces q of v of Σ over pieces k of w of A[q, k]

as `headwork.parses.align.to_words` has it for all words. Statistics need few words as queries (verbs,
subjects, ...), so the rows of their subword tokens are selected first.
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from headwork.heads.streaming.batches import Side
from headwork.lens.reductions import peak
from headwork.parses.align import SPECIAL, membership
from headwork.sites import Ids, Maps, Mask


class WordLevel:
    """Conversion of subword-level maps into word-level ones: wanted words as queries, all words as keys."""

    def __init__(
        self,
        query_words: Ids,
        key_words: Ids,
        wanted: Int[Tensor, "batch word"],
        from_pieces: str = "mean",
        to_pieces: str = "sum",
    ) -> None:
        """`query_words` and `key_words` hold each token's word, row i wants the words `wanted[i]` (-1: none).

        `from_pieces` is mean, first or last, `to_pieces` sum, first or last: what stands for a word.
        """
        words = int(torch.maximum(query_words.max(), key_words.max())) + 1
        self._to = membership(key_words, words, to_pieces)
        share = membership(query_words, words, from_pieces).transpose(1, 2)
        places = wanted.clamp_min(0)[:, :, None].expand(-1, -1, share.shape[2])
        mix = share.gather(1, places) * (wanted != SPECIAL)[:, :, None]
        # The places of the subword tokens used come first in each row; as many columns as the fullest row needs.
        used = mix.amax(1) > 0
        places = used.int().argsort(dim=1, descending=True, stable=True)[:, : int(used.sum(1).max())]
        self._places = places
        self._mix = mix.gather(2, places[:, None, :].expand(-1, mix.shape[1], -1))

    @classmethod
    def of(cls, side: Side, from_pieces: str = "mean") -> "WordLevel":
        """All words of a side, in their order, as queries and as keys."""
        count = side.words.amax(1, keepdim=True) + 1
        numbers = torch.arange(int(count.max()), device=count.device).expand(len(count), -1)
        return cls(side.words, side.words, numbers.where(numbers < count, SPECIAL), from_pieces)

    def maps(self, weights: Maps, rows: slice) -> Float[Tensor, "batch word head key_word"]:
        """Maps between words of these rows of the batch, from their maps between pieces."""
        places, mix, to = self._places[rows], self._mix[rows], self._to[rows]
        batch, heads, _, keys = weights.shape
        picked = weights[torch.arange(batch, device=weights.device)[:, None], :, places].to(mix.dtype)
        from_words = mix @ picked.flatten(2)
        return (from_words.view(batch, -1, keys) @ to).view(batch, -1, heads, to.shape[2])

    def strongest(self, weights: Maps, rows: slice) -> Int[Tensor, "batch word head"]:
        """The word that each wanted word attends to most."""
        return peak(self.maps(weights, rows))[1]


def special_as_words(words: Ids, present: Mask) -> Ids:
    """Number words again with each special token ([CLS], [SEP]) as its own word, -1 at padding.

    Each row of the word-level map then sums to one and includes the attention to [SEP] (Clark et al. 2019, section
    4.1).
    """
    begins = words.diff(dim=1, prepend=torch.full_like(words[:, :1], SPECIAL)) != 0
    return ((begins | (words == SPECIAL)).cumsum(1) - 1).where(present, SPECIAL)
