"""The vectors that attention mixes, read on their way: what a site attends to, and what each head makes of it.

A head's output is Σ_j α_ij (x_j W_V + b_V) W_O. The weights α are seen by `Lens.observing`; this is the rest: x, the
vectors that the site's value projection reads (its own layer's input, the encoder's output for cross-attention, after
normalisation in a pre-norm model), and the values x W_V + b_V of each head.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from torch import Tensor, nn

from headwork.lens.anatomy import AttentionSite
from headwork.sites import HeadVectors, Site, Vectors

Receiver = Callable[[Site, Vectors, HeadVectors], None]


@contextmanager
def reading_values(parts: Iterable[AttentionSite], receive: Receiver) -> Iterator[None]:
    """Call the receiver with each site, its x and its values, in each forward pass and before the site attends.

    Meant for whole sentences: of text generated with a cache only the new tokens are read.
    """
    by_call: dict[nn.Module, dict[int, AttentionSite]] = {}
    for part in parts:
        by_call.setdefault(part.value, {})[part.call] = part
    calls: Counter[nn.Module] = Counter()

    def begin(value: nn.Module, owner: nn.Module, given: tuple[Any, ...]) -> None:
        calls[value] = 0

    def hand(value: nn.Module, given: tuple[Any, ...], projected: Tensor) -> None:
        part = by_call[value].get(calls[value])
        calls[value] += 1
        if part is not None:
            receive(part.site, given[0], part.head_values(projected))

    hooks = []
    for value, sites in by_call.items():
        owner = next(iter(sites.values())).owner
        hooks.append(owner.register_forward_pre_hook(partial(begin, value)))
        hooks.append(value.register_forward_hook(hand))
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()
