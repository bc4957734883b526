"""The two classifiers of attention patterns beside each other, on maps of all fine-tuned runs of a study.

Kovaleva et al. (2019), section 4.1, labelled 400 maps by hand and trained a network on them; neither was released.
Here the network (`headwork.heads.patterns.network`) learns from the maps that the rules
(`headwork.heads.patterns.rules`) find clear-cut, and both are compared with each other on all maps, and with people
on maps that were labelled by hand.

Labels by hand are a table of indices, no pictures: run, weights (the first digits of the SHA-256 of the run's weights),
example (its place in the file of the dev set), layer, head, pattern. Labels of other weights are of other maps: they
are left out.
"""

import csv
import logging
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import torch
from sklearn.metrics import f1_score
from torch import Tensor
from transformers import PreTrainedModel

from headwork.corpora.annotated.glue import TASKS, read_task
from headwork.corpora.sources.hashes import sha256
from headwork.errors import InputError
from headwork.heads.patterns.network import agreement, classify, cross_validate, learn, square
from headwork.heads.patterns.rules import PATTERNS, classes, clear_cut, shares
from headwork.heads.streaming.batches import Batch
from headwork.heads.streaming.task_texts import task_batches, task_texts
from headwork.lens.attention import Attended
from headwork.lens.lens import Lens
from headwork.models.loading import hub
from headwork.models.loading.checkpoints import WEIGHTS
from headwork.run.frame import Files, folder_of
from headwork.run.outputs import write_json, write_table
from headwork.settings.heads import PatternRunSettings
from headwork.settings.models import TaskSettings
from headwork.sites import Head

log = logging.getLogger(__name__)

LABELLED = ("run", "weights", "example", "layer", "head", "pattern")
RULES, NETWORK = "rules", "network"


class Source(NamedTuple):
    """A fine-tuned run: its name, the folder of its model, that of its task, and the task's settings."""

    run: str
    model: Path
    task_folder: Path
    task: Mapping[str, Any]


class Place(NamedTuple):
    """Which map: of which run, of which example of the dev set, of which head."""

    run: str
    example: int
    head: Head


class Label(NamedTuple):
    """What a person called a map, and the line that says so."""

    line: int
    place: Place
    pattern: str


class _Maps(NamedTuple):
    """Maps as squares, and the number of the class that the rules give them; -1 is not asked of them."""

    places: list[Place]
    squares: list[Tensor]
    rules: list[int]
    clear: list[bool]


def classify_maps(
    input: Files,
    output: Files,
    runs: Sequence[Mapping[str, Any]],
    settings: PatternRunSettings,
    device: str = "cpu",
) -> None:
    """Train the network, classify the maps of all runs with it and with the rules, and write what comes of it.

    Of each of `runs` (its name `run`, and the settings of its `task`) it reads a file of `weights` and one of `tasks`,
    which lie in the folders of the model and of the task; and, if there is one, the table `by_hand` of labels. Writes

        table  (csv) run, pattern, classifier, share, count
        facts  (json) the network's macro F1 and that of each class on clear-cut maps that it has not seen
               (cross-validation), how often the two classifiers agree, and, of maps labelled by hand, how many there
               are and each classifier's macro F1

    If clear-cut maps are of fewer than two patterns there is no network, and `f1` is null. Raises InputError for labels
    of maps that do not exist, and as the readers do.
    """
    sources = [
        Source(run["run"], folder_of(weights), folder_of(task), run["task"])
        for run, weights, task in zip(runs, input.weights, input.tasks, strict=True)
    ]
    by_hand = input.by_hand if "by_hand" in input else None
    labels = [] if by_hand is None else read_labels(by_hand, sources)
    found, labelled = _Maps([], [], [], []), _Maps([], [], [], [])
    for source in sources:
        model, texts, numbers = _opened(source, settings, device)
        own = [label for label in labels if label.place.run == source.run]
        known = {index: number for number, index in enumerate(numbers)}
        for label in own:
            _check(label, by_hand, model, known)
        drawn = sorted(
            random.Random(settings.seed).sample(range(len(texts)), min(settings.texts, len(texts)))
        )
        for number in drawn:
            _gather(found, source.run, numbers[number], model, texts[number], settings)
        for index in sorted({label.place.example for label in own}):
            _gather(labelled, source.run, index, model, texts[known[index]], settings)

    squares, rules = torch.stack(found.squares), torch.tensor(found.rules)
    teaching = _teaching(found, settings)
    rows, facts, network = (
        pd.DataFrame({"run": [place.run for place in found.places], RULES: rules}),
        {},
        None,
    )
    if teaching:
        validated = cross_validate(squares[teaching], rules[teaching], settings.network)
        network = learn(squares[teaching], rules[teaching], settings.network)
        rows[NETWORK] = classify(network, squares)
        both = list(zip(found.rules, rows[NETWORK].tolist(), found.clear, strict=True))
        unclear = [(rule, other) for rule, other, clear in both if not clear] or None
        facts = {
            "f1_of_classes": validated.of_classes,
            "agreement": agreement(found.rules, rows[NETWORK].tolist()),
            "agreement_where_not_clear_cut": unclear and agreement(*zip(*unclear, strict=True)),
        }
    write_table(output.table, _shares(rows))
    write_json(
        output.facts,
        {
            "maps": len(squares),
            "clear_cut": int(sum(found.clear)),
            "learned_from": len(teaching),
            "f1": validated.f1 if teaching else None,
            **facts,
            "by_hand": _against_people(labels, labelled, network),
        },
    )


def read_labels(path: str | Path, sources: Sequence[Source]) -> list[Label]:
    """The labels of maps of these runs with these weights; those of other weights are left out, and counted in the log.

    Raises InputError, with file and line, for missing columns, cells that are no numbers, and unknown patterns.
    """
    weights = {source.run: sha256(source.model / WEIGHTS) for source in sources}
    labels, others = [], 0
    with open(path, encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file)
        missing = [name for name in LABELLED if name not in (rows.fieldnames or ())]
        if missing:
            raise InputError.at(path, f"the column(s) {', '.join(missing)} are missing", 1)
        for line, row in enumerate(rows, start=2):
            if row["pattern"] not in PATTERNS:
                known = ", ".join(PATTERNS)
                raise InputError.at(path, f"no pattern '{row['pattern']}'; write one of {known}", line)
            try:
                example, layer, head = (int(row[name]) for name in ("example", "layer", "head"))
            except (TypeError, ValueError):
                raise InputError.at(path, "example, layer and head must be whole numbers", line) from None
            if not row["weights"] or not weights.get(row["run"], "").startswith(row["weights"]):
                others += 1
                continue
            place = Place(row["run"], example, Head("encoder", layer, head))
            labels.append(Label(line, place, row["pattern"]))
    if others:
        log.info("%s: %d labels are of other runs or weights than those here, and left out", path, others)
    return labels


def _opened(
    source: Source, settings: PatternRunSettings, device: str
) -> tuple[PreTrainedModel, list[Batch], list[int]]:
    """The encoder of a run, its task's (first) dev set as batches of one text, and the examples' places in the file."""
    described = TaskSettings.read(source.task, "task")
    goal = TASKS[described.task]
    split = (described.dev or goal.dev)[0]
    model, tokenizer = hub.load(source.model)
    examples = read_task(source.task_folder, goal, split)
    texts, seconds, numbers = task_texts(examples, tokenizer, settings.longest, name=f"{goal.name} {split}")
    types = "token_type_ids" in tokenizer.model_input_names
    batches = [
        batch
        for text, second in zip(texts, seconds, strict=True)
        for batch in task_batches([text], [second], tokenizer.pad_token_id, settings.longest, types)
    ]
    return model.base_model.to(device).eval(), batches, numbers


def _check(label: Label, path: str | Path | None, model: PreTrainedModel, known: Mapping[int, int]) -> None:
    run, example, head = label.place
    layers, heads = model.config.num_hidden_layers, model.config.num_attention_heads
    if example not in known:
        raise InputError.at(
            path, f"{run} has no map of example {example}: its dev set has no such one", label.line
        )
    if not (1 <= head.layer <= layers and 1 <= head.head <= heads):
        shape = f"{layers} layers of {heads} heads"
        raise InputError.at(path, f"{run} has no head {head.layer}-{head.head}, but {shape}", label.line)


def _gather(
    maps: _Maps, run: str, example: int, model: PreTrainedModel, batch: Batch, settings: PatternRunSettings
) -> None:
    """Add the maps of all heads for one text."""
    batch = batch.to(next(model.parameters()).device)
    side = batch.queries["encoder"]
    parts = batch.inputs.get("token_type_ids", torch.zeros_like(side.ids))

    def keep(attended: Attended) -> None:
        own = shares(attended.weights, side.present, parts, settings.patterns)
        maps.rules.extend(classes(own, settings.patterns)[0].tolist())
        maps.clear.extend(clear_cut(own, settings.patterns)[0].tolist())
        for number, weights in enumerate(attended.weights[0], start=1):
            maps.places.append(Place(run, example, attended.site.head(number)))
            maps.squares.append(square(weights, settings.network.side).cpu())

    with Lens(model) as lens, torch.no_grad(), lens.observing(keep):
        model(**batch.inputs)


def _teaching(found: _Maps, settings: PatternRunSettings) -> list[int]:
    """The numbers of clear-cut maps to learn from, some of each class; none if there are not two classes."""
    chance = random.Random(settings.seed)
    chosen: list[int] = []
    for number in range(len(PATTERNS)):
        own = [
            i
            for i, (rule, clear) in enumerate(zip(found.rules, found.clear, strict=True))
            if clear and rule == number
        ]
        if len(own) >= settings.network.folds:
            chosen += chance.sample(own, min(len(own), settings.of_class))
        elif own:
            log.info("only %d clear-cut maps are %s: too few to learn from", len(own), PATTERNS[number])
    if len({found.rules[number] for number in chosen}) < 2:
        log.warning(
            "of %d maps too few are clear-cut to learn two patterns from: there is no network",
            len(found.rules),
        )
        return []
    return sorted(chosen)


def _shares(rows: pd.DataFrame) -> pd.DataFrame:
    """run, pattern, classifier, share, count: of each run's maps those of each pattern, by each classifier."""
    found = [
        (run, pattern, classifier, float((own[classifier] == number).mean()), len(own))
        for run, own in rows.groupby("run", sort=False)
        for classifier in (RULES, NETWORK)
        if classifier in rows
        for number, pattern in enumerate(PATTERNS)
    ]
    return pd.DataFrame(found, columns=["run", "pattern", "classifier", "share", "count"])


def _against_people(labels: Sequence[Label], maps: _Maps, network: torch.nn.Module | None) -> dict[str, Any]:
    """How many labels there are, of which patterns, and each classifier's macro F1 and agreement with them."""
    if not labels:
        return {"labels": 0}
    where = {place: number for number, place in enumerate(maps.places)}
    chosen = [where[label.place] for label in labels]
    given = [PATTERNS.index(label.pattern) for label in labels]
    said = {RULES: [maps.rules[number] for number in chosen]}
    if network is not None:
        said[NETWORK] = classify(network, torch.stack([maps.squares[number] for number in chosen])).tolist()
    there = sorted(set(given))
    facts = {
        name: {
            "f1": float(f1_score(given, answers, labels=there, average="macro", zero_division=0)),
            "agreement": agreement(given, answers),
        }
        for name, answers in said.items()
    }
    counts = {PATTERNS[number]: given.count(number) for number in there}
    return {"labels": len(labels), "of_patterns": counts, **facts}
