"""Greedy search over many sentences with a model of `architectures.marian_ssru`, for speed on a CPU.

Sentences of similar length are translated together; what has ended leaves the batch, so that no work is done for it.
The most probable piece is taken at each step, as `generate` with one beam does, without its bookkeeping, which takes as
long as the model does.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import torch
from torch import Tensor
from transformers import PreTrainedTokenizerBase

from headwork.corpora.subwords.encoding import ids_of
from headwork.models.architectures.marian_ssru import MarianSsruModel


class Translation(NamedTuple):
    """A translation, the number of pieces of both sides without EOS, and whether it was ended by the model."""

    text: str
    source_pieces: int
    pieces: int
    ended: bool


class Greedy:
    """A model prepared for greedy search; call it with lines.

    A batch has at most `pieces_per_batch` pieces, of the longest source times their number. A translation of x pieces
    of source ends after ``longest_factor`` x + ``longest_extra`` of its own, with or without EOS; a source is cut to
    the model's positions.
    """

    longest_factor, longest_extra = 3, 10

    def __init__(
        self, model: MarianSsruModel, tokenizer: PreTrainedTokenizerBase, pieces_per_batch: int = 4000
    ) -> None:
        self.model, self.tokenizer, self.pieces_per_batch = model.eval(), tokenizer, pieces_per_batch
        self.positions = model.config.max_position_embeddings
        self.start, self.end = model.config.decoder_start_token_id, model.config.eos_token_id
        self.bias = model.final_logits_bias[0].clone()
        self.bias = self.bias if self.bias.any() else None  # a pass over all logits less

    def __call__(self, lines: Sequence[str]) -> list[Translation]:
        """The translation of each line, in their order, with one space between words."""
        encoded = ids_of(self.tokenizer, lines)
        sources = [[*each[:-1][: self.positions - 1], self.end] for each in encoded]
        found: dict[int, Translation] = {}
        for batch in self._batches(sources):
            said = self._search([sources[line] for line in batch])
            texts = self.tokenizer.batch_decode([pieces for pieces, _ in said], skip_special_tokens=True)
            for line, text, (pieces, ended) in zip(batch, texts, said, strict=True):
                text = " ".join(text.split())
                found[line] = Translation(text, len(sources[line]) - 1, len(pieces), ended)
        return [found[line] for line in range(len(lines))]

    def _batches(self, sources: Sequence[Sequence[int]]) -> Iterator[list[int]]:
        """Numbers of sources of similar length, longest last; a batch is full when one more would be too many."""
        order = sorted(range(len(sources)), key=lambda line: len(sources[line]))
        bounds = [0]
        for place, line in enumerate(order):
            if (place + 1 - bounds[-1]) * len(sources[line]) > self.pieces_per_batch and place > bounds[-1]:
                bounds.append(place)
        for start, end in pairwise([*bounds, len(order)]):
            if start < end:
                yield order[start:end]

    @torch.inference_mode()
    def _search(self, sources: list[list[int]]) -> list[tuple[list[int], bool]]:
        """The pieces of each translation without EOS, and whether EOS was said."""
        ids = torch.nn.utils.rnn.pad_sequence(
            [torch.tensor(source) for source in sources],
            batch_first=True,
            padding_value=self.model.config.pad_token_id,
        )
        lengths = torch.tensor([len(source) for source in sources])
        mask = (torch.arange(ids.shape[1]) < lengths[:, None]).long()
        room = (self.longest_factor * (lengths - 1) + self.longest_extra).clamp(max=self.positions)
        states = self.model.get_encoder()(input_ids=ids, attention_mask=mask).last_hidden_state
        said: list[list[int]] = [[] for _ in sources]
        ended = [False] * len(sources)
        going, cache = torch.arange(len(sources)), None
        token = torch.full((len(sources), 1), self.start)
        for step in range(1, int(room.max()) + 1):
            out = self.model.get_decoder()(
                input_ids=token,
                encoder_hidden_states=states,
                encoder_attention_mask=mask,
                past_key_values=cache,
                use_cache=True,
            )
            cache, best = out.past_key_values, self._best(out.last_hidden_state[:, -1])
            for line, piece in zip(going.tolist(), best.tolist(), strict=True):
                if piece == self.end:
                    ended[line] = True
                else:
                    said[line].append(piece)
            stay = ((best != self.end) & (room[going] > step)).nonzero()[:, 0]
            if len(stay) < len(going):
                going, best, states, mask = going[stay], best[stay], states[stay], mask[stay]
                cache.reorder_cache(stay)
            if not len(going):
                break
            token = best[:, None]
        return list(zip(said, ended, strict=True))

    def _best(self, states: Tensor) -> Tensor:
        """The most probable piece of each row; numpy's argmax is many times faster than torch's on a CPU."""
        logits = self.model.lm_head(states)
        if self.bias is not None:
            logits += self.bias
        return torch.from_numpy(logits.numpy().argmax(-1))
