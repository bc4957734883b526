"""The decoder-style probe: a decoder of one layer that reads a frozen encoder's layer and writes tags (Raganato &
Tiedemann 2018).

As in translation, it sees all pieces of the sentence at each step, by attention, and the tags it wrote before; it must
find out by itself which word is next, and when to stop. So besides wrong tags there are errors of length: sentences
that got more or fewer tags than they have words. The paper gives precision and such errors; what precision is of
sentences of the wrong length is not said, so both readings are scored:

    precision           right tags among the words of sentences of the right length
    precision-of-all    right tags, place by place, among the words of all sentences
    length-errors       the share of sentences with more or fewer tags than words
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn.functional import cross_entropy
from torch.nn.utils.rnn import pad_sequence

from headwork.models.architectures.build import sinusoids
from headwork.models.training.batches import IGNORED
from headwork.settings.base import require
from headwork.settings.representations import TagDecoder

START, END = 0, 1
SPECIALS = 2  # tags are numbered behind the two
SLACK = 10  # a decoder that does not stop may write so many more tags than the sentence has pieces


class SequenceProbe(nn.Module):
    """One layer of a Transformer's decoder over frozen states, with its own embeddings of tags."""

    def __init__(self, width: int, tags: int, settings: TagDecoder, seed: int = 0) -> None:
        super().__init__()
        odd = f"tags: decoder: {settings.heads} heads do not divide a width of {width}; choose a divisor"
        require(width % settings.heads == 0, odd)
        self.width = width
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.embeddings = nn.Embedding(tags + SPECIALS, width)
            self.read = nn.LayerNorm(width)
            sizes = width, settings.heads, settings.feed_forward
            self.layer = nn.TransformerDecoderLayer(*sizes, 0.0, batch_first=True, norm_first=True)
            self.norm = nn.LayerNorm(width)
            self.output = nn.Linear(width, tags + SPECIALS)

    def forward(
        self,
        states: Float[Tensor, "sentence piece width"],
        absent: Bool[Tensor, "sentence piece"],
        written: Int[Tensor, "sentence step"],
    ) -> Float[Tensor, "sentence step tag"]:
        """The logits of the tag after each of those written so far (the first is `START`)."""
        steps = written.shape[1]
        places = sinusoids(steps, self.width).to(states.device)
        causal = torch.ones(steps, steps, dtype=torch.bool, device=states.device).triu(1)
        masks = {"tgt_mask": causal, "memory_key_padding_mask": absent}
        hidden = self.layer(self.embeddings(written) + places, self.read(states), **masks)
        return self.output(self.norm(hidden))


@dataclass(frozen=True)
class Sentences:
    """Frozen states of one layer, a tensor (piece, width) a sentence, and the numbers of the words' tags.

    A tag that the probe does not know is -1: it is never trained on, and never found.
    """

    states: Sequence[Float[Tensor, "_ width"]]
    tags: Sequence[Int[Tensor, " _"]]

    def __len__(self) -> int:
        return len(self.states)

    def padded(
        self, chosen: Int[np.ndarray, " sentence"]
    ) -> tuple[Float[Tensor, "sentence piece width"], Bool[Tensor, "sentence piece"]]:
        """The states of these sentences, and where there is no piece."""
        states = pad_sequence([self.states[place] for place in chosen], batch_first=True)
        lengths = torch.tensor([len(self.states[place]) for place in chosen], device=states.device)
        return states, torch.arange(states.shape[1], device=states.device) >= lengths[:, None]


def train_decoder(
    data: Sentences, tags: int, settings: TagDecoder | None = None, seed: int = 0
) -> SequenceProbe:
    """A probe for `tags` tags, trained by teacher forcing; the seed draws its weights and orders the sentences."""
    settings = settings or TagDecoder()
    device = data.states[0].device
    probe = SequenceProbe(data.states[0].shape[1], tags, settings, seed).to(device).train()
    optimiser = torch.optim.Adam(probe.parameters(), lr=settings.rate, fused=True)
    steps = settings.epochs * -(-len(data) // settings.sentences)
    warm = max(1, steps // 10)
    rate = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min((step + 1) / warm, (steps - step) / max(1, steps - warm))
    )
    chance = np.random.default_rng(seed)
    for _ in range(settings.epochs):
        for chosen in _batches(data, settings.sentences, chance):
            states, absent = data.padded(chosen)
            tags_of = [_ended(data.tags[place]) for place in chosen]
            wanted = pad_sequence(tags_of, batch_first=True, padding_value=IGNORED)
            written = torch.cat([torch.full_like(wanted[:, :1], START), wanted[:, :-1]], dim=1)
            logits = probe(states, absent, written.clamp_min(START))
            optimiser.zero_grad()
            cross_entropy(logits.flatten(0, 1), wanted.flatten(), ignore_index=IGNORED).backward()
            nn.utils.clip_grad_norm_(probe.parameters(), 1.0)
            optimiser.step()
            rate.step()
    return probe.eval()


def _ended(tags: Int[Tensor, " word"]) -> Int[Tensor, " step"]:
    """The tags as the decoder numbers them, with the end mark behind; unknown ones are not learned."""
    numbered = torch.where(tags >= 0, tags + SPECIALS, torch.full_like(tags, IGNORED))
    return torch.cat([numbered, tags.new_full((1,), END)])


def _batches(data: Sentences, sentences: int, chance: np.random.Generator) -> list[np.ndarray]:
    """All sentences in batches of about one length, in an order that chance gives."""
    order = chance.permutation(len(data))
    lengths = np.array([len(states) for states in data.states])
    order = order[np.argsort(lengths[order], kind="stable")]
    batches = np.split(order, range(sentences, len(order), sentences))
    return [batches[place] for place in chance.permutation(len(batches))]


@torch.no_grad()
def written(probe: SequenceProbe, data: Sentences, sentences: int = 128) -> list[Int[np.ndarray, " _"]]:
    """The tags that the probe writes for each sentence, greedily; without the end mark."""
    found: list[np.ndarray] = [np.empty(0, dtype=np.int64)] * len(data)
    order = np.argsort([len(states) for states in data.states], kind="stable")
    for chosen in np.split(order, range(sentences, len(order), sentences)):
        states, absent = data.padded(chosen)
        tags = torch.full((len(chosen), 1), START, device=states.device)
        for _ in range(states.shape[1] + SLACK):
            following = probe(states, absent, tags)[:, -1].argmax(1)
            # nothing follows the end
            following = torch.where((tags == END).any(1), torch.full_like(following, END), following)
            tags = torch.cat([tags, following[:, None]], dim=1)
            if (following == END).all():
                break
        for place, own in zip(chosen, tags[:, 1:].cpu().numpy(), strict=True):
            ends = np.flatnonzero(own == END)
            found[place] = own[: ends[0]] - SPECIALS if len(ends) else own - SPECIALS
    return found


@dataclass(frozen=True)
class SequenceScore:
    """Precisions, the words that each is of, the share of sentences of the wrong length, and how many there are."""

    precision: float
    words: int
    precision_of_all: float
    words_of_all: int
    length_errors: float
    sentences: int


def score(gold: Sequence[Int[np.ndarray, " _"]], predicted: Sequence[Int[np.ndarray, " _"]]) -> SequenceScore:
    """What the sequences written come to; a precision of no words is not a number."""
    hits = words = all_hits = all_words = wrong = 0
    for own, other in zip(gold, predicted, strict=True):
        shorter = min(len(own), len(other))
        right = int((own[:shorter] == other[:shorter]).sum())
        all_hits, all_words = all_hits + right, all_words + len(own)
        if len(own) == len(other):
            hits, words = hits + right, words + len(own)
        else:
            wrong += 1
    return SequenceScore(
        precision=hits / words if words else float("nan"),
        words=words,
        precision_of_all=all_hits / all_words if all_words else float("nan"),
        words_of_all=all_words,
        length_errors=wrong / len(gold) if len(gold) else float("nan"),
        sentences=len(gold),
    )
