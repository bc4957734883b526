"""Hidden states of a text's tokens, extracted once into shards on disk.

    extract(model, tokenizer, lines, folder)              one pass; in memory only an index grows, 24 bytes a token
    states = States(folder)
    states.index                                          a table with a row for each token, in the text's order
    states.layer(3, rows)                                 (len(rows), dimensions), float32

Layer 0 denotes the embeddings, layer n the output of the n-th layer: in a pre-norm model before the last layer
normalisation, as in the code behind Voita et al. (2019). A folder holds

    index.parquet              a row a token: sentence, position, piece, read, word, pieces
    layer<n>.<k>.npy           the states of rows k · shard_tokens and on, (rows, dimensions), float16 or float32
    states.json                layers, dimensions, tokens, shard_tokens, precision, causal

`sentence` counts the text's lines from 0, also those left out because the model has no positions for them; `position`
is the token's place among the sentence's pieces, special ones included, from 0; `piece` is the id of the text's piece
and `read` of the one that the model read there (another where it was masked); `word` is the number of the word in the
line, -1 for special tokens; `pieces` is how many pieces that word has.
"""

import json
import logging
import shutil
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from headwork.corpora.sources import readers
from headwork.errors import InputError
from headwork.heads.streaming.batches import Text, side_of, texts
from headwork.lens.layers import Layers
from headwork.models.loading import hub
from headwork.models.objectives.masking import Masking, MaskingSettings
from headwork.models.training.batches import Side, cut
from headwork.run.frame import Files, folder_of
from headwork.run.outputs import read_parquet, write_json
from headwork.settings.representations import MaskedReading, StatesOnDisk

log = logging.getLogger(__name__)

INDEX, FACTS = "index.parquet", "states.json"
WINDOW = 2000  # sentences that are sorted by length together

Rows = Int[np.ndarray, " row"]
Found = Float[np.ndarray, "row dimension"]
Reading = Callable[[int, np.ndarray], np.ndarray]
Choice = Callable[[np.ndarray, np.ndarray], np.ndarray]


def reader_of(model: PreTrainedModel) -> PreTrainedModel:
    """Return the part of a model that reads its text: an encoder-decoder's encoder, else all but the output layer."""
    return model.get_encoder() if model.config.is_encoder_decoder else model.base_model


def extract(
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
    lines: Iterable[str],
    folder: str | Path,
    settings: StatesOnDisk | None = None,
    reading: Reading | None = None,
    kept: Choice | None = None,
    name: str = "text",
) -> None:
    """Write the states of the tokens of these lines (words separated by single spaces), of any model that the lens
    supports.

    `reading(sentence, pieces)` gives the subword tokens that the model reads instead of a sentence's own, as many;
    `kept(pieces, read)` says which tokens are written, if not all. Lines that are longer than the model's positions are
    left out, and the log gives their number. The folder is written under a temporary name and renamed when complete.
    Raises InputError if no line is left, and as `texts` does.
    """
    chosen = settings or StatesOnDisk()
    reader, folder = reader_of(model).eval(), Path(folder)
    longest = hub.positions(model)
    unfinished = folder.with_name(folder.name + ".part")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    layers = Layers(reader)
    shards, tables, dropped = _Shards(unfinished, len(layers) + 1, chosen), [], 0
    numbered = enumerate(texts(lines, tokenizer, name=name))
    while window := list(islice(numbered, WINDOW)):
        fit = [(number, text) for number, text in window if len(text) <= longest]
        dropped += len(window) - len(fit)
        if fit:
            numbers, chosen_texts = zip(*fit, strict=True)
            read = [_read(text, number, reading) for number, text in fit]
            found = _states(reader, layers, chosen_texts, read, tokenizer.pad_token_id, chosen.tokens)
            table = _index(numbers, chosen_texts, read)
            if kept is not None:
                rows = kept(table["piece"].to_numpy(), table["read"].to_numpy())
                table, found = table[rows], [layer[rows] for layer in found]
            shards.add(found)
            tables.append(table)
    if dropped:
        log.info("%s: %d sentences left out: over %s pieces", name, dropped, longest)
    if not tables:
        none = f"no sentence has at most {longest} tokens, the model's number of positions; give shorter sentences"
        raise InputError.at(name, none)
    shards.close()
    pd.concat(tables, ignore_index=True).to_parquet(unfinished / INDEX, index=False)
    facts = {"layers": len(layers), "dimensions": shards.dimensions, "tokens": shards.rows}
    facts |= {"shard_tokens": chosen.shard_tokens, "precision": chosen.precision, "causal": layers.causal}
    write_json(unfinished / FACTS, facts)
    shutil.rmtree(folder, ignore_errors=True)
    unfinished.rename(folder)


def _read(text: Text, number: int, reading: Reading | None) -> np.ndarray:
    pieces = np.asarray(text.pieces.ids, dtype=np.int64)
    return pieces if reading is None else reading(number, pieces)


def _index(numbers: Sequence[int], chosen: Sequence[Text], read: Sequence[np.ndarray]) -> pd.DataFrame:
    """The rows of the index for these texts, of which `numbers` are the sentences."""
    lengths = np.array([len(text) for text in chosen])
    of = np.repeat(np.arange(len(chosen)), lengths)
    words = np.concatenate([text.pieces.words for text in chosen])
    # a word's tokens are adjacent
    begins = np.append(True, (np.diff(words) != 0) | (np.diff(of) != 0))
    runs = begins.cumsum() - 1
    columns = {
        "sentence": np.asarray(numbers)[of],
        "position": np.arange(len(of)) - np.repeat(lengths.cumsum() - lengths, lengths),
        "piece": np.concatenate([text.pieces.ids for text in chosen]),
        "read": np.concatenate(read),
        "word": words,
        "pieces": np.where(words >= 0, np.bincount(runs)[runs], 0),
    }
    return pd.DataFrame({name: column.astype(np.int32) for name, column in columns.items()})


@torch.inference_mode()
def _states(
    reader: nn.Module,
    layers: Layers,
    chosen: Sequence[Text],
    read: Sequence[np.ndarray],
    padding: int,
    tokens: int,
) -> list[Float[np.ndarray, "token dimension"]]:
    """The states of these texts, a layer an array, in the texts' order; they are read in batches of like length."""
    lengths = np.array([len(text) for text in chosen])
    starts = np.append(0, lengths.cumsum())
    found: list[np.ndarray] = []
    device = next(reader.parameters()).device
    for numbers in cut(np.arange(len(chosen)), np.stack([lengths, lengths]), tokens):
        side = side_of([chosen[number] for number in numbers], padding)
        ids = side.ids.clone()
        for row, number in zip(ids, numbers, strict=True):
            row[: lengths[number]] = torch.from_numpy(read[number])
        with layers.recording() as states:
            reader(input_ids=ids.to(device), attention_mask=side.present.long().to(device))
        present = side.present.to(device)
        rows = np.concatenate([np.arange(starts[number], starts[number + 1]) for number in numbers])
        for number, state in enumerate(states):
            if number == len(found):
                found.append(np.empty((starts[-1], state.shape[-1]), dtype=np.float32))
            found[number][rows] = state[present].float().cpu().numpy()
    return found


class _Shards:
    """Writes rows of several layers to files of `shard_tokens` rows each, as they fill up."""

    def __init__(self, folder: Path, layers: int, settings: StatesOnDisk) -> None:
        self.folder, self.settings = folder, settings
        self.rows = self.dimensions = 0
        self._waiting: list[list[np.ndarray]] = [[] for _ in range(layers)]
        self._begun = 0  # the first row that is not on disk

    def add(self, states: Sequence[np.ndarray]) -> None:
        """One array a layer."""
        self.dimensions = states[0].shape[1]
        for waiting, rows in zip(self._waiting, states, strict=True):
            waiting.append(rows.astype(self.settings.precision))
        self.rows += len(states[0])
        while self.rows - self._begun >= self.settings.shard_tokens:
            self._write(self.settings.shard_tokens)

    def close(self) -> None:
        """Write what is left."""
        if self.rows > self._begun:
            self._write(self.rows - self._begun)

    def _write(self, count: int) -> None:
        shard = self._begun // self.settings.shard_tokens
        for number, waiting in enumerate(self._waiting):
            rows = np.concatenate(waiting)
            np.save(_shard(self.folder, number, shard), rows[:count])
            waiting[:] = [rows[count:].copy()]
        self._begun += count


def _shard(folder: Path, layer: int, number: int) -> Path:
    return folder / f"layer{layer}.{number:04}.npy"


class States:
    """The states in a folder that `extract` wrote; only requested rows are loaded."""

    def __init__(self, folder: str | Path) -> None:
        """Raises InputError if the folder has no states."""
        self.folder = Path(folder)
        try:
            facts = json.loads((self.folder / FACTS).read_text(encoding="utf-8"))
        except OSError as error:
            none = f"the folder has no states ({error.strerror}); extract them again"
            raise InputError.at(folder, none) from error
        self.layers: int = facts["layers"]
        self.dimensions: int = facts["dimensions"]
        self.causal: bool = facts["causal"]
        self._shard_tokens: int = facts["shard_tokens"]
        self._tokens: int = facts["tokens"]

    def __len__(self) -> int:
        return self._tokens

    @cached_property
    def index(self) -> pd.DataFrame:
        """A row for each token, in the text's order; see the module."""
        return read_parquet(self.folder / INDEX)

    def layer(self, number: int, rows: Rows | None = None) -> Found:
        """The states after that layer (0: embeddings) of these rows of the index, in the order they are asked for.

        None: all rows. Raises InputError for a layer that the model lacks.
        """
        if not 0 <= number <= self.layers:
            raise InputError.at(self.folder, f"there is no layer {number}: the model has {self.layers}")
        rows = np.arange(len(self)) if rows is None else np.asarray(rows)
        found = np.empty((len(rows), self.dimensions), dtype=np.float32)
        shards = rows // self._shard_tokens
        for shard in np.unique(shards).tolist():
            own = shards == shard
            stored = np.load(_shard(self.folder, number, shard), mmap_mode="r")
            found[own] = stored[rows[own] - shard * self._shard_tokens]
        return found

    def tensor(self, number: int, rows: Rows | None = None) -> Tensor:
        """The same as a tensor."""
        return torch.from_numpy(self.layer(number, rows))


def extract_run(
    input: Files,
    output: Files,
    settings: StatesOnDisk,
    masked: Mapping[str, Any] | None = None,
    also: Collection[str] = (),
    device: str = "cpu",
) -> None:
    """Write the hidden states of a model on a text.

    `input`: model (its files), text (a sentence a line). `output`: states (a folder: see `hidden_states`). With the
    settings `masked` the text is read as `MaskedReading` has it, and only the tokens that were chosen are written, and
    the words `also`. The sentences of the second pass are counted on from those of the first. Raises InputError for
    settings and models that cannot be used.
    """
    whole, tokenizer = hub.load(folder_of(input.model))
    whole = whole.to(device)
    sentences = [line.text for line in readers.lines(input.text)]
    if masked is None:
        extract(whole, tokenizer, sentences, output.states, settings, name=str(input.text))
        return
    how = MaskedReading.read(masked, "masked")
    masking = Masking(tokenizer, MaskingSettings(share=how.share, mask=how.mask, random=how.random))
    types = frequent(np.bincount(Side.encode(iter(sentences), tokenizer).pieces), how.types, masking.special)
    masking.only(types)
    shown = [tokenizer.encode(word, add_special_tokens=False) for word in also]
    shown = [pieces[0] for pieces in shown if len(pieces) == 1]

    def reading(sentence: int, pieces: np.ndarray) -> np.ndarray:
        return masking(pieces, np.random.default_rng([how.seed, sentence]))[0]

    def kept(pieces: np.ndarray, read: np.ndarray) -> np.ndarray:
        return (pieces != read) | np.isin(pieces, shown)

    lines = sentences * how.passes
    extract(whole, tokenizer, lines, output.states, settings, reading, kept, str(input.text))


def frequent(
    counts: Int[np.ndarray, " piece"], types: int, special: Bool[np.ndarray, " _"]
) -> Int[np.ndarray, " type"]:
    """The ids of the most frequent pieces that are not special; of equally frequent ones those with lower ids."""
    counts = np.where(special[: len(counts)], 0, counts)
    order = np.argsort(-counts, kind="stable")[:types]
    return order[counts[order] > 0]
