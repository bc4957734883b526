"""Masking of tokens as in BERT's pretraining (Devlin et al. 2019, section 3.1 and appendix A.1).

Of the subword tokens of a segment 15 % are chosen to be predicted, special tokens (`[UNK]` is one) never. Of these 80 %
are replaced by `[MASK]`, 10 % by a random token, and 10 % are unchanged.
"""

import numpy as np
from jaxtyping import Int
from transformers import PreTrainedTokenizerBase

from headwork.errors import InputError
from headwork.models.training.batches import IGNORED
from headwork.settings.models import MaskingSettings

Pieces = Int[np.ndarray, " piece"]


class Masking:
    """Masks the segments of one vocabulary. Raises `InputError` for a tokenizer without a mask piece."""

    def __init__(self, tokenizer: PreTrainedTokenizerBase, settings: MaskingSettings) -> None:
        if tokenizer.mask_token_id is None:
            raise InputError("masking: the tokenizer has no mask token; use one of a masked language model")
        self.settings = settings
        self.mask_piece = tokenizer.mask_token_id
        self.special = np.zeros(len(tokenizer), dtype=bool)
        self.special[tokenizer.all_special_ids] = True
        self.ordinary = np.flatnonzero(~self.special)

    def only(self, pieces: Pieces) -> None:
        """Restrict the choice and the random replacements to these tokens; special tokens remain excluded."""
        others = np.ones_like(self.special)
        others[pieces] = False
        self.special |= others
        self.ordinary = np.flatnonzero(~self.special)

    def __call__(self, pieces: Pieces, chance: np.random.Generator) -> tuple[Pieces, Pieces]:
        """Return the model's input, and its labels: the original token where it was chosen, -100 elsewhere."""
        real = np.flatnonzero(~self.special[pieces])
        count = min(len(real), max(1, round(self.settings.share * len(real))))
        chosen = chance.permutation(real)[:count]
        read, labels = pieces.copy(), np.full_like(pieces, IGNORED)
        labels[chosen] = pieces[chosen]
        fate = chance.random(count)
        masked = fate < self.settings.mask
        drawn = ~masked & (fate < self.settings.mask + self.settings.random)
        read[chosen[masked]] = self.mask_piece
        read[chosen[drawn]] = chance.choice(self.ordinary, int(drawn.sum()))
        return read, labels
