"""Hidden states of annotated words, in memory: the mean over each word's subword tokens.

`headwork.representations.states.hidden_states` stores those of a text that several analyses share on disk, and says
which states are those of a layer.
"""

from collections.abc import Iterator, Sequence
from typing import Protocol, TypeVar, runtime_checkable

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from headwork.heads.streaming.batches import Batch, Side, Text, single_batches, texts
from headwork.lens.layers import Layers
from headwork.models.loading import hub
from headwork.parses.align import membership
from headwork.parses.conllu import Sentence
from headwork.settings.base import require

States = Float[Tensor, "layer word size"]


@runtime_checkable
class WithPlace(Protocol):
    """A word of a sentence, by its position from 0."""

    sentence: Sentence
    place: int


Placed = TypeVar("Placed", bound=WithPlace)


def layers_of(model: PreTrainedModel, wanted: Sequence[int] | None = None) -> list[int]:
    """The layers whose states are requested (None: all). 0 denotes the embeddings, n the output of layer n.

    Raises InputError for a layer that the model does not have.
    """
    last = len(Layers(model))
    found = list(range(last + 1)) if wanted is None else list(wanted)
    known = len(found) > 0 and all(0 <= layer <= last for layer in found)
    require(known, f"layers are {found}; the model has 0 (its embeddings) to {last}; choose some of them")
    return found


def word_states(
    model: PreTrainedModel, batches: Sequence[Batch], layers: Sequence[int]
) -> Iterator[tuple[Sentence, States]]:
    """Each sentence of the batches with its words' vectors in these layers, on the CPU.

    `batches` are of texts with trees (or other annotation of words).
    """
    read = Layers(model)
    for batch in batches:
        batch = batch.to(read.device)
        with torch.no_grad(), read.recording() as found:
            model(**batch.inputs)
        yield from states_of_words(found, batch.queries[read.kind], layers)


def states_of_words(
    hidden_states: Sequence[Float[Tensor, "batch time size"]], side: Side, layers: Sequence[int]
) -> Iterator[tuple[Sentence, States]]:
    """Each sentence of a batch with its words' vectors, from the hidden states of all layers.

    A word that is split is the mean of its subword tokens.
    """
    longest = max(map(len, side.sentences))
    # (batch, word, time), the same for all layers
    share = membership(side.words, longest, "mean").transpose(1, 2)
    vectors = [share.to(hidden_states[layer]) @ hidden_states[layer] for layer in layers]
    states = torch.stack(vectors).float().cpu()
    for row, sentence in enumerate(side.sentences):
        yield sentence, states[:, row, : len(sentence)].clone()


class Reader:
    """A model that reads annotated words: their states in some layers, each distinct sentence read once."""

    def __init__(
        self, model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, layers: Sequence[int], tokens: int
    ) -> None:
        self.model, self.tokenizer, self.layers, self.tokens = model, tokenizer, layers, tokens
        self._longest = hub.positions(model)
        self._texts: dict[int, tuple[Sentence, Text | None]] = {}

    def readable(self, words: Sequence[Placed]) -> list[Placed]:
        """The words whose sentences fit the model's positions."""
        return [word for word in words if self._text(word.sentence) is not None]

    def _text(self, sentence: Sentence) -> Text | None:
        # kept with its sentence, since another object could get the same id
        if id(sentence) not in self._texts:
            found = next(texts([" ".join(sentence.forms)], self.tokenizer, [sentence], "annotated text"))
            self._texts[id(sentence)] = (sentence, found if len(found) <= self._longest else None)
        return self._texts[id(sentence)][1]

    def states(self, words: Sequence[Placed]) -> Float[np.ndarray, "layer word size"]:
        """The states of these words, which must be readable, in their order."""
        places: dict[int, list[int]] = {}
        for row, word in enumerate(words):
            places.setdefault(id(word.sentence), []).append(row)
        chosen = {id(word.sentence): self._text(word.sentence) for word in words}
        kind = Layers(self.model).kind
        batches = single_batches(list(chosen.values()), kind, self.tokenizer.pad_token_id, self.tokens)
        found = np.zeros((len(self.layers), len(words), self.model.config.hidden_size), dtype=np.float32)
        for sentence, states in word_states(self.model, batches, self.layers):
            for row in places[id(sentence)]:
                found[:, row] = states[:, words[row].place].numpy()
        return found
