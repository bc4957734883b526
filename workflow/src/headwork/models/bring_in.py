"""A model by name as a run, taken as it is: nothing is trained, and no part that it lacks is made up."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from headwork.models.checkpoints import WEIGHTS, save
from headwork.models.provenance import provenance
from headwork.models.train import HISTORY
from headwork.outputs import write_json, write_table


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
    output.mkdir(parents=True, exist_ok=True)
    save(output, model, tokenizer)
    write_table(output / "history.csv", pd.DataFrame(columns=["step", counted, *HISTORY]))
    files = [Path(model_folder) / WEIGHTS] if model_folder else []
    write_json(output / "run.json", provenance(settings, files, **facts))
