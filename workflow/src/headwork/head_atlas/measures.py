"""All measures of an atlas: a value for each head, and what uniform attention or a rule without a model would give.

Nothing is defined here: each measure is a statistic of `headwork.heads`, an attribution of `headwork.relevance`, or an
ablation of `headwork.pruning`, under a name that a page can show.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import torch
from torch import nn
from tqdm.auto import tqdm

from headwork.errors import InputError
from headwork.head_atlas.reading import Reading
from headwork.head_atlas.relations import relation_label
from headwork.head_atlas.subject import StatesSubject
from headwork.heads.norms.vector_norms import VectorNorms
from headwork.heads.norms.weights_and_norms import Norms
from headwork.heads.statistics.confidence import Confidence
from headwork.heads.statistics.divergence import STATISTIC, JensenShannon
from headwork.heads.statistics.entropy import Entropy
from headwork.heads.statistics.landmarks import Landmarks
from headwork.heads.statistics.rare import Rare
from headwork.heads.statistics.surface import Surface
from headwork.heads.statistics.token_classes import TokenClasses, token_classes
from headwork.heads.streaming.batches import Batch
from headwork.heads.streaming.measure import measure
from headwork.heads.syntax.dependency import Dependency
from headwork.lens.anatomy import anatomy
from headwork.pruning.measures import relevance
from headwork.pruning.subjects import Subject
from headwork.relevance.attributions.importance import taylor
from headwork.settings.heads import DistanceSettings, RareSettings, SurfaceSettings
from headwork.sites import Head, Site

log = logging.getLogger(__name__)

HEAD = ["kind", "layer", "head"]
COLUMNS = [*HEAD, "measure", "value", "baseline", "count"]
MIN_COUNT = 50  # a relation of fewer words is not shown
CLASS_KEYS = ("sep", "punctuation")


@dataclass(frozen=True)
class Measure:
    """One measure as the page shows it: its id, name, group, one sentence of explanation, and where its colours begin.

    `share`: its values are shares from 0 to 1.
    """

    id: str
    name: str
    group: str
    says: str
    share: bool = False


WHERE, SHAPE, NORM, IMPORTANCE, SYNTAX = "Where it attends", "Shape", "Norms", "Importance", "Syntax"
GROUPS = (WHERE, SHAPE, NORM, IMPORTANCE, SYNTAX)
MEASURES = (
    Measure("previous", "Previous token", WHERE, "Mean attention to the previous token.", True),
    Measure("next", "Next token", WHERE, "Mean attention to the next token.", True),
    Measure("self", "Itself", WHERE, "Mean attention of a token to itself.", True),
    Measure("first", "First token", WHERE, "Mean attention of the other tokens to the first token.", True),
    Measure("last", "Last token", WHERE, "Mean attention to the last token that is not special.", True),
    Measure("sep", "Separator", WHERE, "Mean attention to the token that ends a text ([SEP], </s>).", True),
    Measure("punctuation", "Full stops and commas", WHERE, "Mean attention to full stops and commas.", True),
    Measure("same-token", "Same token elsewhere", WHERE, "Mean attention to the same token elsewhere.", True),
    Measure(
        "rare",
        "Rarest tokens",
        WHERE,
        "Share of tokens that attend most to one of the two rarest ones.",
        True,
    ),
    Measure(
        "entropy", "Entropy", SHAPE, "Mean entropy of attention, in nats: low is focused, high is broad."
    ),
    Measure("confidence", "Confidence", SHAPE, "Mean of the highest attention weight of each token.", True),
    Measure(
        "norm", "Norm of what it adds", NORM, "Mean over tokens of Σ‖αf(x)‖: weight times transformed vector."
    ),
    Measure(
        "special-weight",
        "Weight on special tokens",
        NORM,
        "Share of attention on [CLS] and separators.",
        True,
    ),
    Measure(
        "special-norm",
        "Norm from special tokens",
        NORM,
        "Share of Σ‖αf(x)‖ that comes from special tokens. Far below their share of attention: a no-op.",
        True,
    ),
    Measure(
        "removal", "Loss without it", IMPORTANCE, "Log-likelihood (nats) lost without the head, on a sample."
    ),
    Measure("gradient", "Gradient", IMPORTANCE, "Mean of Σ|⟨c, ∂L/∂c⟩| over the head's contexts c."),
    Measure("taylor", "Taylor", IMPORTANCE, "Mean of |Σ A ∂L/∂A| over its attention map A."),
    Measure("relevance", "Relevance", IMPORTANCE, "Share of its layer's relevance, by AttnLRP.", True),
)
STATES = "1 - cosine similarity of the final hidden states with and without the head, on a sample."


@dataclass(frozen=True)
class Measured:
    """Everything measured of a model's heads.

    table      kind, layer, head, measure, value, baseline (NaN: none), count: a row for each head and measure
    distances  kind, layer, head, key (another head), value: Jensen-Shannon divergence
    offsets    relation, offset, share, count: the best fixed offset of each relation; empty without trees
    measures   what the table's measures are, in the order of the page
    """

    table: pd.DataFrame
    distances: pd.DataFrame
    offsets: pd.DataFrame
    measures: Sequence[Measure]
    notes: tuple[str, ...]


def measure_all(model: nn.Module, reading: Reading, subject: Subject, seed: int) -> Measured:
    """All measures of all heads of the model: one pass over the text, and importance on the subject's samples."""
    table, distances, offsets = attention_measures(model, reading, seed)
    parts, notes = [table], []
    for of in (gradients, relevances, removals):
        try:
            parts.append(of(subject))
        except InputError as error:  # an operation that has no rule, weights that layers share
            notes.append(f"Not measured: {error}.")
    table = pd.concat(parts, ignore_index=True)
    known = {each.id: each for each in MEASURES}
    if isinstance(subject, StatesSubject):
        known["removal"] = Measure("removal", "Change without it", IMPORTANCE, STATES)
    there = set(table["measure"])
    relations = [name for name in dict.fromkeys(table["measure"]) if name not in known]
    syntactic = [Measure(name, *relation_label(name), share=True) for name in relations]
    measures = [*(each for each in known.values() if each.id in there), *syntactic]
    return Measured(table[COLUMNS], distances, offsets, measures, tuple(notes))


def attention_measures(
    model: nn.Module, reading: Reading, seed: int = 0
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Measures of attention maps and norms, distances between heads, and the best offset of each relation."""
    base, batches = model.base_model, reading.batches()
    classes, counts = token_classes(reading.tokenizer), reading.frequencies()
    vectors = VectorNorms(base)
    surface, landmarks = Surface(classes, SurfaceSettings(average="tokens", edge="skip")), Landmarks()
    # tokens of the upper half of the types, by frequency in this text, are not rare
    rare = Rare({"encoder": counts, "cross": counts}, RareSettings(not_among=0.5))
    entropy = Entropy()
    dependency = Dependency()
    statistics = [surface, landmarks, rare, entropy, Confidence(), Norms(vectors, classes)]
    statistics += [JensenShannon(DistanceSettings(tokens=4)), dependency]
    with vectors.reading():
        found = measure(base, batches, statistics, progress="attention")
    # tables of kinds that a statistic does not have are empty, and of no type
    found = found.astype({"layer": int, "head": int, "value": float, "count": int})
    surroundings = {**_chance(surface), **_chance(landmarks), **_class_shares(batches, classes)}
    surroundings |= {
        (kind, "rare"): value for (kind, key), value in _chance(rare).items() if key == "two-rarest"
    }
    surroundings |= {(kind, "entropy"): value for kind, value in _uniform_entropy(batches).items()}
    parts = [
        _named(found, "attention", {"previous": "previous", "next": "next", "self": "self"}),
        _named(found, "landmark", {key: key for key in ("first", "last", "same-token")}),
        _named(found, "weight", {key: key for key in CLASS_KEYS}),
        _named(found, "rare", {"two-rarest": "rare"}),
        _named(found, "entropy", {"": "entropy"}),
        _named(found, "confidence", {"": "confidence"}),
        _norms(found),
    ]
    table = pd.concat(parts, ignore_index=True)
    keys = list(zip(table["kind"], table["measure"], strict=True))
    table["baseline"] = [surroundings.get(key, np.nan) for key in keys]
    # a class of tokens that the text does not have
    table = table[table["baseline"].ne(0)]
    without = {
        kind for kind in set(table["kind"]) if not surroundings[kind, "cls"] + surroundings[kind, "sep"]
    }
    table = table[~(table["measure"].isin(("special-weight", "special-norm")) & table["kind"].isin(without))]
    offsets = dependency.baseline()
    relations = _relations(found, offsets)
    distances = found[found["statistic"] == STATISTIC][[*HEAD, "key", "value"]]
    return pd.concat([table, relations], ignore_index=True), distances, offsets


def gradients(subject: Subject) -> pd.DataFrame:
    """`gradient` and `taylor`: `taylor-context` and `taylor` of `headwork.relevance.attributions.importance`."""
    if isinstance(subject, StatesSubject):
        raise InputError(
            "gradient and Taylor importance need a prediction, and this model has no output layer"
        )
    names, found = {"taylor-context": "gradient", "taylor": "taylor"}, []
    for given in tqdm(subject.measured, desc="gradients", unit="batch", disable=None):
        measures = taylor(subject.model, given.inputs, subject.target(given))
        found.append({name: measures[key] for key, name in names.items()})
    return pd.concat(
        [_means(name, [each[name] for each in found]) for name in names.values()], ignore_index=True
    )


def relevances(subject: Subject) -> pd.DataFrame:
    """`relevance` of `headwork.pruning.measures`."""
    bar = tqdm(subject.measured, desc="relevance", unit="batch", disable=None)
    table = _means("relevance", [relevance(subject, given) for given in bar])
    heads = {site.kind: part.heads for site, part in anatomy(subject.model).sites.items()}
    return table.assign(baseline=[1 / heads[kind] for kind in table["kind"]])


def removals(subject: Subject) -> pd.DataFrame:
    """`removal`: how much the likelihood of the text drops when a head's output is zeroed (Michel et al. 2019)."""
    sites = anatomy(subject.model).sites
    whole, _ = subject.likelihood({})
    heads = [site.head(number) for site, part in sites.items() for number in range(1, part.heads + 1)]
    rows, texts = [], sum(len(given.labels) for given in subject.judged)
    for head in tqdm(heads, desc="removal", unit="head", disable=None):
        gate = torch.ones(sites[head.site].heads)
        gate[head.head - 1] = 0
        rows.append((*head, "removal", whole - subject.likelihood({head.site: gate})[0], np.nan, texts))
    return pd.DataFrame(rows, columns=COLUMNS)


def _means(name: str, of_batches: Sequence[dict[Site, torch.Tensor]]) -> pd.DataFrame:
    rows = []
    for site in of_batches[0]:
        values = torch.cat([each[site] for each in of_batches]).double().detach()
        rows += [
            (*Head(*site, head), name, value, np.nan, len(values))
            for head, value in enumerate(values.mean(0).tolist(), start=1)
        ]
    return pd.DataFrame(rows, columns=COLUMNS)


def _named(found: pd.DataFrame, statistic: str, names: dict[str, str]) -> pd.DataFrame:
    rows = found[(found["statistic"] == statistic) & found["key"].isin(names)]
    return rows.assign(measure=rows["key"].map(names))[[*HEAD, "measure", "value", "count"]]


def _chance(statistic: Surface | Landmarks | Rare) -> dict[tuple[str, str], float]:
    return {(row.kind, row.key): row.value for row in statistic.chance().itertuples()}


def _norms(found: pd.DataFrame) -> pd.DataFrame:
    """The norm of what a head adds, and the shares of weights and of norms at special tokens."""
    parts = []
    for statistic, name in (("weight", "special-weight"), ("weighted-norm", "special-norm")):
        rows = found[found["statistic"] == statistic]
        total = (
            rows.groupby(HEAD, sort=False).agg(value=("value", "sum"), count=("count", "first")).reset_index()
        )
        special = rows[rows["key"].isin(("cls", "sep"))].groupby(HEAD, sort=False)["value"].sum()
        places = pd.MultiIndex.from_frame(total[HEAD])
        share = special.reindex(places, fill_value=0).to_numpy() / total["value"].where(total["value"] > 0, 1)
        parts.append(total.assign(value=share, measure=name))
        if statistic == "weighted-norm":
            parts.append(total.assign(measure="norm"))
    return pd.concat(parts, ignore_index=True)[[*HEAD, "measure", "value", "count"]]


def _relations(found: pd.DataFrame, offsets: pd.DataFrame) -> pd.DataFrame:
    """Accuracies at relations, with that of the best fixed offset as baseline."""
    rows = found[(found["statistic"] == "dependency") & (found["count"] >= MIN_COUNT)]
    relation = rows["key"].str.split("/").str[0]
    best = offsets.set_index("relation")["share"]
    shown = rows.assign(measure=rows["key"], baseline=relation.map(best).astype(float))
    hidden = relation.isin(("punct", "root", "all", "all but punct"))
    return shown[~hidden][COLUMNS]


def _class_shares(batches: Sequence[Batch], classes: TokenClasses) -> dict[tuple[str, str], float]:
    """The attention to each class of tokens if it were uniform: mean over texts."""
    found: dict[tuple[str, str], list[torch.Tensor]] = {}
    for batch in batches:
        for kind, side in batch.keys.items():
            for number, name in enumerate(classes.names):
                member = side.present & (classes.of(side.ids) == number)
                found.setdefault((kind, name), []).append(member.sum(1) / side.present.sum(1))
    return {key: float(torch.cat(parts).double().mean()) for key, parts in found.items()}


def _uniform_entropy(batches: Sequence[Batch]) -> dict[str, float]:
    """The entropy of uniform attention: mean over real queries of the logarithm of the number of visible keys."""
    found: dict[str, list[torch.Tensor]] = {}
    for batch in batches:
        for kind, keys in batch.keys.items():
            queries = batch.queries[kind]
            visible = keys.present.sum(1, keepdim=True).expand(queries.real.shape)
            visible = queries.present.cumsum(1) if kind == "decoder" else visible
            found.setdefault(kind, []).append(visible[queries.real].double().log())
    return {kind: float(torch.cat(parts).mean()) for kind, parts in found.items()}
