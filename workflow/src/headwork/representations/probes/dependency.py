"""Probes that read trees off attention, and what they must be compared with (Clark et al. 2019, section 4.4, table 3).

Each gives, for every word j, a distribution over its possible heads i: the sentence's words and the root.

    attention only         p(i | j) ∝ exp(Σ_k w_k A_k[i, j] + u_k A_k[j, i])
    attention and words    the same, with w_k and u_k linear in the words' vectors [v_i; v_j]
    distances and words    no attention: a layer of tanh over [v_i; v_j] and where i stands from j

The root takes the place of a word: its attention is that of the special pieces before and after the sentence, each
times a learned number, and its vector is zero. The authors train for one epoch, one sentence a step, on the summed
cross-entropy, with Adam at 0.002; UAS leaves punctuation out.
"""

import copy
import logging
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path

import pandas as pd
import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, one_hot
from tqdm.auto import tqdm
from transformers import PreTrainedModel

from headwork.corpora.sources.readers import lines
from headwork.heads.streaming.batches import single_batches
from headwork.heads.streaming.parsed import parsed_texts
from headwork.lens.anatomy import anatomy
from headwork.models.loading import hub
from headwork.parses.conllu import Sentence, whole_trees
from headwork.parses.scores import main_label
from headwork.representations.probes.word_maps import PADDING, Parsed, WordMaps
from headwork.representations.probes.word_vectors import WordVectors, read_vectors, train_vectors
from headwork.run.frame import Files, folder_of
from headwork.run.outputs import write_table
from headwork.settings.base import require
from headwork.settings.representations import DependencyProbe, DependencyProbing

Scores = Float[Tensor, "batch word candidate"]


class AttentionProbe(nn.Module):
    """Attention only: two weights for each head, and one for each special piece."""

    def __init__(self, heads: int) -> None:
        super().__init__()
        self.weights = nn.Parameter(torch.zeros(2, heads))
        self.root = nn.Parameter(torch.ones(2))

    def forward(self, parsed: Parsed) -> Scores:
        """The score of each candidate head: the root, then the words."""
        from_head, from_dependent = self.weights
        words = torch.einsum("bkij,k->bji", parsed.maps, from_head)
        words = words + torch.einsum("bkji,k->bji", parsed.maps, from_dependent)
        root = torch.einsum("bkjs,k,s->bj", parsed.from_special, from_head, self.root)
        root = root + torch.einsum("bkjs,k,s->bj", parsed.to_special, from_dependent, self.root)
        return torch.cat([root[:, :, None], words], dim=2)


class AttentionAndWordsProbe(nn.Module):
    """Attention and words: each head's two weights are linear in the vectors of the candidate and of the word."""

    def __init__(self, heads: int, size: int) -> None:
        super().__init__()
        self.heads = heads
        self.of_candidate = nn.Linear(size, 2 * heads, bias=False)
        self.of_word = nn.Linear(size, 2 * heads)
        self.root = nn.Parameter(torch.ones(2))
        for parameter in (*self.of_candidate.parameters(), *self.of_word.parameters()):
            nn.init.zeros_(parameter)

    def forward(self, parsed: Parsed) -> Scores:
        """The score of each candidate head: the root, then the words."""
        candidate = self.of_candidate(parsed.vectors).unflatten(2, (2, self.heads))
        word = self.of_word(parsed.vectors).unflatten(2, (2, self.heads))
        scores = torch.einsum("bkij,bik->bji", parsed.maps, candidate[:, :, 0])
        scores = scores + torch.einsum("bkij,bjk->bji", parsed.maps, word[:, :, 0])
        scores = scores + torch.einsum("bkji,bik->bji", parsed.maps, candidate[:, :, 1])
        scores = scores + torch.einsum("bkji,bjk->bji", parsed.maps, word[:, :, 1])
        # the root's vector is zero, so only the word's own speaks
        root = torch.einsum("bkjs,bjk,s->bj", parsed.from_special, word[:, :, 0], self.root)
        root = root + torch.einsum("bkjs,bjk,s->bj", parsed.to_special, word[:, :, 1], self.root)
        return torch.cat([root[:, :, None], scores], dim=2)


class DistancesAndWordsProbe(nn.Module):
    """The baseline without attention: a hidden layer over both vectors and eight features of their distance."""

    features = 8
    near = 2

    def __init__(self, size: int, hidden: int = 256, seed: int = 0) -> None:
        super().__init__()
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.of_candidate = nn.Linear(size, hidden, bias=False)
            self.of_word = nn.Linear(size, hidden)
            self.of_distance = nn.Linear(self.features, hidden, bias=False)
            self.output = nn.Linear(hidden, 1)

    def forward(self, parsed: Parsed) -> Scores:
        """The score of each candidate head: the root, then the words."""
        candidate = nn.functional.pad(self.of_candidate(parsed.vectors), (0, 0, 1, 0))
        distances = self.of_distance(self.distances(parsed))
        hidden = self.of_word(parsed.vectors)[:, :, None] + candidate[:, None] + distances
        return self.output(torch.tanh(hidden))[..., 0]

    def distances(self, parsed: Parsed) -> Float[Tensor, "batch word candidate 8"]:
        """How far after and before the word the candidate stands (in shares of the sentence), whether it is at -2, -1,
        0, +1 or +2, and whether it is the root.
        """
        place = torch.arange(parsed.heads.shape[1], device=parsed.heads.device)
        offset = place - place[:, None]
        share = offset / parsed.present.sum(1)[:, None, None]
        around = one_hot((offset + self.near + 1).clamp(0, 2 * self.near + 2), 2 * self.near + 3)[..., 1:-1]
        root = torch.zeros_like(share)[..., None]
        around = around.expand(*share.shape, -1).to(share.dtype)
        after, before = share.clamp_min(0)[..., None], -share.clamp_max(0)[..., None]
        of_words = torch.cat([after, before, around, root], dim=-1)
        of_root = one_hot(torch.tensor(self.features - 1, device=place.device), self.features).to(share.dtype)
        return torch.cat([of_root.expand(*share.shape[:2], 1, -1), of_words], dim=2)


def loss(probe: nn.Module, parsed: Parsed) -> Float[Tensor, ""]:
    """The summed cross-entropy of the words' heads."""
    scores = _scores(probe, parsed)
    return cross_entropy(scores.flatten(0, 1), parsed.heads.flatten(), ignore_index=PADDING, reduction="sum")


def _scores(probe: nn.Module, parsed: Parsed) -> Scores:
    """The probe's scores, as low as can be where there is no candidate."""
    there = nn.functional.pad(parsed.present, (1, 0), value=True)
    return probe(parsed).masked_fill(~there[:, None], torch.finfo(torch.float32).min)


def train(
    probes: Sequence[nn.Module],
    sentences: Iterable[Parsed],
    settings: DependencyProbe | None = None,
    progress: str = "",
) -> None:
    """Train probes side by side, in place, on one stream of sentences (a `WordMaps`), which is read once an epoch."""
    settings = settings or DependencyProbe()
    optimisers = [torch.optim.Adam(probe.parameters(), lr=settings.rate) for probe in probes]
    for _ in range(settings.epochs):
        for batch in tqdm(sentences, desc=progress, unit="batch", disable=None if progress else True):
            for parsed in batch.parts(settings.sentences):
                for probe, optimiser in zip(probes, optimisers, strict=True):
                    optimiser.zero_grad()
                    loss(probe, parsed).backward()
                    optimiser.step()


@torch.no_grad()
def uas(probes: Sequence[nn.Module], sentences: Iterable[Parsed]) -> tuple[list[float], int]:
    """Each probe's share of words whose most probable head is the gold one, and the number of words.

    Punctuation is no word here; the root's own head is the root.
    """
    hits, words = [0] * len(probes), 0
    for parsed in sentences:
        words += int(parsed.scored.sum())
        for number, probe in enumerate(probes):
            right = (_scores(probe, parsed).argmax(2) == parsed.heads) & parsed.scored
            hits[number] += int(right.sum())
    require(words > 0, "probes: there is no word to be scored in the text; give sentences with trees")
    return [each / words for each in hits], words


def right_branching(sentences: Iterable[Sentence]) -> float:
    """UAS of a tree in which the head of every word is the next: the share of words, punctuation left out, that do."""
    right = [
        word.head == place + 1
        for sentence in sentences
        for place, word in enumerate(sentence.words, start=1)
        if main_label(word.deprel) != "punct"
    ]
    require(len(right) > 0, "probes: there is no word to be scored in the text; give sentences with trees")
    return sum(right) / len(right)


def with_random_layers(model: PreTrainedModel, seed: int = 0) -> PreTrainedModel:
    """A model with this one's embeddings (of words, positions and segments) and all other weights drawn anew.

    The control of table 3: what a probe can do with attention that was never trained.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        fresh = type(model)(copy.deepcopy(model.config))
    kept = {name: weight for name, weight in model.state_dict().items() if "embed" in name}
    name = type(model).__name__
    require(len(kept) > 0, f"probes: a {name} names no weights as embeddings that could be kept")
    fresh.load_state_dict(kept, strict=False)
    return fresh.to(model.device).eval()


log = logging.getLogger(__name__)


def probe_run(input: Files, output: Files, settings: DependencyProbing, device: str = "cpu") -> None:
    """Train every probe on some trees and score it on others; beside them ``random-attention-and-words``, the second
    with all layers but the embeddings drawn anew, and ``right-branching``: the head of every word is the next.

    `input`: model (its files), train_trees and dev_trees (CoNLL-U), text (that word vectors are learned from, a
    sentence a line). `output`: table (csv: probe, uas, n). Raises InputError for files without trees.
    """
    whole, tokenizer = hub.load(folder_of(input.model))
    model = whole.base_model.to(device)
    files = (input.train_trees, settings.sentences), (input.dev_trees, settings.dev_sentences)
    trees = [list(islice(whole_trees(path), count)) for path, count in files]
    parts = [
        parsed_texts(sentences, tokenizer, model, path)
        for sentences, (path, _) in zip(trees, files, strict=True)
    ]
    batches = [single_batches(part, "encoder", tokenizer.pad_token_id, settings.tokens) for part in parts]
    vectors = _vectors(settings, input.text, [sentence for part in trees for sentence in part])
    heads = sum(part.heads for site, part in anatomy(model).sites.items() if site.kind == "encoder")
    trained = {
        "attention": AttentionProbe(heads),
        "attention-and-words": AttentionAndWordsProbe(heads, vectors.size),
        "distances-and-words": DistancesAndWordsProbe(vectors.size, seed=settings.seed),
    }
    control = {"attention-and-words": AttentionAndWordsProbe(heads, vectors.size)}
    random, rows = with_random_layers(model, settings.seed), []
    for prefix, encoder, probes in (("", model, trained), ("random-", random, control)):
        own = [probe.to(device) for probe in probes.values()]
        streams = [WordMaps(encoder, part, vectors, settings.seed) for part in batches]
        train(own, streams[0], settings.training, progress=f"{prefix}probes")
        found, words = uas(own, streams[1])
        rows += [(f"{prefix}{name}", value, words) for name, value in zip(probes, found, strict=True)]
    rows.append(("right-branching", right_branching([text.tree for text in parts[1]]), rows[0][2]))
    write_table(output.table, pd.DataFrame(rows, columns=["probe", "uas", "n"]))


def _vectors(settings: DependencyProbing, text: Path, sentences: list[Sentence]) -> WordVectors:
    if settings.glove is not None:
        return read_vectors(settings.glove, {word for sentence in sentences for word in sentence.forms})
    return train_vectors((line.text.split() for line in lines(text)), settings.vectors)
