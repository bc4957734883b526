"""Dependency trees induced from single heads (Raganato & Tiedemann 2018).

A head's map between words is a weighted graph, and the tree is its maximum spanning arborescence (Chu & Liu 1965,
Edmonds 1967) with the gold root:

    tree(head) = argmax over trees T rooted at r of  Σ over arcs (j is the head of i) of T of  s(i, j)

    dependent-to-head    s(i, j) = A[i, j]        a word attends to its head
    head-to-dependent    s(i, j) = A[j, i]        a word attends to its dependents

with A[i, j] what word i gives to word j: mean over the pieces of i, sum over those of j
(`headwork.heads.streaming.word_attention`). The score is the share of words, the root left out, whose head is the
right word. Tokens and root are gold, so precision and recall are the same: it is UAS and its F1 at once.
"""

from collections.abc import Iterable
from itertools import islice

import numpy as np
import pandas as pd
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from ufal.chu_liu_edmonds import chu_liu_edmonds

from headwork.errors import InputError
from headwork.heads.statistics.target_positions import Places
from headwork.heads.streaming.batches import Batch, single_batches
from headwork.heads.streaming.measure import measure
from headwork.heads.streaming.parsed import parsed_texts
from headwork.heads.streaming.site_weights import Look, Reduction
from headwork.heads.streaming.tally import Tally
from headwork.heads.streaming.word_attention import WordLevel
from headwork.heads.syntax.dependency import ALL, NO_PUNCTUATION, PUNCT
from headwork.heads.syntax.directions import DIRECTIONS
from headwork.lens.anatomy import anatomy
from headwork.models.loading import hub
from headwork.parses.conllu import Sentence, whole_trees
from headwork.parses.scores import main_label
from headwork.representations.states.hidden_states import reader_of
from headwork.run.frame import Files, folder_of
from headwork.run.outputs import write_table
from headwork.settings.representations import InducedTreeSettings
from headwork.sites import Site

ROOT = -1
KEYS = tuple(f"{words}/{way}" for words in (ALL, NO_PUNCTUATION) for way in DIRECTIONS)

Scores = Float[np.ndarray, "dependent head"]
Heads = Int[np.ndarray, " word"]
Scored = Bool[np.ndarray, " word"]  # words that are no punctuation


def arborescence(scores: Scores, root: int) -> Heads:
    """The head of each word, counted from 0, in the tree of highest total score that hangs from `root` (whose is -1).

    `scores[i, j]` is what an arc from dependent i to head j is worth; they must be 0 or more.
    """
    words = len(scores)
    order = np.r_[root, np.delete(np.arange(words), root)]
    # the same is added to all arcs, for the algorithm leaves out those of no weight; every tree has as many arcs
    moved = (scores + 1.0)[np.ix_(order, order)].astype(np.float64)
    moved[0] = np.nan
    np.fill_diagonal(moved, np.nan)
    found, _ = chu_liu_edmonds(moved)
    heads = np.full(words, ROOT)
    heads[order[1:]] = order[np.asarray(found[1:], dtype=np.int64)]
    return heads


class InducedTrees:
    """The statistic `tree`: the UAS of each head's trees, both ways, with and without punctuation."""

    def __init__(self, from_pieces: str = "mean") -> None:
        self.from_pieces = from_pieces
        self.reductions: tuple[Reduction, ...] = (self._words,)
        self._tally = Tally("tree", KEYS)
        self._level: dict[str, WordLevel] = {}
        self._trees: dict[str, list[tuple[Heads, Scored]]] = {}

    def start(self, batch: Batch) -> None:
        """Gather the gold trees; raises InputError for a word without a head."""
        self._level, self._trees = {}, {}
        for kind, side in batch.queries.items():
            if side.sentences is not None and batch.same_text(kind):
                self._level[kind] = WordLevel.of(side, self.from_pieces)
                self._trees[kind] = [gold(sentence) for sentence in side.sentences]

    def _words(self, look: Look) -> Float[Tensor, "batch word head word"]:
        """The maps between all words; nothing where there are no trees."""
        if look.site.kind not in self._level:
            return look.weights.new_zeros(len(look.weights), 0, look.weights.shape[1], 0)
        return self._level[look.site.kind].maps(look.weights, look.rows)

    def update(self, site: Site, maps: Float[Tensor, "batch word head word"]) -> None:
        """Induce the trees of one site's heads, and count the words with the right head."""
        if site.kind not in self._trees:
            return
        maps = maps.permute(0, 2, 1, 3).double().cpu().numpy()
        hits, counts = np.zeros((maps.shape[1], len(KEYS))), np.zeros(len(KEYS), dtype=np.int64)
        for own, (heads, scored) in zip(maps, self._trees[site.kind], strict=True):
            words, root = len(heads), int(np.flatnonzero(heads == ROOT)[0])
            hanging = heads != ROOT
            counted = np.repeat([hanging.sum(), (hanging & scored).sum()], len(DIRECTIONS))
            counts += counted
            for head, weights in enumerate(own[:, :words, :words]):
                right = [(arborescence(scores, root) == heads) & hanging for scores in (weights, weights.T)]
                hits[head] += [each.sum() for each in right] + [(each & scored).sum() for each in right]
        self._tally.add(site, torch.from_numpy(hits), torch.from_numpy(counts))

    def table(self) -> pd.DataFrame:
        """One row per head, set of words and way."""
        return self._tally.table()


def gold(sentence: Sentence) -> tuple[Heads, Scored]:
    """Each word's head, counted from 0 (-1: the root), and which words are no punctuation.

    Raises InputError for a word without a head; that the sentence is a tree, its reader has seen to.
    """
    for word in sentence.words:
        if word.head is None:
            raise InputError(f"induced trees: {word.form!r} of {sentence.text!r} has no head; parse the text")
    heads = np.array([word.head - 1 for word in sentence.words])
    return heads, np.array([main_label(word.deprel) != PUNCT for word in sentence.words])


def branching(words: int, root: int, offset: int) -> Heads:
    """The tree in which the head of every word is its neighbour at `offset` (+1 or -1), or the root."""
    heads = np.arange(words) + offset
    heads[(heads < 0) | (heads >= words)] = root
    heads[root] = ROOT
    return heads


def baselines(sentences: Iterable[Sentence], draws: int = 5, seed: int = 0) -> pd.DataFrame:
    """What trees without a model come to: baseline, key (which words), value, count.

    ``right-branching``: the head of every word is the next one; ``left-branching``: the one before. They are named by
    where the arcs lead, for the literature uses the two names both ways. ``random``: the trees of maps of random
    weights, `draws` a sentence.
    """
    chance = np.random.default_rng(seed)
    offsets = {"right-branching": 1, "left-branching": -1}
    hits = {name: np.zeros(2) for name in (*offsets, "random")}
    counts = np.zeros(2, dtype=np.int64)
    for sentence in sentences:
        heads, scored = gold(sentence)
        root, hanging = int(np.flatnonzero(heads == ROOT)[0]), heads != ROOT
        counts += [hanging.sum(), (hanging & scored).sum()]
        for name, offset in offsets.items():
            hits[name] += _right(branching(len(heads), root, offset), heads, scored)
        for _ in range(draws):
            drawn = arborescence(chance.random((len(heads), len(heads))), root)
            hits["random"] += _right(drawn, heads, scored) / draws
    rows = [
        (name, key, float(hit / count), int(count))
        for name, own in hits.items()
        for key, hit, count in zip((ALL, NO_PUNCTUATION), own, counts, strict=True)
        if count
    ]
    return pd.DataFrame(rows, columns=["baseline", "key", "value", "count"])


def _right(tree: Heads, heads: Heads, scored: Scored) -> Int[np.ndarray, "2"]:
    """How many words but the root have the right head, and how many of them are no punctuation."""
    found = (tree == heads) & (heads != ROOT)
    return np.array([found.sum(), (found & scored).sum()])


def tree_run(input: Files, output: Files, settings: InducedTreeSettings, device: str = "cpu") -> None:
    """Measure the heads of one encoder on a treebank.

    `input`: model (its files), trees (CoNLL-U). `output`: table (parquet: kind, layer, head, statistic (`place`,
    `tree`), key, value, count), baselines (csv: what trees without a model come to: baseline, key, value, count).
    Raises InputError for what is no tree, or no model.
    """
    folder = folder_of(input.model)
    whole, tokenizer = hub.load(folder)
    model = reader_of(whole).to(device)
    if not any(site.kind == "encoder" for site in anatomy(model).sites):
        raise InputError.at(folder, f"a {type(whole).__name__} has no encoder; give a model that has one")
    sentences = list(islice(whole_trees(input.trees), settings.sentences))
    texts = parsed_texts(sentences, tokenizer, whole, input.trees)
    batches = single_batches(texts, "encoder", tokenizer.pad_token_id, settings.tokens)
    statistics = [Places(settings.places), InducedTrees(settings.from_pieces)]
    write_table(output.table, measure(model, batches, statistics, ["encoder"], progress="trees"))
    write_table(
        output.baselines, baselines((text.tree for text in texts), draws=settings.draws, seed=settings.seed)
    )
