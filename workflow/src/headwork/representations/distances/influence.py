"""Influence of a token on the others of its sentence in one layer: PWCCA distance without it as a key.

Voita, Sennrich & Titov (2019b), section 5.3. A sentence with a token of the group is read up to layer n - 1. Layer n is
then run with that token masked, so that no other token can attend to it, and

    influence in layer n = 1 - PWCCA(states of layer n as they are, states of layer n without the token)

over all other tokens of all these sentences, with one masked token a sentence. The states of layers n - 1 and n are
read from disk, so that only layer n without the token is computed, instead of n layers twice.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from headwork.lens.layers import Layers
from headwork.models.loading import hub
from headwork.models.training.batches import cut
from headwork.representations.distances.change import COLUMNS, UNKNOWN, Groups, enough_for_cca, too_few
from headwork.representations.distances.jackknife import tenths
from headwork.representations.distances.pwcca import floor, pwcca
from headwork.representations.states.hidden_states import States, reader_of
from headwork.representations.states.token_groups import grouped
from headwork.run.frame import Files, folder_of
from headwork.run.outputs import read_parquet, write_table
from headwork.settings.representations import Evolution, Influence

Rows = Int[np.ndarray, " token"]


class Sentences:
    """The rows of sentences in the states: `start[i]` and `length[i]` of sentence i."""

    def __init__(self, states: States) -> None:
        sentence = states.index["sentence"].to_numpy()
        starts = np.flatnonzero(np.diff(sentence, prepend=-1))
        self.start = np.zeros(sentence.max() + 1, dtype=np.int64)
        self.length = np.zeros(sentence.max() + 1, dtype=np.int64)
        self.start[sentence[starts]] = starts
        self.length[sentence[starts]] = np.diff(np.append(starts, len(sentence)))
        self.of = sentence
        self.real = states.index["word"].to_numpy() >= 0


class Chosen(NamedTuple):
    """The tokens that are masked, one a sentence (rows), and the tokens of their sentences that are compared."""

    masked: Rows
    compared: Bool[np.ndarray, " row"]


def choose(
    sentences: Sentences, members: Rows, tokens: int, seed: int, later: bool = False
) -> tuple[Chosen, int]:
    """Choose tokens of a group, one a sentence, until `tokens` others can be compared; return them and that number.

    `later`: only tokens after the masked one count as others, the only ones that it can influence in a causal model.
    """
    order = np.random.default_rng(seed).permutation(members)
    _, first = np.unique(sentences.of[order], return_index=True)
    order = order[np.sort(first)]
    compared = np.zeros(len(sentences.of), dtype=bool)
    count, masked = 0, []
    for row in order:
        start = sentences.start[sentences.of[row]]
        others = np.arange(row + 1 if later else start, start + sentences.length[sentences.of[row]])
        others = others[sentences.real[others] & (others != row)][: tokens - count]
        if len(others):
            masked.append(row)
            compared[others] = True
            count += len(others)
        if count == tokens:
            break
    return Chosen(np.array(masked, dtype=np.int64), compared), count


def without(
    layers: Layers, layer: int, states: States, sentences: Sentences, chosen: Chosen, tokens: int = 4000
) -> Iterator[tuple[Rows, Float[Tensor, "token dimension"]]]:
    """Yield for some sentences at a time the compared rows, and the layer's output without the masked token."""
    numbers = sentences.of[chosen.masked]
    lengths = sentences.length[numbers]
    for batch in cut(np.arange(len(numbers)), np.stack([lengths, lengths]), tokens):
        longest = int(lengths[batch].max())
        places = np.arange(longest)
        present = places < lengths[batch, None]
        starts = sentences.start[numbers[batch]]
        rows = np.where(present, starts[:, None] + places, starts[:, None])
        given = states.tensor(layer - 1, rows.ravel()).view(len(batch), longest, -1)
        key = torch.from_numpy(chosen.masked[batch] - starts)
        keys = allowed(torch.from_numpy(present), key, layers.causal)
        with torch.inference_mode():
            output = layers.run(layer, given.to(layers.device), keys.to(layers.device)).cpu()
        wanted = present & chosen.compared[rows]
        yield rows[wanted], output[torch.from_numpy(wanted)]


def allowed(
    present: Bool[Tensor, "batch time"], masked: Int[Tensor, " batch"], causal: bool
) -> Bool[Tensor, "batch query key"]:
    """Return which keys each query may attend to: all present but the masked one, which may attend to itself."""
    time = present.shape[1]
    keys = present[:, None, :].expand(-1, time, -1)
    if causal:
        keys = keys & torch.ones(time, time, dtype=torch.bool).tril()
    place = torch.arange(time)
    hidden = (place[None, None, :] == masked[:, None, None]) & (place[None, :, None] != masked[:, None, None])
    return keys & ~hidden


def influences(
    layers: Layers,
    states: States,
    groups: Groups,
    tokens: int,
    variant: str = "morcos",
    seed: int = 0,
    later: bool = False,
    batch: int = 4000,
) -> pd.DataFrame:
    """`COLUMNS` for every group and layer: statistic influence/rank or influence/pos, the group's name as key.

    `groups` are rows of the states, `layers` of the same model; n counts the tokens that are compared, `tokens` in
    every group. Groups with fewer have no value, and the note gives their number. Raises InputError if the tokens do
    not outnumber the dimensions.
    """
    enough_for_cca(tokens, states.dimensions)
    chance, sentences = 1 - floor(tokens, states.dimensions), Sentences(states)
    in_tenth = tenths(sentences.of)
    rows = []
    for (kind, name), members in groups.items():
        chosen, count = choose(sentences, members, tokens, seed, later)
        note = too_few(f"influence: {kind} {name}", count, tokens, states.dimensions)
        for layer in range(1, states.layers + 1):
            value, of_parts = np.nan, UNKNOWN
            if not note:
                found = list(without(layers, layer, states, sentences, chosen, batch))
                compared = np.concatenate([part for part, _ in found])
                pair = states.tensor(layer, compared), torch.cat([part for _, part in found])
                similarity = pwcca(*pair, variant, in_tenth[compared])
                value, of_parts = similarity.distance, similarity.distances_without
            rows.append((f"influence/{kind}", name, layer, value, chance, count, note, *of_parts))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def influence_run(
    input: Files, output: Files, settings: Influence, evolution: Evolution, device: str = "cpu"
) -> None:
    """Measure influence for the groups, and by the variant of PWCCA, of the settings `evolution`.

    `input`: model (its files), states (a folder), words (parquet: the text's words), train_text (the text on which
    pieces are counted). `output`: table (csv: `change.COLUMNS`). Raises InputError for too few tokens, with the
    numbers.
    """
    folder = folder_of(input.model)
    model, _ = hub.load(folder)
    layers = Layers(reader_of(model.to(device)))
    states = States(input.states)
    _, groups = grouped(folder, states, read_parquet(input.words), input.train_text, evolution.groups)
    later = settings.others == "later" and layers.causal
    table = influences(
        layers, states, groups, settings.tokens, evolution.variant, settings.seed, later, settings.batch
    )
    write_table(output.table, table)
