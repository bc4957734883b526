"""Attention weights and norms of weighted vectors, by class of token (Kobayashi et al. 2020, section 4).

Of every head, for the classes [CLS], [SEP], punctuation and other (see `headwork.heads.statistics.token_classes`):

    weight             mean over sentences of  1/n Σ_i Σ_{j in class} α_ij               figure 3; Clark et al. 2019
    weighted-norm      mean over sentences of  1/n Σ_i Σ_{j in class} ‖α_ij f(x_j)‖      figure 3
    norm               mean over tokens j of the class of  ‖f(x_j)‖                      figure 4
    pair-weight        mean over pairs of a query i and a token j of the class of  α_ij  figure 4
    norm-spread        mean, sd, cv (sd / mean), min and max of ‖f(x_j)‖ over tokens     table 1
    input-norm-spread  the same of ‖x_j‖, which all heads of a layer share: head 0       table 1

Special pieces are tokens like others; padding is not.
"""

from typing import Any, NamedTuple

import pandas as pd
import torch
from jaxtyping import Float, Int
from torch import Tensor

from headwork.heads.measure import HEAD, NORM, WHERE, Measure, Row
from headwork.heads.norms.vector_norms import PerKey, VectorNorms
from headwork.heads.statistics.spread import Spread
from headwork.heads.statistics.surface import uniform
from headwork.heads.statistics.token_classes import TokenClasses
from headwork.heads.streaming.batches import Batch
from headwork.heads.streaming.tally import Tally
from headwork.sites import Site


class _Kind(NamedTuple):
    """The class membership of each key, and the number of queries, for one kind of attention."""

    member: Float[Tensor, "batch key class_"]
    queries: Int[Tensor, " batch"]


class Norms:
    """Weights and norms by class of token; `vectors` must be reading while the model runs."""

    def __init__(self, vectors: VectorNorms, classes: TokenClasses) -> None:
        self.classes = classes
        self.reductions = (vectors.received,)
        self._vectors = vectors
        self._tallies = {
            name: Tally(name, classes.names) for name in ("weight", "weighted-norm", "norm", "pair-weight")
        }
        self._spread, self._input_spread = Spread("norm-spread"), Spread("input-norm-spread", first_head=0)
        self._kinds: dict[str, _Kind] = {}

    def start(self, batch: Batch) -> None:
        """Find each key's class."""
        self._vectors.start(batch)
        self._kinds = {}
        for kind, keys in batch.keys.items():
            class_of = self.classes.of_side(keys).where(keys.present, -1)[:, :, None]
            member = class_of == torch.arange(len(self.classes.names), device=class_of.device)
            self._kinds[kind] = _Kind(member.double(), batch.queries[kind].present.sum(1))

    def update(self, site: Site, received: PerKey) -> None:
        """Add the sums of one site over the batch."""
        member, queries = self._kinds[site.kind]
        inputs, norms = self._vectors[site]
        received = received.double()
        sentences = torch.tensor([len(queries)] * member.shape[2], device=queries.device)
        for name, per_key, count in (
            ("weight", received, sentences),
            ("weighted-norm", received * norms, sentences),
            ("norm", norms.double(), member.sum((0, 1)).long()),
            ("pair-weight", received * queries[:, None, None], (member.sum(1).T @ queries.double()).long()),
        ):
            self._tallies[name].add(site, torch.einsum("bhk,bkc->hc", per_key, member), count)
        present = member.any(-1)
        self._spread.add(site, norms.transpose(1, 2)[present])
        self._input_spread.add(site, inputs[present][:, None])

    def table(self) -> pd.DataFrame:
        """One row per head, statistic and class, or number of the spread."""
        parts = [*self._tallies.values(), self._spread, self._input_spread]
        return pd.concat([part.table() for part in parts], ignore_index=True)


def norms(seen: Any, settings: None) -> Norms:
    """The statistic of an attention pass."""
    return Norms(seen.vectors, seen.classes)


def class_shares(seen: Any) -> dict[tuple[str, str], float]:
    """The attention to each class of tokens if it were uniform, by kind and class: mean over texts."""
    found: dict[tuple[str, str], list[torch.Tensor]] = {}
    for batch in seen.batches:
        for kind, side in batch.keys.items():
            for number, name in enumerate(seen.classes.names):
                member = side.present & (seen.classes.of_side(side) == number)
                share = member.sum(1) / side.present.sum(1)
                if kind in batch.causal:  # of the tokens up to each query
                    rows = uniform(side.present, causal=True) * side.present[:, :, None] * member[:, None]
                    share = rows.sum((1, 2)) / side.present.sum(1)
                found.setdefault((kind, name), []).append(share)
    return {key: float(torch.cat(parts).double().mean()) for key, parts in found.items()}


def _of_class(name: str) -> Any:
    return lambda seen: {kind: share for (kind, key), share in class_shares(seen).items() if key == name}


def _total(seen: Any, statistic: str) -> pd.DataFrame:
    """kind, layer, head, value, count: the sum over all classes."""
    rows = seen.found[seen.found["statistic"] == statistic]
    return rows.groupby(HEAD, sort=False).agg(value=("value", "sum"), count=("count", "first")).reset_index()


def _of_special(statistic: str) -> Any:
    """The share of [CLS] and [SEP] in the sum over all classes, of attentions whose keys have such tokens."""

    def value(seen: Any) -> pd.DataFrame:
        total, shares = _total(seen, statistic), class_shares(seen)
        rows = seen.found[seen.found["statistic"] == statistic]
        special = rows[rows["key"].isin(("cls", "sep"))].groupby(HEAD, sort=False)["value"].sum()
        special = special.reindex(pd.MultiIndex.from_frame(total[HEAD]), fill_value=0).to_numpy()
        there = [shares[kind, "cls"] + shares[kind, "sep"] > 0 for kind in total["kind"]]
        return total.assign(value=special / total["value"].where(total["value"] > 0, 1))[there]

    return value


def _weighted_norm(seen: Any) -> pd.DataFrame:
    return _total(seen, "weighted-norm")


def _class_measure(key: str, name: str, to: str, does: str) -> Measure:
    return Measure(
        key=key,
        name=name,
        group=WHERE,
        says=f"Mean attention to {to}.",
        source="Clark et al. 2019, section 3.2, figure 2; threshold: their code for figure 6",
        made_by=norms,
        value=Row("weight", key),
        share=True,
        uniform=_of_class(key),
        tables=("segments",),
        threshold=0.6,
        does=f"attends to {does}",
    )


SEP = _class_measure(
    "sep", "separator", "the tokens that separate or end texts ([SEP], </s>)", "the separator"
)
PUNCTUATION = _class_measure("punctuation", *["full stops and commas"] * 3)
SOURCE = "Kobayashi et al. 2020, section 4, figure 3"
WEIGHTED_NORM = Measure(
    key="weighted-norm",
    name="sum of weighted norms",
    group=NORM,
    says="Mean over tokens of Σ‖αf(x)‖: weight times transformed vector.",
    source=SOURCE,
    made_by=norms,
    value=_weighted_norm,
    tables=("segments",),
)
SPECIAL_WEIGHT = Measure(
    key="special-weight",
    name="weight on special tokens",
    group=NORM,
    says="Share of attention on special tokens: [CLS] or what else begins a text, and separators.",
    source=SOURCE,
    made_by=norms,
    value=_of_special("weight"),
    share=True,
    tables=("segments",),
)
SPECIAL_NORM = Measure(
    key="special-norm",
    name="norm from special tokens",
    group=NORM,
    says="Share of Σ‖αf(x)‖ that comes from special tokens. Far below their share of attention: a no-op.",
    source=SOURCE,
    made_by=norms,
    value=_of_special("weighted-norm"),
    share=True,
    tables=("segments",),
)
