"""Classes of tokens: [CLS], [SEP], full stops and commas, and all others.

Clark et al. (2019), section 3.2 and figure 2; Kobayashi et al. (2020), section 4.1. Punctuation is the token ``.`` or
``,`` alone, as there: other marks, and a stop within a longer token, are other tokens.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Int
from torch import Tensor
from transformers import PreTrainedTokenizerBase

from headwork.sites import Ids

CLASSES = ("cls", "sep", "punctuation", "other")
PUNCTUATION = (".", ",")


@dataclass(frozen=True)
class TokenClasses:
    """The class of every piece of a vocabulary: ``table[ids]`` are numbers of `names`."""

    names: tuple[str, ...]
    table: Int[Tensor, " vocabulary"]

    def of(self, ids: Ids) -> Ids:
        """The class of each token, on the device of `ids`."""
        return self.table.to(ids.device)[ids]


def token_classes(tokenizer: PreTrainedTokenizerBase) -> TokenClasses:
    """The classes of a tokenizer's pieces.

    `sep` is the subword token that ends a text: [SEP], or ``</s>`` where there is no [SEP]. A class that the vocabulary
    has no subword token for, such as `cls` in a translation model's, is empty.
    """
    pieces = tokenizer.get_vocab()
    table = torch.full((max(pieces.values()) + 1,), CLASSES.index("other"))  # a vocabulary may have gaps
    for piece, number in pieces.items():
        # decoded, for a subword token may be written with a mark of where words begin or end (``.</w>``, ``Ġ.``)
        if any(mark in piece for mark in PUNCTUATION) and tokenizer.decode([number]).strip() in PUNCTUATION:
            table[number] = CLASSES.index("punctuation")
    end = tokenizer.eos_token_id if tokenizer.sep_token_id is None else tokenizer.sep_token_id
    for name, piece in (("sep", end), ("cls", tokenizer.cls_token_id)):
        if piece is not None:
            table[piece] = CLASSES.index(name)
    return TokenClasses(CLASSES, table)
