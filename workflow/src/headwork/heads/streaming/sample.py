"""A sample of fixed size from a stream of unknown length: memory stays flat, and every thing has an equal chance.

Each thing draws a random number as it comes; those with the smallest numbers so far are in the sample.
"""

import numpy as np


class Sample:
    """`size` slots, and which things of a stream take them; what is to be known of a thing is stored elsewhere."""

    def __init__(self, size: int, seed: int | list[int]) -> None:
        self.size = size
        self._random = np.random.default_rng(seed)
        self._drawn = np.full(size, np.inf)

    def offer(self, count: int) -> tuple[np.ndarray, np.ndarray]:
        """So many new things: slots that change hands, and the numbers (from 0, ascending) of those that take them."""
        drawn = np.concatenate([self._drawn, self._random.random(count)])
        kept = np.zeros(len(drawn), dtype=bool)
        kept[np.argpartition(drawn, self.size - 1)[: self.size]] = True
        items = np.flatnonzero(kept[self.size :])
        slots = np.flatnonzero(~kept[: self.size])
        self._drawn[slots] = drawn[self.size + items]
        return slots, items

    @property
    def taken(self) -> np.ndarray:
        """Which slots hold something."""
        return np.isfinite(self._drawn)
