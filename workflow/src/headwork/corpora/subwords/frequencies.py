"""Frequency of each subword token on each side of a corpus.

Their ranks are what "the rarest token of a sentence" and "not among the 500 most frequent" mean in Voita et al. 2019,
section 5.2.3. Pieces are counted as the tokenizer makes them (in lower case, if it lowers), without the `</s>` that
closes each sentence.
"""

import os
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd
from tokenizers import Tokenizer

from headwork.corpora.sources.readers import lines

CHUNK = 50_000


def words_of(text: Path) -> Counter[str]:
    """Word -> occurrences in a text of words with spaces between them."""
    counts: Counter[str] = Counter()
    for _, line in lines(text):
        counts.update(line.split(" "))
    return counts


def pieces_of(words: Mapping[str, int], tokenizer: Tokenizer) -> dict[str, int]:
    """Piece -> occurrences, from the occurrences of words: subword tokens never cross words."""
    totals = np.zeros(tokenizer.get_vocab_size(), dtype=np.int64)
    kinds = list(words)
    for start in range(0, len(kinds), CHUNK):
        chunk = kinds[start : start + CHUNK]
        for word, encoding in zip(
            chunk, tokenizer.encode_batch(chunk, add_special_tokens=False), strict=True
        ):
            np.add.at(totals, encoding.ids, words[word])
    return {tokenizer.id_to_token(piece): int(totals[piece]) for piece in np.flatnonzero(totals)}


def frequencies(texts: Mapping[str, Path], tokenizer: Tokenizer) -> pd.DataFrame:
    """One row a piece: side, type, count, rank (from 1; equal counts share the smallest).

    `texts` maps each side (source, target) to its file. Rows are ordered by side, rank and type.
    """
    tables = []
    for side, path in texts.items():
        counts = pieces_of(words_of(path), tokenizer)
        table = pd.DataFrame({"type": list(counts), "count": np.fromiter(counts.values(), dtype=np.int64)})
        table.insert(0, "side", side)
        table["rank"] = table["count"].rank(method="min", ascending=False).astype(np.int64)
        tables.append(table)
    return pd.concat(tables).sort_values(["side", "rank", "type"], ignore_index=True)


def save(table: pd.DataFrame, path: Path) -> None:
    """Write frequencies.parquet atomically."""
    part = path.with_name(f"{path.name}.part")
    part.parent.mkdir(parents=True, exist_ok=True)
    table.to_parquet(part, index=False)
    os.replace(part, path)
