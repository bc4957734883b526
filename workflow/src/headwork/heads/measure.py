"""All statistics of all heads in one pass over the text: one stream of batches, one forward pass each.

The lens shows each site's weights a few sentences at a time; every statistic keeps a few numbers a query of them, and
sums those up when the batch is through: memory does not grow with the text, and hardly with the batch.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence

import pandas as pd
import torch
from torch import Tensor, nn
from tqdm.auto import tqdm

from headwork.heads.batches import Batch
from headwork.heads.look import Look
from headwork.heads.tally import Statistic
from headwork.lens.attention import Attended
from headwork.lens.lens import Lens
from headwork.shapes import Site


class _Seen:
    """What the statistics' reductions made of each look at each site during one forward pass."""

    def __init__(self, batch: Batch, statistics: Sequence[Statistic]) -> None:
        self._batch = batch
        reductions = dict.fromkeys(each for statistic in statistics for each in statistic.reductions)
        self._place = {reduction: place for place, reduction in enumerate(reductions)}
        self._looks: dict[Site, list[list[Tensor]]] = defaultdict(list)

    def __call__(self, attended: Attended) -> None:
        """The lens shows some sentences."""
        look = Look(attended, self._batch)
        self._looks[look.site].append([reduction(look) for reduction in self._place])

    @property
    def sites(self) -> list[Site]:
        """The sites seen, in the order of the forward pass."""
        return list(self._looks)

    def reduced(self, site: Site, statistic: Statistic) -> list[Tensor]:
        """For each of the statistic's reductions what it made of the site, for all sentences of the batch."""
        looks = self._looks[site]
        places = [self._place[reduction] for reduction in statistic.reductions]
        return [torch.cat([look[place] for look in looks]) for place in places]


def measure(
    model: nn.Module,
    batches: Iterable[Batch],
    statistics: Sequence[Statistic],
    kinds: Sequence[str] | None = None,
    progress: str = "",
) -> pd.DataFrame:
    """kind, layer, head, statistic, key, value, count of every head, all statistics below each other.

    `model` is any model the lens knows; it is run without dropout and gradients on the device it is on, and left as it
    was. `kinds` are the attentions to look at (all of the model's by default). `progress` names a bar on a terminal.
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
                seen = _Seen(batch, statistics)
                with lens.observing(seen, sites=sites):
                    model(**batch.inputs)
                for site in seen.sites:
                    for statistic in statistics:
                        statistic.update(site, *seen.reduced(site, statistic))
    finally:
        model.train(training)
    return pd.concat([statistic.table() for statistic in statistics], ignore_index=True)
