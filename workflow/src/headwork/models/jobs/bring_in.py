"""A model by name as a run, taken as it is: nothing is trained, and no part that it lacks is made up."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from headwork.models.jobs.finish import finish
from headwork.models.loading.checkpoints import WEIGHTS
from headwork.models.training.provenance import provenance
from headwork.models.training.train import HISTORY


def bring_in(
    settings: Mapping[str, Any],
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
    output: Path,
    model_folder: str | Path | None,
    counted: str,
    **facts: Any,
) -> None:
    """Write the folder of the run: the model's files, a history without rows, and run.json with `settings` and `facts`.

    `model_folder` is where the model was fetched to, and `counted` what a history calls the tokens of its batches.
    """
    history = pd.DataFrame(columns=["step", counted, *HISTORY])
    files = [Path(model_folder) / WEIGHTS] if model_folder else []
    finish(output, model, tokenizer, history, provenance(settings, files, **facts))
