"""Random replacement of source tokens (Voita et al. 2019b, section 5.3).

Each token that is not special is replaced with the probability `share` by a token drawn uniformly from the non-special
tokens of the text, differently in each epoch. (In the authors' code the first token of a sentence is never replaced.)
In the paper the source has its own vocabulary; here it shares one with the target, in which many tokens never occur in
a source, so that replacements are drawn from the tokens of the text.
"""

import hashlib

import numpy as np
from jaxtyping import Int
from transformers import PreTrainedTokenizerBase

from headwork.models.training.batches import TranslationData
from headwork.settings.base import require

Pieces = Int[np.ndarray, " piece"]


class Noise:
    """Replaces pieces of a text by others of `pieces`, those that occur in it."""

    def __init__(self, tokenizer: PreTrainedTokenizerBase, share: float, pieces: Pieces) -> None:
        require(0 <= share <= 1, f"noise: {share} is no share; choose 0 to 1")
        self.share = share
        self.special = np.zeros(len(tokenizer), dtype=bool)
        self.special[tokenizer.all_special_ids] = True
        self.ordinary = np.setdiff1d(pieces, tokenizer.all_special_ids)

    def __call__(self, pieces: Pieces, chance: np.random.Generator) -> Pieces:
        """Return the input tokens."""
        replaced = (chance.random(len(pieces)) < self.share) & ~self.special[pieces]
        drawn = chance.choice(self.ordinary, len(pieces)).astype(pieces.dtype)
        return np.where(replaced, drawn, pieces)


class NoisyPairs(TranslationData):
    """Pairs of sentences of which the source has noise.

    Items are numbered through all passes, as in `encoder_batches`: item i of pass p is p · (number of pairs) + i.
    """

    def __init__(self, data: TranslationData, noise: Noise, seed: int) -> None:
        self.source, self.target, self.dropped = data.source, data.target, data.dropped
        self.noise, self.seed = noise, seed

    def __getitem__(self, number: int) -> tuple[np.ndarray, np.ndarray]:
        turn, pair = divmod(number, len(self))
        chance = np.random.default_rng([self.seed, turn, pair])
        return self.noise(self.source[pair], chance), self.target[pair]

    def digest(self) -> str:
        """SHA-256 of the pairs and of what draws the noise."""
        drawn = f"{super().digest()} {self.noise.share} {self.seed}"
        return hashlib.sha256(drawn.encode()).hexdigest()
