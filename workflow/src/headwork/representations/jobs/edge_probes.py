"""At which layers one encoder holds the labels of spans: edge probes of every task, in one job (Tenney et al. 2019).

    edge-probes.csv    task, layer, f1 of the probe that mixes layers 0 to it, its interval, weight of the layer in the
                       mix of all, n
    edge-layers.csv    task, quantity (first, last, gain, expected-layer, centre-of-gravity, k-delta, k-s), value, its
                       interval, n
    traces.json        single targets: the probability of the right label, and of the best wrong one, by layer

F1, weights and centres of gravity are medians over seeds. Intervals of what is made of F1 are by bootstrap over
sentences; those of weights and centres of gravity are the range over seeds. The expected layer has no value unless the
gain's interval lies above 0.
"""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float, Int
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from headwork.models.loading import hub
from headwork.parses.labelled_spans import Labelled, read_edges
from headwork.representations.probes import edge_summaries
from headwork.representations.probes.edge import Targets, counts, normalised, probabilities, train_edges
from headwork.representations.states.hidden_states import States, extract
from headwork.representations.states.words import sentences_in
from headwork.run.frame import Files, folder_of
from headwork.run.outputs import write_examples, write_table
from headwork.settings.base import require
from headwork.settings.representations import EdgeProbing, StatesOnDisk

FEWEST = 10  # targets of either part


def edge_run(
    input: Files, output: Files, settings: EdgeProbing, tasks: Sequence[str], device: str = "cpu"
) -> None:
    """Train the probes of every task and write what they find.

    `input`: model (its files), train and test (a file of labelled spans for each of the `tasks`). `output`: scores
    (edge-probes.csv), layers (edge-layers.csv), traces (json), as above. Raises InputError for files without labels of
    a task, with too few, or with a span outside its sentence.
    """
    model, tokenizer = hub.load(folder_of(input.model))
    files = zip(tasks, input.train, input.test, strict=True)
    with TemporaryDirectory() as folder:
        reader = _Reader(model.to(device), tokenizer, Path(folder), settings.probe.layer_norm)
        found = [_task(reader, task, paths, settings) for task, *paths in files]
    write_table(output.scores, pd.concat([each.scores for each in found], ignore_index=True))
    write_table(output.layers, pd.concat([each.layers for each in found], ignore_index=True))
    traces = [trace for each in found for trace in each.traces]
    write_examples(output.traces, edge_summaries.shown(traces, settings.examples, settings.shown))


class _Found(NamedTuple):
    """What the probes of one task found."""

    scores: pd.DataFrame
    layers: pd.DataFrame
    traces: list[dict[str, Any]]


class _Part(NamedTuple):
    """The sentences of a file that the model has positions for, the tokens of all layers, and where words begin."""

    labelled: list[Labelled]
    states: Float[torch.Tensor, "layer token size"]
    starts: list[Int[np.ndarray, " word"]]
    """The token that each word of a sentence begins with, and the token after its last."""


class _Reader:
    """Reads sentences with a frozen encoder; sentences that several tasks share are read once."""

    def __init__(
        self, model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, folder: Path, layer_norm: bool
    ) -> None:
        self.model, self.tokenizer, self.folder, self.layer_norm = model, tokenizer, folder, layer_norm
        self._folders: dict[str, Path] = {}

    def part(self, labelled: Sequence[Labelled], name: str) -> _Part:
        """The states of all layers for the words of these sentences, in memory."""
        lines = [" ".join("".join(form.split()) for form in each.words) for each in labelled]
        key = "\n".join(lines)
        if key not in self._folders:
            self._folders[key] = self.folder / str(len(self._folders))
            extract(self.model, self.tokenizer, lines, self._folders[key], StatesOnDisk(), name=name)
        found = States(self._folders[key])
        states = torch.stack([found.tensor(layer) for layer in range(found.layers + 1)])
        states = (normalised(states) if self.layer_norm else states).to(self.model.device)
        kept = [labelled[place] for place in sentences_in(found)]
        index = found.index
        rows = np.flatnonzero(index["word"] >= 0)
        new = (np.diff(index[["sentence", "word"]].to_numpy()[rows], axis=0, prepend=-2) != 0).any(1)
        begins = rows[new]
        last = np.flatnonzero(np.diff(index["sentence"].to_numpy()[begins], append=-1))
        ends = begins[last] + index["pieces"].to_numpy()[begins[last]]
        words = np.split(begins, last[:-1] + 1)
        return _Part(kept, states, [np.append(own, end) for own, end in zip(words, ends, strict=True)])


def _task(reader: _Reader, task: str, paths: Sequence[str | Path], settings: EdgeProbing) -> _Found:
    files = zip(_read(task, paths, settings), paths, strict=True)
    learned, scored = (reader.part(each, str(path)) for each, path in files)
    known = sorted({label for each in learned.labelled for edge in each.edges for label in edge.labels})
    chance = np.random.default_rng(settings.seed)
    targets, _, _ = _targets(learned, known, settings.targets, chance)
    gold, missed, of = _targets(scored, known, settings.test_targets, chance)
    for path, own in zip(paths, (targets, gold), strict=True):
        few = f"{path}: {len(own)} spans of {task} are too few for a probe; give {FEWEST} or more"
        require(len(own) >= FEWEST, few)
    layers = learned.states.shape[0]
    seeds = [settings.seed + number for number in range(settings.seeds)]
    name = f"edge probes: {task}"
    probes = train_edges(learned.states, targets, range(layers), seeds, settings.probe, name)
    found = probabilities(probes, scored.states, gold).reshape(len(seeds), layers, len(gold), len(known))
    right = counts(found.reshape(len(seeds) * layers, len(gold), len(known)), gold.labels.numpy() > 0, missed)
    sentences, number = np.unique(of, return_inverse=True)
    by_sentence = np.zeros((len(sentences), len(seeds) * layers, 3))
    np.add.at(by_sentence, number, right.transpose(1, 0, 2))
    by_sentence = by_sentence.reshape(len(sentences), len(seeds), layers, 3)
    weights = probes.weights.detach().cpu().numpy().reshape(len(seeds), layers, layers)[:, -1]
    scores, quantities = edge_summaries.tables(by_sentence, weights, settings.draws, settings.seed)
    return _Found(
        scores.assign(task=task, n=len(gold), sentences=len(sentences), labels=len(known)),
        quantities.assign(task=task, layers=layers - 1, n=len(gold)),
        edge_summaries.traces_of(task, scored.labelled, scored.starts, gold, of, known, found.mean(0)),
    )


def _read(
    task: str, paths: Sequence[str | Path], settings: EdgeProbing
) -> tuple[list[Labelled], list[Labelled]]:
    """The sentences with spans, to learn from and to score."""
    own = settings.tasks[task]

    def sentences(path: str | Path, most: int | None) -> list[Labelled]:
        return list(read_edges(path, task, own.form, own.column, own.scheme, most))

    if str(paths[0]) == str(paths[1]):
        every = sentences(paths[0], None)
        border = len(every) * 4 // 5
        learned, scored = every[:border][: settings.sentences], every[border:][: settings.test_sentences]
    else:
        learned = sentences(paths[0], settings.sentences)
        scored = sentences(paths[1], settings.test_sentences)
    if task == "senses":
        learned, scored = _ambiguous(learned, scored, settings.lemmas)
    return learned, scored


def _ambiguous(
    learned: Sequence[Labelled], scored: Sequence[Labelled], most: int
) -> tuple[list[Labelled], list[Labelled]]:
    """Only the senses of the lemmas with most occurrences, of those that are learned with two senses or more."""
    senses: dict[str, Counter[str]] = {}
    for label in (label for each in learned for edge in each.edges for label in edge.labels):
        senses.setdefault(label.partition("%")[0], Counter())[label] += 1
    found = [lemma for lemma, own in senses.items() if len(own) > 1]
    kept = set(sorted(found, key=lambda lemma: (-senses[lemma].total(), lemma))[:most])

    def only(each: Labelled) -> Labelled:
        edges = [edge for edge in each.edges if edge.labels[0].partition("%")[0] in kept]
        return Labelled(each.words, edges, each.line)

    return list(map(only, learned)), list(map(only, scored))


def _targets(
    part: _Part, known: Sequence[str], most: int | None, chance: np.random.Generator
) -> tuple[Targets, Int[np.ndarray, " target"], Int[np.ndarray, " target"]]:
    """Targets, the number of their labels that are not known, and the sentence of each; `most` of them, drawn."""
    number = {label: place for place, label in enumerate(known)}
    every = [(place, edge) for place, each in enumerate(part.labelled) for edge in each.edges]
    drawn = sorted(chance.permutation(len(every))[:most].tolist())
    labels, missed, spans = torch.zeros(len(drawn), len(known)), np.zeros(len(drawn), dtype=np.int64), []
    for row, (place, edge) in enumerate(every[each] for each in drawn):
        spans.append([part.starts[place][list(ends)] for ends in (edge.span, edge.other) if ends])
        for label in edge.labels:
            if label in number:
                labels[row, number[label]] = 1
            else:
                missed[row] += 1
    starts, ends = np.array(spans, dtype=np.int64).reshape(len(drawn), -1, 2).transpose(2, 0, 1)
    targets = Targets(starts, ends - starts, labels)
    return targets, missed, np.array([every[each][0] for each in drawn], dtype=np.int64)
