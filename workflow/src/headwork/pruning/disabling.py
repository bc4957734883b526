"""Model outputs with one head, or one layer, disabled (Kovaleva et al. 2019, section 4.6; Michel et al. 2019).

    uniform    the head attends uniformly to all real tokens: its values and W_O stay (Kovaleva et al.)
    zero       the head's output is zeroed: its gate is 0 (Michel et al.; Hao et al. 2021)

A layer is disabled by disabling all of its heads at once. The layers below it are computed once for a batch (see
`headwork.lens.prefix`).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple, get_args

import numpy as np
import torch
from torch import Tensor, nn
from tqdm.auto import tqdm

from headwork.lens.last_layer import only_places
from headwork.lens.lens import Lens
from headwork.lens.prefix import Prefix
from headwork.settings.base import require
from headwork.settings.pruning import Way
from headwork.sites import Head, Site

WAYS = get_args(Way)
Answer = Callable[[nn.Module, Mapping[str, Tensor]], np.ndarray]


class Disabled(NamedTuple):
    """One head (None: all of them) of a site, disabled in one of `WAYS`."""

    way: str
    site: Site
    head: int | None


def variants(sites: Mapping[Site, int], ways: Sequence[str] = WAYS) -> list[Disabled]:
    """Every head and every site of these numbers of heads, in each way; raises `InputError` for an unknown way."""
    for way in ways:
        require(way in WAYS, f"no way '{way}'; known are {', '.join(WAYS)}")
    return [
        Disabled(way, site, head)
        for site, heads in sites.items()
        for way in ways
        for head in (*range(1, heads + 1), None)
    ]


def disabling(lens: Lens, variant: Disabled) -> AbstractContextManager[None]:
    """Within, the variant's heads are disabled; the model must be under the lens."""
    heads = lens.anatomy.part(variant.site).heads
    chosen = [variant.head] if variant.head else range(1, heads + 1)
    if variant.way == "uniform":
        return lens.uniform(Head(*variant.site, number) for number in chosen)
    gate = torch.ones(heads)
    gate[[number - 1 for number in chosen]] = 0
    return lens.gating({variant.site: gate.to(next(lens.model.parameters()).device)})


def answers_without(
    model: nn.Module,
    batches: Iterable[Mapping[str, Tensor]],
    answer: Answer,
    ways: Sequence[str] = WAYS,
    kinds: Sequence[str] | None = None,
    places: tuple[int, ...] | None = None,
    progress: str = "",
) -> Iterator[tuple[np.ndarray, dict[Disabled, np.ndarray]]]:
    """Yield for each batch the result of `answer` with the whole model, and with each head and each site disabled.

    `answer` runs the model on the batch's inputs, without gradients and dropout. `kinds` are the attentions whose heads
    are disabled (default: all of the model's); `places` are the positions of the last hidden states that the answer
    uses, if it uses few ([CLS]); the last layer is then computed for these only.
    """
    training = model.training
    model.eval()
    try:
        with Lens(model) as lens, torch.no_grad(), only_places(model, places):
            sites = {
                site: part.heads
                for site, part in lens.anatomy.sites.items()
                if kinds is None or site.kind in kinds
            }
            wanted = variants(sites, ways)
            prefix = Prefix(model)
            for batch in tqdm(batches, desc=progress, unit="batch", disable=None if progress else True):
                with prefix.recording():
                    whole = answer(model, batch)
                without = {}
                for variant in wanted:
                    with prefix.up_to(variant.site), disabling(lens, variant):
                        without[variant] = answer(model, batch)
                yield whole, without
    finally:
        model.train(training)
