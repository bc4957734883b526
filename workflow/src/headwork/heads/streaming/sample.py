"""A uniform sample of fixed size from a stream of unknown length, in constant memory.

Each item draws a random number; the items with the smallest numbers so far are the sample.
"""

import numpy as np


class Sample:
    """`size` slots, and which items of a stream take them; the items' values are stored by the caller."""

    def __init__(self, size: int, seed: int | list[int]) -> None:
        self.size = size
        self._random = np.random.default_rng(seed)
        self._drawn = np.full(size, np.inf)

    def offer(self, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Offer `count` new items; return the slots replaced and the items (from 0, ascending) that take them."""
        drawn = np.concatenate([self._drawn, self._random.random(count)])
        kept = np.zeros(len(drawn), dtype=bool)
        kept[np.argpartition(drawn, self.size - 1)[: self.size]] = True
        items = np.flatnonzero(kept[self.size :])
        slots = np.flatnonzero(~kept[: self.size])
        self._drawn[slots] = drawn[self.size + items]
        return slots, items

    @property
    def taken(self) -> np.ndarray:
        """Return which slots are filled."""
        return np.isfinite(self._drawn)
