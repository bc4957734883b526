"""The tokens of an analysed text, and groups of them by frequency and part of speech.

Voita, Sennrich & Titov (2019b), section 5.3, group tokens by the frequency rank of their types, and by part of speech.
Only words of a single subword token are used, whose position, neighbours and tags are those of the token.
"""

from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
from jaxtyping import Int
from transformers import AutoTokenizer, PreTrainedTokenizerBase

from headwork.corpora.sources.readers import lines
from headwork.errors import InputError
from headwork.models.training.batches import Side
from headwork.representations.states.hidden_states import States
from headwork.settings.representations import TokenGroups

NONE = -1

Ranks = Int[np.ndarray, " piece"]
Rows = Int[np.ndarray, " token"]


def frequency_ranks(text: Iterable[str], tokenizer: PreTrainedTokenizerBase) -> Ranks:
    """Return the frequency rank (from 1) of each vocabulary token in a text; absent tokens share the last rank."""
    pieces = Side.encode(iter(text), tokenizer).pieces
    counts = np.bincount(pieces, minlength=max(tokenizer.get_vocab().values()) + 1)
    counts[tokenizer.all_special_ids] = 0
    return pd.Series(counts).rank(method="min", ascending=False).to_numpy().astype(np.int64)


def tokens_table(index: pd.DataFrame, words: pd.DataFrame, ranks: Ranks | None = None) -> pd.DataFrame:
    """Return words of a single token: row (of the index), sentence, position, piece, read, and annotation.

    That is form, pos and tag of the word, rank of the piece (of `ranks`), and `left` and `right`, the subword tokens
    beside it in its sentence (-1: none, special ones count). `index` is that of `States`, `words` as
    `analysed_text.words_table` makes it. Raises InputError if the words are not of the text.
    """
    table = index.reset_index(names="row")
    same = table["sentence"].to_numpy()[1:] == table["sentence"].to_numpy()[:-1]
    pieces = table["piece"].to_numpy()
    table["left"] = np.append(NONE, np.where(same, pieces[:-1], NONE))
    table["right"] = np.append(np.where(same, pieces[1:], NONE), NONE)
    table = table[table["pieces"] == 1].merge(words, on=["sentence", "word"], how="left")
    if table["form"].isna().any():
        sentence = int(table["sentence"][table["form"].isna()].iloc[0]) + 1
        raise InputError(f"the words of sentence {sentence} are not those of the text; make both again")
    if ranks is not None:
        table["rank"] = ranks[table["piece"]]
    return table.drop(columns="pieces")


def groups_of(tokens: pd.DataFrame, settings: TokenGroups) -> dict[tuple[str, str], Rows]:
    """(rank or pos, name) -> the rows of the index that are tokens of each group, in the text's order."""
    groups, row = {}, tokens["row"].to_numpy()
    for number, (low, high) in enumerate(pairwise(settings.ranks)):
        least = low - 1 if number == 0 else low
        chosen = (tokens["rank"] > least) & (tokens["rank"] <= high)
        groups["rank", f"{low}-{high}"] = row[chosen.to_numpy()]
    for pos in settings.pos:
        groups["pos", pos] = row[(tokens["pos"] == pos).to_numpy()]
    return groups


def grouped(
    model: Path, states: States, words: pd.DataFrame, train_text: Path, settings: TokenGroups
) -> tuple[pd.DataFrame, dict[tuple[str, str], np.ndarray]]:
    """The tokens of a run's states that are words of one piece, and the rows of each group of them."""
    tokenizer = AutoTokenizer.from_pretrained(model)
    ranks = frequency_ranks((line.text for line in lines(train_text)), tokenizer)
    tokens = tokens_table(states.index, words, ranks)
    return tokens, groups_of(tokens, settings)


def drawn(rows: Rows, number: int, seed: int) -> Int[np.ndarray, " drawn"]:
    """Return `number` rows sampled by the seed, in their order; all of them if there are fewer."""
    if len(rows) <= number:
        return rows
    return np.sort(np.random.default_rng(seed).permutation(rows)[:number])
