"""One fine-tuned run with each of its heads, and each of its layers, disabled: the task's score on full dev sets."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from torch import Tensor, nn

from headwork.corpora.annotated.glue import TASKS
from headwork.models.loading import hub
from headwork.models.objectives.encoder_batches import EncoderCollator
from headwork.models.objectives.finetuning import answers, check_length, read_dev, task_of
from headwork.models.scoring.glue import changes
from headwork.models.training.batches import TokenBudget
from headwork.pruning.disabling import Disabled, answers_without
from headwork.run.frame import Files, folder_of
from headwork.run.outputs import write_table
from headwork.settings.models import TaskSettings
from headwork.settings.pruning import DisablingSettings

WHOLE_LAYER = 0


def disable_run(
    input: Files,
    output: Files,
    task: TaskSettings,
    settings: DisablingSettings,
    device: str = "cpu",
) -> None:
    """Disable the heads of a fine-tuned run one by one, then its layers, and write what the task's score comes to.

    Input: model (its files) and task (its folder or files). Output: table (csv), with a row for each dev split, way,
    and head (`WHOLE_LAYER`: all heads of the layer): kind, layer, head, method, split, metric, value, change, low, high
    (of the change, paired bootstrap), n. Raises `InputError` as `read_dev` does, and for examples longer than the model
    can read.
    """
    model, tokenizer = hub.load(folder_of(input.model))
    goal = task_of(model, TASKS[task.task], folder_of(input.model))
    check_length("disabling", settings.longest, model)
    model.to(device)
    collator = EncoderCollator(tokenizer, types="token_type_ids" in tokenizer.model_input_names)
    tables = []
    for split in task.dev or goal.dev:
        data = read_dev(folder_of(input.task), goal, split, tokenizer, settings.longest)
        order = TokenBudget(data, settings.tokens, 1, seed=0).one_pass(0)
        batches = (_inputs(collator, [data[number] for number in part.tolist()], device) for part in order)
        whole = np.zeros((len(data), model.config.num_labels), dtype=np.float32)
        without: dict[Disabled, np.ndarray] = {}
        found = answers_without(
            model, batches, _logits, settings.ways, places=(0,), progress=f"disable {split}"
        )
        for numbers, (own, others) in zip(order, found, strict=True):
            whole[numbers] = own
            for variant, logits in others.items():
                without.setdefault(variant, np.zeros_like(whole))[numbers] = logits
        table = changes(
            goal,
            data.labels,
            answers(goal, whole),
            {variant: answers(goal, logits) for variant, logits in without.items()},
            settings.scoring,
        )
        places = pd.DataFrame(
            [(*variant.site, variant.head or WHOLE_LAYER, variant.way) for variant in table.index],
            columns=["kind", "layer", "head", "method"],
        ).assign(split=split, metric=goal.metrics[0])
        tables.append(pd.concat([places, table.reset_index(drop=True)], axis=1))
    write_table(output.table, pd.concat(tables, ignore_index=True))


def _inputs(collator: EncoderCollator, rows: list[Any], device: str) -> dict[str, Tensor]:
    return {name: tensor.to(device) for name, tensor in collator(rows).items() if name != "labels"}


def _logits(model: nn.Module, batch: Mapping[str, Tensor]) -> np.ndarray:
    return model(**batch).logits.float().cpu().numpy()
