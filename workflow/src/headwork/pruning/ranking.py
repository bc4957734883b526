"""Model outputs when heads are removed in the order of their importance (Michel et al. 2019; Hao et al. 2021).

All heads are ranked together, the least important first; at a share p of n heads the first ⌊n p⌋ are removed: their
gate is 0, without renormalisation or further training. At p = 1 no head is left, and only residual connections and
feed-forward layers act.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import torch
from torch import Tensor, nn
from tqdm.auto import tqdm

from headwork.errors import InputError
from headwork.lens.lens import Lens
from headwork.settings.base import part_of
from headwork.sites import Head, Site

SHARES = tuple(step / 10 for step in range(11))
PLACE = ["kind", "layer", "head"]

Answer = Callable[[nn.Module, Mapping[str, Tensor]], np.ndarray]


def order(importance: pd.DataFrame) -> list[Head]:
    """The heads of a table (kind, layer, head, value), least important first; of equal ones by kind, layer, head."""
    ranked = importance.sort_values(["value", *PLACE], kind="stable")
    return [Head(kind, int(layer), int(head)) for kind, layer, head in ranked[PLACE].to_numpy().tolist()]


def random_order(heads: Sequence[Head], seed: int) -> list[Head]:
    """Return the heads in random order, the control of all others."""
    return [heads[number] for number in np.random.default_rng(seed).permutation(len(heads))]


def gates_without(sites: Mapping[Site, int], removed: Iterable[Head]) -> dict[Site, Tensor]:
    """Return one gate a head, 0 for those removed; InputError for a head that the model lacks."""
    gates = {site: torch.ones(heads) for site, heads in sites.items()}
    for head in removed:
        if head.site not in gates or not 1 <= head.head <= sites[head.site]:
            raise InputError(
                f"no head {head}; the model has {', '.join(f'{s} ({n})' for s, n in sites.items())}"
            )
        gates[head.site][head.head - 1] = 0
    return gates


def answers_by_share(
    model: nn.Module,
    batches: Iterable[Mapping[str, Tensor]],
    answer: Answer,
    orders: Mapping[Any, Sequence[Head]],
    shares: Sequence[float] = SHARES,
    progress: str = "",
) -> Iterator[dict[tuple[Any, float], np.ndarray]]:
    """Yield for each batch the result of `answer`, by the name of the order and the share of heads removed.

    Different orders may remove the same set of heads at a share; each set is computed once.
    """
    training, device = model.training, next(model.parameters()).device
    model.eval()
    try:
        with Lens(model) as lens, torch.no_grad():
            sites = {site: part.heads for site, part in lens.anatomy.sites.items()}
            gone = {
                (name, share): frozenset(heads[: part_of(len(heads), share)])
                for name, heads in orders.items()
                for share in shares
            }
            gates = {
                removed: {site: gate.to(device) for site, gate in gates_without(sites, removed).items()}
                for removed in gone.values()
            }
            for batch in tqdm(batches, desc=progress, unit="batch", disable=None if progress else True):
                found = {}
                for removed, own in gates.items():
                    with lens.gating(own):
                        found[removed] = answer(model, batch)
                yield {key: found[removed] for key, removed in gone.items()}
    finally:
        model.train(training)


def area(shares: Sequence[float], scores: Sequence[float]) -> float:
    """Return the area under a curve of scores over shares, by the trapezoidal rule."""
    return float(np.trapezoid(scores, shares) / (max(shares) - min(shares)))
