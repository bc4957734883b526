"""One fine-tuned run's heads on the dev set of its task: patterns, features, and what fine-tuning changed.

Kovaleva et al. (2019), sections 4.1 and 4.3, figures 1, 2, 5, 6, 7 and 10; and attention to the same token in the
other sentence of a pair (synthesis, figure 4).
"""

import random
from typing import Any

import torch
from torch import Tensor

from headwork.corpora.annotated.glue import TASKS, read_task
from headwork.heads.examples.sentences import DIGITS
from headwork.heads.patterns.rules import PATTERNS, RulePatterns, classes, clear_cut, shares
from headwork.heads.statistics.counterparts import Counterparts
from headwork.heads.statistics.map_changes import MapChanges
from headwork.heads.statistics.surface import Surface
from headwork.heads.statistics.token_classes import token_classes
from headwork.heads.statistics.token_features import TokenFeatures
from headwork.heads.streaming.batches import Batch
from headwork.heads.streaming.measure import measure
from headwork.heads.streaming.task_texts import task_batches, task_texts, trees_of_examples
from headwork.lens.attention import Attended
from headwork.lens.lens import Lens
from headwork.models.loading import hub
from headwork.run.frame import Files, folder_of
from headwork.run.outputs import write_examples, write_table
from headwork.settings.heads import PatternSettings, TaskRunSettings
from headwork.settings.models import TaskSettings


def measure_task(
    input: Files, output: Files, task: TaskSettings, settings: TaskRunSettings, device: str = "cpu"
) -> None:
    """Measure every head of a fine-tuned run on its task's (first) dev set, and against the model it started from.

    Reads the folder of the `model`, that of the model `before` fine-tuning, that of the `task`'s files (`task` is also
    its settings), and, if there are any, the `trees` of the dev set (CoNLL-U; see `trees_of_examples`): without them
    there are no features of words. Writes `statistics` (parquet), and `examples` (json) with the maps of all heads and
    their patterns. Raises InputError for trees that are not of the task, models of different shapes, and as the readers
    do.
    """
    goal = TASKS[task.task]
    split = (task.dev or goal.dev)[0]
    model, tokenizer = hub.load(folder_of(input.model))
    encoder = model.base_model.to(device)
    before = hub.load(folder_of(input.before))[0].base_model.to(device)
    examples = list(read_task(folder_of(input.task), goal, split))
    if settings.examples is not None and len(examples) > settings.examples:
        drawn = random.Random(settings.seed).sample(range(len(examples)), settings.examples)
        examples = [examples[number] for number in sorted(drawn)]
    parsed = trees_of_examples(input.trees) if "trees" in input else None
    texts, seconds, _ = task_texts(examples, tokenizer, settings.longest, parsed, f"{goal.name} {split}")
    types, padding = "token_type_ids" in tokenizer.model_input_names, tokenizer.pad_token_id
    batches = task_batches(texts, seconds, padding, settings.tokens, types)

    known = token_classes(tokenizer)
    statistics = [
        RulePatterns(settings.patterns),
        Surface(known),
        TokenFeatures(known, settings.features),
        Counterparts(),
        MapChanges(before, encoder, settings.include_padding),
    ]
    table = measure(encoder, batches, statistics, progress="heads on the task")
    least, most = settings.readable
    readable = [number for number, text in enumerate(texts) if least <= len(text) <= most]
    shown = []
    for number in (readable or range(len(texts)))[: settings.shown]:
        (batch,) = task_batches([texts[number]], [seconds[number]], padding, settings.longest, types)
        pieces = tokenizer.convert_ids_to_tokens(texts[number].pieces.ids)
        maps = _maps(encoder, batch, settings.patterns)
        shown.append({"pieces": pieces, "second": seconds[number], **maps})
    write_table(output.statistics, table)
    write_examples(output.examples, shown)


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
