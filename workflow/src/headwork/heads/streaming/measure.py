"""All statistics of all heads in one pass over the text: one stream of batches, one forward pass each.

The lens passes each site's weights a few sentences at a time. Every statistic keeps a few numbers a query, and sums
them when the site is complete, so that memory does not grow with the text.
"""

from collections.abc import Iterable, Sequence

import pandas as pd
import torch
from torch import Tensor, nn
from tqdm.auto import tqdm

from headwork.heads.streaming.batches import Batch
from headwork.heads.streaming.site_weights import Look
from headwork.heads.streaming.tally import Statistic
from headwork.lens.attention import Attended
from headwork.lens.lens import Lens


class _Seen:
    """Collects the statistics' reductions of a site until all its sentences have been passed.

    Nothing is kept after the site: small long-lived tensors would fragment memory, and the layers' large tensors would
    need new pages, which costs more than the statistics themselves.
    """

    def __init__(self, batch: Batch, statistics: Sequence[Statistic]) -> None:
        self._batch, self._statistics = batch, statistics
        reductions = dict.fromkeys(each for statistic in statistics for each in statistic.reductions)
        self._place = {reduction: place for place, reduction in enumerate(reductions)}
        self._looks: list[list[Tensor]] = []

    def __call__(self, attended: Attended) -> None:
        """Receive some sentences of a site from the lens; a site's last sentences are followed by the next site's
        first.
        """
        look = Look(attended, self._batch)
        self._looks.append([reduction(look) for reduction in self._place])
        if look.rows.stop == len(self._batch.queries[look.site.kind].ids):
            whole = [torch.cat(parts) for parts in zip(*self._looks, strict=True)]
            self._looks = []
            for statistic in self._statistics:
                statistic.update(look.site, *(whole[self._place[each]] for each in statistic.reductions))


def measure(
    model: nn.Module,
    batches: Iterable[Batch],
    statistics: Sequence[Statistic],
    kinds: Sequence[str] | None = None,
    progress: str = "",
) -> pd.DataFrame:
    """Return kind, layer, head, statistic, key, value, count for every head and all statistics.

    `model` is any model the lens knows; it is run without dropout and gradients on the device it is on, and left as it
    was. `kinds` are the kinds of attention to measure (all of the model's by default). `progress` names a bar on a
    terminal.
    """
    device = next(model.parameters()).device
    training = model.training
    model.eval()
    try:
        with Lens(model) as lens, torch.no_grad():
            sites = [site for site in lens.anatomy.sites if kinds is None or site.kind in kinds]
            for batch in tqdm(batches, desc=progress, unit="batch", disable=None if progress else True):
                batch = batch.to(device)
                for statistic in statistics:
                    statistic.start(batch)
                with lens.observing(_Seen(batch, statistics), sites=sites):
                    model(**batch.inputs)
    finally:
        model.train(training)
    return pd.concat([statistic.table() for statistic in statistics], ignore_index=True)
