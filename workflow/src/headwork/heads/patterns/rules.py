"""Rules that classify attention maps (Kovaleva et al. 2019, section 4.1, figures 1 and 2).

    vertical             nearly all attention is to one or a few tokens, as a rule [CLS] and [SEP]
    diagonal             ... to the token itself, the previous or the next one
    vertical+diagonal    ... to both
    block                to all tokens of the same part of a text of two parts
    heterogeneous        anything else

The paper's classifier is a network trained on 400 maps labelled by hand, none of which was released. These rules use
four numbers of a map A of n tokens (without padding):

    stripes     columns j whose mean c_j = 1/n Σ_i A[i, j] is at least max(`stripe`, `above_even` / n)
    vertical    v = Σ_{j in stripes} c_j
    diagonal    d = 1/n Σ_{|i-j| <= 1, j not in stripes} A[i, j]
    block       b = (w - e) / (1 - e); of what is not on stripes w is the share within the own part, e that of even maps
    breadth     Σ_i w_i H_i / Σ_i w_i ln n_i; H_i is the entropy of row i within its own part, whose n_i tokens off the
                stripes are given w_i of the row: 1 if it is spread evenly there

and take the first class that fits: vertical+diagonal if v and d are at least `some` and v + d at least `both`; vertical
if v is at least `most`; diagonal if d is; block if b is at least `within` and the breadth at least `broad`, or a wide
diagonal, which stays in its own part too, would be one; heterogeneous. A map is *clear-cut* if it would be of the same
class with all thresholds a fifth lower and a fifth higher.
"""

import pandas as pd
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from headwork.heads.streaming.batches import Batch
from headwork.heads.streaming.site_weights import Look, Reduction
from headwork.heads.streaming.tally import Tally
from headwork.settings.heads import PatternSettings
from headwork.sites import Ids, Maps, Mask, Site

PATTERNS = ("vertical", "diagonal", "vertical+diagonal", "block", "heterogeneous")
CLEAR = "clear-cut"
SHARES = ("vertical", "diagonal", "block", "breadth")
ALTERED = (0.8, 1.2)

Shares = Float[Tensor, "batch head share"]
Classes = Int[Tensor, "batch head"]


def shares(weights: Maps, present: Mask, parts: Ids, settings: PatternSettings) -> Shares:
    """`SHARES` of each map; `parts` is the part of the text (0, 1) of each token."""
    queries = present[:, None, :, None].to(weights.dtype)
    length = present.sum(1)[:, None].to(weights.dtype)
    weights = weights * queries
    columns = weights.sum(2) / length[..., None]
    bar = (settings.above_even / length).clamp_min(settings.stripe)
    stripes = (columns >= bar[..., None]) & present[:, None]
    vertical = (columns * stripes).sum(-1)
    rest = weights * ~stripes[:, :, None]
    near = sum(rest.diagonal(offset, -2, -1).sum(-1) for offset in (-1, 0, 1)) / length

    there = present[:, :, None] & present[:, None]
    same = there & (parts[:, :, None] == parts[:, None])
    on_rest = rest.sum((-2, -1))
    within = (rest * same[:, None]).sum((-2, -1)) / on_rest.clamp_min(1e-9)
    free = (there[:, None] & ~stripes[:, :, None]).sum(-1)
    even = (same[:, None] & ~stripes[:, :, None]).sum(-1) / free.clamp_min(1)
    even = (even * present[:, None]).sum(-1) / length
    two = ((parts.amax(1) > parts.amin(1))[:, None]) & (on_rest / length >= settings.most) & (even < 1)
    block = ((within - even) / (1 - even).clamp_min(1e-9)).where(two, torch.zeros_like(even))
    own = rest * same[:, None]
    mass = own.sum(-1)
    rows = own / mass.clamp_min(1e-9)[..., None]
    entropy = torch.special.entr(rows).sum(-1)
    free_of_row = (same[:, None] & ~stripes[:, :, None]).sum(-1)
    highest = (mass * free_of_row.clamp_min(1).log()).sum(-1)
    breadth = (mass * entropy).sum(-1) / highest.clamp_min(1e-9)
    return torch.stack([vertical, near, block, breadth], dim=-1)


def classes(found: Shares, settings: PatternSettings) -> Classes:
    """Return the index in `PATTERNS` of each map's class."""
    vertical, diagonal, block, breadth = found.unbind(-1)
    both = (torch.minimum(vertical, diagonal) >= settings.some) & (vertical + diagonal >= settings.both)
    fits = torch.stack(
        [
            ~both & (vertical >= settings.most),
            ~both & (diagonal >= settings.most),
            both,
            (block >= settings.within) & (breadth >= settings.broad),
            torch.ones_like(both),
        ],
        dim=-1,
    )
    return fits.int().argmax(-1)  # the first that fits


def clear_cut(found: Shares, settings: PatternSettings) -> Bool[Tensor, "batch head"]:
    """Whether the class is the same with thresholds a fifth lower and a fifth higher."""
    own = classes(found, settings)
    others = [classes(found, _with_thresholds_times(factor, settings)) == own for factor in ALTERED]
    return others[0] & others[1]


def _with_thresholds_times(factor: float, settings: PatternSettings) -> PatternSettings:
    """The settings with the thresholds of the classes (not that of stripes) multiplied by the factor."""
    names = ("some", "most", "both", "within", "broad")
    return settings.model_copy(update={name: getattr(settings, name) * factor for name in names})


class RulePatterns:
    """The statistic `pattern`: a head's share of maps of each class, and of clear-cut ones; its count is the texts."""

    def __init__(self, settings: PatternSettings | None = None) -> None:
        self.settings = settings or PatternSettings()
        self.reductions: tuple[Reduction, ...] = (self._shares,)
        self._tally = Tally("pattern", (*PATTERNS, CLEAR))

    def start(self, batch: Batch) -> None:
        """Find the parts of the texts."""
        self._sides = {kind: side for kind, side in batch.queries.items() if batch.same_text(kind)}
        self._parts = batch.inputs.get("token_type_ids")

    def _shares(self, look: Look) -> Shares:
        side = self._sides.get(look.site.kind)
        if side is None:
            return look.weights.new_zeros(*look.weights.shape[:2], 0)
        present = side.present[look.rows]
        parts = torch.zeros_like(side.ids) if self._parts is None else self._parts
        return shares(look.weights, present, parts[look.rows], self.settings)

    def update(self, site: Site, found: Shares) -> None:
        """Count the classes of the batch's maps."""
        if site.kind not in self._sides:
            return
        own = classes(found, self.settings)
        counts = torch.nn.functional.one_hot(own, len(PATTERNS)).sum(0)
        clear = clear_cut(found, self.settings).sum(0)
        texts = torch.full((len(PATTERNS) + 1,), len(found), device=found.device)
        self._tally.add(site, torch.cat([counts, clear[:, None]], dim=1).double(), texts)

    def table(self) -> pd.DataFrame:
        """One row per head and class."""
        return self._tally.table()
