"""What one encoder's layers know of dependency trees: distance and depth probes, in one job (Hewitt and Manning 2019).

Probes are trained on the training part of a treebank and scored on its dev part. The layer of table 1 and of the
control is the one with the highest UUAS on a share of the training sentences that no probe is trained on.

    states       every layer, 0 the embeddings; and the chosen layer for each rank of B
    permuted     the chosen layer, trained and scored on trees whose words have changed places
    embeddings   the model's embedding table: neither context nor position
    decayed      their mean over the sentence, weighted by 2^-distance
    linear       the chain of the words; its depth is the place in the sentence
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float
from torch import Tensor
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from headwork.errors import InputError
from headwork.models.loading import hub
from headwork.parses.conllu import Sentence, whole_trees
from headwork.representations.probes import tree_scores
from headwork.representations.probes.structural import (
    DEPTH,
    DISTANCE,
    LOSSES,
    Example,
    StructuralProbe,
    distances_of,
    permuted,
    predicted,
    train,
)
from headwork.representations.states.annotated_words import layers_of
from headwork.representations.states.hidden_states import States, extract, reader_of
from headwork.representations.states.words import (
    sentences_in,
    split_by_sentence,
    word_embeddings,
    word_vectors,
)
from headwork.run.frame import Files, folder_of
from headwork.run.outputs import write_examples, write_table
from headwork.settings.base import require
from headwork.settings.representations import StatesOnDisk, StructuralProbing

FEWEST = 10  # sentences of either part
COLUMNS = ("representation", "layer", "rank", "part", "measure", "value", "low", "high", "n", "chosen")
TEST, VALIDATION = "test", "validation"
DECAYED = "decayed"

Points = Float[np.ndarray, "_ size"]


def structural_run(input: Files, output: Files, settings: StructuralProbing, device: str = "cpu") -> None:
    """Train all probes and write their scores.

    `input`: model (its files), train_trees and dev_trees (CoNLL-U). `output`: table (csv: `COLUMNS`, trained_on),
    examples (json: the trees and depths that the probes predict of a few sentences). Raises InputError for files
    without trees, or with too few for a probe, and for a layer that the model lacks.
    """
    model, tokenizer = hub.load(folder_of(input.model))
    model = model.to(device)
    layers, job = layers_of(model, settings.layers), _Job(settings, device)
    with TemporaryDirectory() as folder:
        learned = _Part.read(model, tokenizer, input.train_trees, settings.sentences, Path(folder, "train"))
        scored = _Part.read(model, tokenizer, input.dev_trees, settings.dev_sentences, Path(folder, "dev"))
        order = np.random.default_rng(settings.seed).permutation(len(learned.sentences)).tolist()
        held_out = max(1, round(settings.validation * len(order)))
        validation, trained_on = sorted(order[:held_out]), sorted(order[held_out:])
        rows, probes = [], {}
        for layer in layers:
            own, test = learned.layer(layer), scored.layer(layer)
            seen = [own[place] for place in trained_on]
            probes[layer] = {target: job.train(seen, target) for target in LOSSES}
            rows += job.rows("states", probes[layer], test, layer)
            selecting = {DISTANCE: probes[layer][DISTANCE]}
            rows += job.rows("states", selecting, [own[place] for place in validation], layer, VALIDATION)
        best = _best(rows)
        own, test = learned.layer(best), scored.layer(best)
        seen = [own[place] for place in trained_on]
        for rank in settings.ranks:
            if rank <= seen[0].states.shape[2]:
                rows += job.rows("rank", {DISTANCE: job.train(seen, DISTANCE, rank)}, test, best)
        chance = np.random.default_rng(settings.seed)
        seen, moved = ([permuted(each, chance) for each in part] for part in (seen, test))
        rows += job.rows("permuted", {target: job.train(seen, target) for target in LOSSES}, moved, best)
        table_of_pieces = reader_of(model).get_input_embeddings().weight.detach().float().cpu().numpy()
        for name, spread in (("embeddings", lambda vectors: vectors), (DECAYED, decayed)):
            own, plain = (part.without_context(table_of_pieces, spread) for part in (learned, scored))
            seen = [own[place] for place in trained_on]
            without = {target: job.train(seen, target) for target in LOSSES}
            rows += job.rows(name, without, plain, None)
    rows += job.chain(scored.sentences)
    found = pd.DataFrame(rows, columns=list(COLUMNS[:-1])).astype({"layer": "Int64", "rank": "Int64"})
    chosen_layer = found["layer"].eq(best).fillna(False)
    write_table(output.table, found.assign(chosen=chosen_layer, trained_on=len(trained_on)))
    shown = [
        _example(test[place], probes[best], plain[place], without, best)
        for place in _shown(scored.sentences, settings)
    ]
    write_examples(output.examples, shown)


class _Part(NamedTuple):
    """The sentences of a part of a treebank, their trees' distances, and their hidden states on disk.

    The states of one layer at a time are in memory, 4 bytes for each word and dimension.
    """

    sentences: list[Sentence]
    distances: list[Float[Tensor, "word word"]]
    states: States

    @classmethod
    def read(
        cls,
        model: PreTrainedModel,
        tokenizer: PreTrainedTokenizerBase,
        path: Path,
        most: int | None,
        folder: Path,
    ) -> "_Part":
        """At most `most` sentences of two words or more, for which the model has positions."""
        sentences = [each for each in islice(whole_trees(path), most) if len(each) > 1]
        if len(sentences) < FEWEST:
            message = f"{len(sentences)} sentences of two words or more are too few for a probe; give {FEWEST} or more"
            raise InputError.at(path, message)
        lines = (" ".join(sentence.forms) for sentence in sentences)
        extract(model, tokenizer, lines, folder, StatesOnDisk(), name=str(path))
        found = States(folder)
        kept = [sentences[place] for place in sentences_in(found)]
        return cls(kept, [distances_of(sentence) for sentence in kept], found)

    def layer(self, number: int) -> list[Example]:
        """The sentences with their words' states in that layer."""
        return self._examples(word_vectors(self.states, number), lambda vectors: vectors)

    def without_context(
        self, table: Float[np.ndarray, "piece size"], spread: Callable[[Points], Points]
    ) -> list[Example]:
        """The sentences with embeddings of their words, changed by a function of the sentence."""
        return self._examples(word_embeddings(self.states, table), spread)

    def _examples(self, vectors: Points, spread: Callable[[Points], Points]) -> list[Example]:
        parts = split_by_sentence(self.states, vectors)
        return [
            Example(sentence, torch.from_numpy(spread(own))[None], distances)
            for sentence, own, distances in zip(self.sentences, parts, self.distances, strict=True)
        ]


def decayed(vectors: Points) -> Points:
    """For each word the mean of its sentence's vectors, weighted by 2^-|i - j| (the paper's Decay0)."""
    places = np.arange(len(vectors))
    weights = 0.5 ** np.abs(np.subtract.outer(places, places))
    return (weights / weights.sum(1, keepdims=True)).astype(vectors.dtype) @ vectors


def _best(rows: Sequence[tuple[Any, ...]]) -> int:
    """The layer with the highest UUAS on the validation sentences."""
    found = pd.DataFrame(rows, columns=list(COLUMNS[:-1]))
    found = found[(found["part"] == VALIDATION) & (found["measure"] == "uuas")]
    return int(found.loc[found["value"].idxmax(), "layer"])


class _Job:
    """Trains probes and scores them, with the settings of a run."""

    def __init__(self, settings: StructuralProbing, device: str) -> None:
        self.settings, self.device = settings, device

    def train(self, examples: Sequence[Example], target: str, rank: int | None = None) -> StructuralProbe:
        """A probe of the config's rank, or another."""
        own = self.settings.probe if rank is None else self.settings.probe.model_copy(update={"rank": rank})
        return train(examples, own, f"{target} probe", self.device, target)

    def rows(
        self,
        representation: str,
        probes: Mapping[str, StructuralProbe],
        examples: Sequence[Example],
        layer: int | None,
        part: str = TEST,
    ) -> list[tuple[Any, ...]]:
        """The rows of the table for probes of one layer, or of one baseline."""
        sentences = [example.sentence for example in examples]
        rows = []
        for target, probe in probes.items():
            found = [predicted(probe, example, target)[0] for example in examples]
            scores = self.scores(target, found, _gold(examples, target), sentences)
            rows += [(representation, layer, probe.transform.shape[1], part, *each) for each in scores]
        return rows

    def scores(
        self,
        target: str,
        found: tree_scores.Matrices,
        gold: tree_scores.Matrices,
        sentences: Sequence[Sentence],
    ) -> list[tuple[str, float, float, float, int]]:
        """measure, value, its interval, and the number of arcs or sentences that it is of."""
        lengths = np.array([len(sentence) for sentence in sentences])
        values = tree_scores.correlations(found, gold)
        fit = int(((lengths >= tree_scores.SHORTEST) & (lengths <= tree_scores.LONGEST)).sum())

        def correlation(chosen: np.ndarray) -> float:
            return tree_scores.mean_of_lengths(values[chosen], lengths[chosen])

        if target == DISTANCE:
            hits = tree_scores.found_arcs(found, sentences)
            require(int(hits[:, 1].sum()) > 0, "structural: no arc between two words is left to score on")

            def share(chosen: np.ndarray) -> float:
                right, count = hits[chosen].sum(0)
                return right / max(count, 1)

            return [
                self._row("uuas", share, len(hits), int(hits[:, 1].sum())),
                self._row("dspr", correlation, len(hits), fit),
            ]
        roots = tree_scores.found_roots(found, sentences)
        return [
            self._row("root", lambda chosen: float(roots[chosen].mean()), len(roots), len(roots)),
            self._row("nspr", correlation, len(roots), fit),
        ]

    def _row(
        self, name: str, statistic: Callable[[np.ndarray], float], sentences: int, count: int
    ) -> tuple[str, float, float, float, int]:
        low, high = tree_scores.resampled(statistic, sentences, self.settings.draws, self.settings.seed)
        return name, statistic(np.arange(sentences)), low, high, count

    def chain(self, sentences: Sequence[Sentence]) -> list[tuple[Any, ...]]:
        """The rows of the linear baseline."""
        places = [np.arange(len(sentence), dtype=float) for sentence in sentences]
        apart = [np.abs(np.subtract.outer(each, each)) for each in places]
        trees = [Example.of(sentence, torch.zeros(1, len(sentence), 0)) for sentence in sentences]
        scores = [
            row
            for target, found in ((DISTANCE, apart), (DEPTH, places))
            for row in self.scores(target, found, _gold(trees, target), sentences)
        ]
        return [("linear", None, None, TEST, *row) for row in scores]


def _gold(examples: Sequence[Example], target: str) -> tree_scores.Matrices:
    """The distances, or depths, of the trees."""
    return [(each.distances if target == DISTANCE else each.depths).double().numpy() for each in examples]


def _shown(sentences: Sequence[Sentence], settings: StructuralProbing) -> list[int]:
    """The sentences shown, the same for all models: those whose chain of words has nearly its usual UUAS."""
    arcs = [tree_scores.arcs(sentence) for sentence in sentences]
    near = np.array([np.mean([abs(arc[0] - arc[1]) == 1 for arc in own]) if own else np.nan for own in arcs])
    fit = [place for place, own in enumerate(arcs) if own]
    fit = [place for place in fit if settings.shortest <= len(sentences[place]) <= settings.longest]
    away = np.abs(near - np.nanmean(near))
    return sorted(fit or range(len(sentences)), key=lambda place: (away[place], place))[: settings.examples]


def _example(
    states: Example,
    probes: Mapping[str, StructuralProbe],
    plain: Example,
    without: Mapping[str, StructuralProbe],
    layer: int,
) -> dict[str, Any]:
    """One sentence: its tree, and what the chosen layer and the decayed embeddings predict of it."""
    sentence = states.sentence
    shown = {
        "words": sentence.forms,
        "heads": [word.head for word in sentence.words],
        "relations": [word.deprel for word in sentence.words],
        "layer": layer,
    }
    for name, own, example in (("states", probes, states), (DECAYED, without, plain)):
        distances = predicted(own[DISTANCE], example)[0]
        shown[name] = {
            "distances": np.round(distances, 4).tolist(),
            "depths": np.round(predicted(own[DEPTH], example, DEPTH)[0], 4).tolist(),
            "arcs": sorted(sorted(arc) for arc in tree_scores.spanning_tree(distances, sentence)),
        }
    return shown
