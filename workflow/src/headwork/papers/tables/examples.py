"""Chosen sentences with their attention maps (results/heads/<run>.examples.json), for figures that show one map."""

from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.image import AxesImage

from headwork.errors import InputError
from headwork.papers.drawing import style


def choose_example(examples: pd.DataFrame, longest: int) -> pd.Series:
    """Return the first sentence of at most `longest` tokens with a rare token, or else the shortest with one.

    `examples` has the columns pieces, rare and maps. Raises InputError if no sentence has a rare token.
    """
    having = examples[examples["rare"].map(len) > 0]
    if having.empty:
        raise InputError(
            "none of the example sentences has a rare token; choose others in the config and rerun"
        )
    lengths = having["pieces"].map(len)
    short = having[lengths <= longest]
    return short.iloc[0] if len(short) else having.loc[lengths.idxmin()]


def shown_piece(piece: str, pieces: list[str]) -> str:
    """Return a subword token for figures: without ``</w>``, and with ``@@`` if its word continues.

    Tokens of segmenters without end-of-word marks (``▁``, ``##``) are unchanged.
    """
    if not any(other.endswith("</w>") for other in pieces):
        return piece
    special = piece.startswith("<") and piece.endswith(">") and not piece.endswith("</w>")
    if special or piece.endswith("</w>"):
        return piece.removesuffix("</w>") or piece
    return f"{piece}@@"


def map_panel(
    axes: Axes, pieces: Sequence[str], weights: Sequence[Sequence[float]], size: float
) -> AxesImage:
    """Draw one map with queries as rows and keys as columns, labelled in font size `size`; returns the image."""
    image = axes.imshow(weights, cmap=style.HEAT, vmin=0, vmax=1)
    axes.set_xticks(range(len(pieces)), pieces, rotation=90, fontsize=size)
    axes.set_yticks(range(len(pieces)), pieces, fontsize=size)
    axes.tick_params(length=0, pad=1)
    axes.spines[:].set_visible(False)
    return image


def weights_table(example: pd.Series, head: str) -> pd.DataFrame:
    """Return a head's map, one row per weight, with query and key positions (from 0) and their tokens."""
    pieces, rare = example["pieces"], example["rare"]
    rows = [
        (query, pieces[query], key, pieces[key], key in rare, weight)
        for query, row in enumerate(example["maps"][head])
        for key, weight in enumerate(row)
    ]
    return pd.DataFrame(rows, columns=["query", "query_piece", "key", "key_piece", "rare", "weight"])
