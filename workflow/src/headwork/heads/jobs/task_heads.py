"""One fine-tuned run's heads on the dev set of its task: patterns, features, and what fine-tuning changed.

Kovaleva et al. (2019), sections 4.1 and 4.3, figures 1, 2, 5, 6, 7 and 10; and attention to the same token in the
other sentence of a pair (synthesis, figure 4).
"""

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from headwork.corpora.annotated.glue import TASKS, read_task
from headwork.heads.examples.sentences import DIGITS
from headwork.heads.patterns.rules import PATTERNS, PatternSettings, RulePatterns, classes, clear_cut, shares
from headwork.heads.statistics.counterparts import Counterparts
from headwork.heads.statistics.map_changes import MapChanges
from headwork.heads.statistics.surface import Surface
from headwork.heads.statistics.token_classes import token_classes
from headwork.heads.statistics.token_features import FeatureSettings, TokenFeatures
from headwork.heads.streaming.batches import Batch
from headwork.heads.streaming.measure import measure
from headwork.heads.streaming.task_texts import task_batches, task_texts, trees_of_examples
from headwork.lens.attention import Attended
from headwork.lens.lens import Lens
from headwork.models.loading import hub
from headwork.models.objectives.glue_tasks import TaskSettings
from headwork.run.outputs import write_examples, write_table
from headwork.settings.options import options, require


@dataclass(frozen=True)
class TaskRunSettings:
    """What is measured of heads on a task.

    `examples` of the dev set at most (the paper: 1000; None: all), drawn by `seed`; `longest` pieces of an example,
    `tokens` of a batch; `include_padding` when maps are compared; `shown`: examples whose maps are kept, of `readable`
    pieces at least and at most; and the parts' settings.
    """

    examples: int | None = 1000
    seed: int = 0
    longest: int = 128
    tokens: int = 4000
    include_padding: bool = False
    shown: int = 1
    readable: tuple[int, ...] = (12, 32)
    patterns: PatternSettings = field(default_factory=PatternSettings)
    features: FeatureSettings = field(default_factory=FeatureSettings)

    def __post_init__(self) -> None:
        require(
            len(self.readable) == 2, f"heads on tasks: readable is {self.readable}; least and most pieces"
        )
        for name in ("longest", "tokens", "shown"):
            require(
                getattr(self, name) > 0,
                f"heads on tasks: {name} is {getattr(self, name)}; it must be 1 or more",
            )


def measure_task(
    model_folder: str | Path,
    before_folder: str | Path,
    task_folder: str | Path,
    task: Mapping[str, Any],
    settings: Mapping[str, Any],
    statistics_path: str | Path,
    examples_path: str | Path,
    trees: str | Path | None = None,
    device: str = "cpu",
) -> None:
    """Measure every head of a fine-tuned run on its task's (first) dev set, and against the model it started from.

    `trees` is CoNLL-U of that set (see `trees_of_examples`): without it there are no features of words. Writes a table
    of statistics, and examples with the maps of all heads and their patterns. Raises InputError for trees that are not
    of the task, models of different shapes, and as the readers do.
    """
    chosen, described = (
        options(TaskRunSettings, settings, "heads on tasks"),
        options(TaskSettings, task, "task"),
    )
    goal = TASKS[described.task]
    split = (described.dev or goal.dev)[0]
    model, tokenizer = hub.load(model_folder)
    encoder = model.base_model.to(device)
    before = hub.load(before_folder)[0].base_model.to(device)
    examples = list(read_task(task_folder, goal, split))
    if chosen.examples is not None and len(examples) > chosen.examples:
        drawn = random.Random(chosen.seed).sample(range(len(examples)), chosen.examples)
        examples = [examples[number] for number in sorted(drawn)]
    parsed = None if trees is None else trees_of_examples(trees)
    texts, seconds, _ = task_texts(examples, tokenizer, chosen.longest, parsed, f"{goal.name} {split}")
    types = "token_type_ids" in tokenizer.model_input_names
    batches = task_batches(texts, seconds, tokenizer.pad_token_id, chosen.tokens, types)

    known = token_classes(tokenizer)
    statistics = [
        RulePatterns(chosen.patterns),
        Surface(known),
        TokenFeatures(known, chosen.features),
        Counterparts(),
        MapChanges(before, encoder, chosen.include_padding),
    ]
    table = measure(encoder, batches, statistics, progress="heads on the task")
    readable = [
        number for number, text in enumerate(texts) if chosen.readable[0] <= len(text) <= chosen.readable[1]
    ] or list(range(len(texts)))
    shown = []
    for number in readable[: chosen.shown]:
        (batch,) = task_batches(
            [texts[number]], [seconds[number]], tokenizer.pad_token_id, chosen.longest, types
        )
        pieces = tokenizer.convert_ids_to_tokens(texts[number].pieces.ids)
        shown.append({"pieces": pieces, "second": seconds[number], **_maps(encoder, batch, chosen.patterns)})
    write_table(statistics_path, table)
    write_examples(examples_path, shown)


def _maps(model: torch.nn.Module, batch: Batch, settings: PatternSettings) -> dict[str, dict[str, Any]]:
    """Of a batch of one text: each head's map, its pattern, and whether it is clear-cut."""
    batch = batch.to(next(model.parameters()).device)
    side = batch.queries["encoder"]
    parts = batch.inputs.get("token_type_ids", torch.zeros_like(side.ids))
    found: dict[str, dict[str, Any]] = {"maps": {}, "patterns": {}, "clear": {}}

    def keep(attended: Attended) -> None:
        own: Tensor = shares(attended.weights, side.present, parts, settings)
        kinds, clear = classes(own, settings)[0].tolist(), clear_cut(own, settings)[0].tolist()
        for place, weights in enumerate(attended.weights[0].double().cpu().numpy().round(DIGITS)):
            head = str(attended.site.head(place + 1))
            found["maps"][head] = weights.tolist()
            found["patterns"][head] = PATTERNS[kinds[place]]
            found["clear"][head] = clear[place]

    with Lens(model) as lens, torch.no_grad(), lens.observing(keep):
        model(**batch.inputs)
    return found
