"""One row of the run sheet, from corpus to checkpoint: build, train (or go on training), save."""

import logging
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from headwork.errors import InputError
from headwork.models.batches import TranslationData
from headwork.models.build import build
from headwork.models.checkpoints import read_tokenizer, save, start_from
from headwork.models.provenance import provenance, write_json
from headwork.models.recipe import Recipe
from headwork.models.train import train
from headwork.options import options

log = logging.getLogger(__name__)

OBJECTIVES = ("translation",)


def run_training(
    row: Mapping[str, Any],
    architecture: Mapping[str, Any],
    recipe: Mapping[str, Any],
    corpus_folder: str | Path,
    output_folder: str | Path,
    work_folder: str | Path,
    threads: int = 1,
    init_folder: str | Path | None = None,
    device: str = "auto",
) -> None:
    """Train the model of one row of the run sheet and write its folder.

    Reads tokenizer.json and {train,dev}.{source,target}.txt of `corpus_folder`; writes the model's files
    (`checkpoints.FILES`), history.csv and run.json to `output_folder`. `work_folder` keeps the checkpoints a killed
    training goes on from, and is removed at the end. `init_folder` is the folder of the run whose weights this one
    starts from. Raises `InputError` for anything the user can mend.
    """
    if row["objective"] not in OBJECTIVES:
        raise InputError(f"run '{row['run']}': unknown objective '{row['objective']}'; known: {OBJECTIVES}")
    torch.set_num_threads(threads)
    corpus, output, work = Path(corpus_folder), Path(output_folder), Path(work_folder)
    how = options(Recipe, recipe, f"recipe '{row['recipe']}'")
    tokenizer = read_tokenizer(corpus / "tokenizer.json")
    model = build(architecture, tokenizer, int(row["seed"]))
    if init_folder is not None:
        start_from(model, init_folder)
    longest = min(how.longest, model.config.max_position_embeddings)
    files = {
        split: [corpus / f"{split}.{side}.txt" for side in ("source", "target")] for split in ("train", "dev")
    }
    data, dev = (TranslationData.read(*files[split], tokenizer, longest) for split in ("train", "dev"))
    log.info("%d pairs to train on, %d to watch, %d pieces", len(data), len(dev), len(tokenizer))
    done = train(model, data, dev, recipe, int(row["seed"]), work, device)

    output.mkdir(parents=True, exist_ok=True)
    save(output, model, tokenizer)
    done.history.to_csv(output / "history.csv", index=False, float_format="%.6g")
    write_json(
        output / "run.json",
        provenance(
            {"run": dict(row), "architecture": dict(architecture), "recipe": dict(recipe)},
            [corpus / "tokenizer.json", *files["train"], *files["dev"]],
            data={
                "train_pairs": len(data),
                "train_dropped": data.dropped,
                "dev_pairs": len(dev),
                "dev_dropped": dev.dropped,
                "target_tokens_trained_on": int(done.history["target_tokens"].iloc[-1]),
            },
            parameters=sum(weight.numel() for weight in model.parameters() if weight.requires_grad),
            training=done.facts,
        ),
    )
    shutil.rmtree(work, ignore_errors=True)
