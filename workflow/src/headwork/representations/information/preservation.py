"""Properties that a token shares with its nearest neighbours in a layer.

Voita, Sennrich & Titov (2019b), section 6. Frequent types are sampled, and occurrences of each:

    identity/same          of occurrences of many types: the share of neighbours of the same type
    position/distance      of occurrences of one type: the mean distance between their places in the sentence
    left/same, right/same  the share of neighbours with the same token at the left, at the right
    tag/same               the share with the same CCG tag; tag/left, tag/right: the same part

All but the first are computed within each type and averaged, since among occurrences of many types nearly all
neighbours have the same type. `control` is the value for a random other occurrence.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd
import torch
from jaxtyping import Int
from torch import Tensor

from headwork.errors import InputError
from headwork.representations.distances.change import COLUMNS
from headwork.representations.distances.jackknife import Tenths, means_without, tenths
from headwork.representations.information.neighbours import distance, nearest, same
from headwork.representations.states.hidden_states import States
from headwork.settings.base import require
from headwork.settings.representations import Preservation

Labels = Int[Tensor, " token"]


def occurrences(tokens: pd.DataFrame, types: int, number: int, seed: int) -> pd.DataFrame:
    """`number` occurrences of each of `types` types that have as many, both drawn by the seed, in the text's order.

    Fewer types if there are not as many; InputError if there is none.
    """
    counts = tokens["piece"].value_counts().sort_index()
    often = counts.index[counts >= number].to_numpy()
    most = int(counts.max()) if len(counts) else 0
    none = f"preservation: no type has {number} occurrences, the most frequent {most}; give more text, or ask for less"
    require(len(often) > 0, none)
    chance = np.random.default_rng(seed)
    chosen = chance.permutation(often)[:types]
    shuffled = tokens.iloc[chance.permutation(len(tokens))]
    shuffled = shuffled[shuffled["piece"].isin(chosen)]
    return shuffled.groupby("piece").head(number).sort_values("row", ignore_index=True)


def preserved(states: States, tokens: pd.DataFrame, settings: Preservation) -> pd.DataFrame:
    """`COLUMNS` for every layer but the embeddings. `tokens` is a table of `token_groups.tokens_table`.

    Without tags there are no rows of tags. Raises InputError for a text in which no type occurs often enough.
    """
    many = occurrences(tokens, settings.identity_types, settings.identity_occurrences, settings.seed)
    single = occurrences(tokens, settings.types, settings.occurrences, settings.seed)
    tagged = ambiguous(tokens, settings)
    rows, in_tenth = [], tenths(states.index["sentence"])
    for layer in range(1, states.layers + 1):
        rows.append(_identity(states, layer, many, in_tenth, settings))
        rows += _in_types(states, layer, single, _CONTEXT, in_tenth, settings)
        if len(tagged):
            rows += _in_types(states, layer, tagged, _TAGS, in_tenth, settings)
    return pd.DataFrame(rows, columns=list(COLUMNS))


def ambiguous(tokens: pd.DataFrame, settings: Preservation) -> pd.DataFrame:
    """Return occurrences of types without a dominant tag, with the parts of their tags; may be empty."""
    tokens = tokens[tokens["tag"].fillna("") != ""]
    if tokens.empty:
        return tokens
    clearest = tokens.groupby("piece")["tag"].agg(lambda tags: tags.value_counts(normalize=True).iloc[0])
    often = tokens["piece"].value_counts()
    open_to_doubt = (clearest <= settings.clearest) & (often[clearest.index] >= settings.occurrences)
    tokens = tokens[tokens["piece"].isin(clearest.index[open_to_doubt])]
    if tokens.empty:
        return tokens
    chosen = occurrences(tokens, settings.types, settings.occurrences, settings.seed)
    split = {tag: parts(tag) for tag in chosen["tag"].unique()}
    left, right = ({tag: part[side] for tag, part in split.items()} for side in (0, 1))
    return chosen.assign(tag_left=chosen["tag"].map(left), tag_right=chosen["tag"].map(right))


_CONTEXT = {"position/distance": "position", "left/same": "left", "right/same": "right"}
_TAGS = {"tag/same": "tag", "tag/left": "tag_left", "tag/right": "tag_right"}


def _identity(
    states: States, layer: int, chosen: pd.DataFrame, in_tenth: Tenths, settings: Preservation
) -> tuple[object, ...]:
    rows, types = chosen["row"].to_numpy(), _numbered(chosen["piece"])
    shares = same(types, nearest(states.tensor(layer, rows), settings.neighbours, settings.metric))
    values = float(shares.mean()), by_chance(types), len(chosen), _note(chosen)
    return "identity", "same", layer, *values, *means_without(shares.numpy(), in_tenth[rows])


def _in_types(
    states: States,
    layer: int,
    chosen: pd.DataFrame,
    columns: dict[str, str],
    in_tenth: Tenths,
    settings: Preservation,
) -> Iterator[tuple[object, ...]]:
    """Yield means over types of the statistics within each type."""
    values: dict[str, list[float]] = {name: [] for name in columns}
    without: dict[str, list[np.ndarray]] = {name: [] for name in columns}
    controls: dict[str, list[float]] = {name: [] for name in columns}
    for _, own in chosen.groupby("piece"):
        rows = own["row"].to_numpy()
        found = nearest(states.tensor(layer, rows), settings.neighbours, settings.metric)
        for name, column in columns.items():
            if column == "position":
                positions = torch.from_numpy(own[column].to_numpy().astype(np.int64))
                each, control = distance(positions, found), mean_distance(positions)
            else:
                labels = _numbered(own[column])
                each, control = same(labels, found), by_chance(labels)
            values[name].append(float(each.mean()))
            without[name].append(means_without(each.numpy(), in_tenth[rows]))
            controls[name].append(control)
    for name in columns:
        means = float(np.mean(values[name])), float(np.mean(controls[name]))
        yield *name.split("/"), layer, *means, len(chosen), _note(chosen), *np.nanmean(without[name], axis=0)


def _note(chosen: pd.DataFrame) -> str:
    return f"{chosen['piece'].nunique()} types"


def _numbered(labels: pd.Series) -> Labels:
    return torch.from_numpy(pd.factorize(labels)[0].astype(np.int64))


def by_chance(labels: Labels) -> float:
    """The share of pairs of different tokens that have the same label."""
    counts = torch.bincount(labels).double()
    return float((counts * (counts - 1)).sum() / (len(labels) * (len(labels) - 1)))


def mean_distance(places: Labels) -> float:
    """The mean distance between the places of two different tokens."""
    ordered = torch.sort(places.double())[0]
    number = len(ordered)
    # the i-th smallest value is the larger one in i pairs, and the smaller one in the others
    weights = 2 * torch.arange(number, dtype=torch.float64) - number + 1
    return float((weights * ordered).sum() / (number * (number - 1) / 2))


class Parts(NamedTuple):
    """A category's arguments to the left and to the right, nearest to the result first; "" for none."""

    left: str
    right: str


def parts(category: str) -> Parts:
    """The parts of a CCG category: its arguments after backslashes, and those after slashes.

    A category is a result and its arguments, outermost last: (S\\NP)/NP seeks an NP at the right (/), then an NP at the
    left (\\), and is an S. Raises InputError for brackets that do not match.
    """
    left, right = [], []
    rest = category
    while (place := _outermost(rest)) is not None:
        (left if rest[place] == "\\" else right).append(rest[place + 1 :])
        rest = rest[:place]
        if rest.startswith("(") and _closes(rest) == len(rest) - 1:
            rest = rest[1:-1]
    return Parts(" ".join(reversed(left)), " ".join(reversed(right)))


def _outermost(category: str) -> int | None:
    """Return the position of the last slash outside all brackets, or None."""
    depth, found = 0, None
    for place, character in enumerate(category):
        depth += (character in "([") - (character in ")]")
        if depth < 0:
            break
        if depth == 0 and character in "/\\":
            found = place
    if depth:
        raise InputError(f"the brackets of the category {category!r} do not match; correct the tag")
    return found


def _closes(category: str) -> int:
    """Where the bracket that opens a category closes."""
    depth = 0
    for place, character in enumerate(category):
        depth += (character == "(") - (character == ")")
        if not depth:
            return place
    return -1
