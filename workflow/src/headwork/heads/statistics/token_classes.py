"""Classes of tokens: [CLS], [SEP], full stops and commas, and all others.

Clark et al. (2019), section 3.2 and figure 2; Kobayashi et al. (2020), section 4.1. Punctuation is the token ``.`` or
``,`` alone, as there: other marks, and a stop within a longer token, are other tokens.

What a special token does depends on its place, as its id does not tell: some tokenizers begin a text with the token
that ends others (OPT), and decoders of translation start from it (BART, NLLB). Before the text it is of the class of
[CLS], whatever it is called (``<s>``, a language's code); between and behind texts of that of [SEP].
"""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Int
from torch import Tensor
from transformers import PreTrainedTokenizerBase

from headwork.heads.streaming.batches import Side
from headwork.sites import Ids

CLASSES = ("cls", "sep", "punctuation", "other")
PUNCTUATION = (".", ",")


@dataclass(frozen=True)
class TokenClasses:
    """The class of every piece of a vocabulary: ``table[ids]`` are numbers of `names`.

    `special` are the ids that may stand before, between or behind texts; None: those that the table calls cls and sep.
    """

    names: tuple[str, ...]
    table: Int[Tensor, " vocabulary"]
    special: Bool[Tensor, " vocabulary"] | None = None

    def of(self, ids: Ids) -> Ids:
        """The class of each token by its id alone, on the device of `ids`."""
        return self.table.to(ids.device)[ids]

    def of_side(self, side: Side) -> Ids:
        """The class of each token of a side: that of its id, or of a special token, of its place."""
        found, (cls, sep) = self.of(side.ids), (self.names.index(name) for name in ("cls", "sep"))
        special = (found == cls) | (found == sep)
        if self.special is not None:
            special = self.special.to(found.device)[side.ids]
        special = special & side.present & ~side.real
        begins = torch.arange(found.shape[1], device=found.device) == 0
        first = special & (side.real.cumsum(1) == 0) & (begins | (found != sep))
        return found.masked_fill(special & (found != cls), sep).masked_fill(first, cls)


def token_classes(tokenizer: PreTrainedTokenizerBase) -> TokenClasses:
    """The classes of a tokenizer's pieces.

    By its id, `sep` is the subword token that ends a text: [SEP], or ``</s>`` where there is no [SEP]. A class that the
    vocabulary has no subword token for, such as `cls` in a translation model's, is empty.
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
    # padding, unknown words and masks are special too, but have no role in a text, unless they have another name
    without_role = {tokenizer.pad_token_id, tokenizer.unk_token_id, tokenizer.mask_token_id}
    ends = {tokenizer.bos_token_id, tokenizer.eos_token_id, tokenizer.cls_token_id, tokenizer.sep_token_id}
    codes = getattr(tokenizer, "lang_code_to_id", {}).values()
    special = torch.zeros(len(table), dtype=torch.bool)
    special[list(({*tokenizer.all_special_ids, *codes} - without_role | ends) - {None})] = True
    return TokenClasses(CLASSES, table, special)
