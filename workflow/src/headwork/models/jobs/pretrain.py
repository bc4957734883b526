"""One row of the run sheet with the objective `mlm`: from paragraphs to a pretrained encoder.

Or from a model by name: an architecture that says `model: bert-base-uncased` (or a folder, or a package) starts from
that model, in its own vocabulary; with 0 steps it is taken as it is, so that everything after it is the same for both.
A masked-word head that it lacks is new: trained, alone if the recipe has `frozen: encoder`, or with 0 steps left out.
"""

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModel, BertForPreTraining

from headwork.models.architectures.build import build
from headwork.models.architectures.masked_head import (
    has_head,
    load_masked,
    start_from_encoder,
    untrained,
    weights_of_head,
)
from headwork.models.jobs.finish import finish, finish_untrained
from headwork.models.loading import hub
from headwork.models.loading.checkpoints import WEIGHTS, Loaded, read_tokenizer, start_from
from headwork.models.objectives.encoder_batches import EncoderCollator, MaskedSegments
from headwork.models.objectives.masking import Masking
from headwork.models.objectives.pretraining import Pretraining, next_sentence_accuracy
from headwork.models.training.processes import is_main_process, train_in_processes
from headwork.models.training.provenance import provenance
from headwork.models.training.train import train
from headwork.run.frame import Files
from headwork.settings.base import require
from headwork.settings.corpora import SegmentSettings
from headwork.settings.models import MaskingSettings, NamedModel, Recipe

log = logging.getLogger(__name__)

DEV_SEED = 0  # dev is cut and masked in one way, whatever the run's seed


def pretrain_run(input: Files, output: Files, **training: Any) -> None:
    """Pretrain an encoder, or take one as it is; see `pretrain`, and `train_in_processes` for `training`.

    `input`: text ({train,dev}.txt, and tokenizer.json where neither of the others has one); init (model.safetensors,
    and tokenizer.json) of the run that this one starts from, or model (model.safetensors) by name, if any. `output`:
    model (its files), history.csv, run.json.
    """
    train_in_processes(pretrain, input, output, **training)


def pretrain(
    row: Mapping[str, Any],
    architecture: Mapping[str, Any],
    recipe: Mapping[str, Any],
    text_folder: str | Path,
    output_folder: str | Path,
    work_folder: str | Path,
    threads: int = 1,
    device: str = "auto",
    init_folder: str | Path | None = None,
    model_folder: str | Path | None = None,
) -> None:
    """Pretrain the encoder of one row of the run sheet and write its folder.

    Reads {train,dev}.txt of `text_folder` (see `corpora.paragraphs`) and, unless the architecture is a model by
    name, tokenizer.json: its own, or that of `init_folder`, the run that it starts from, whose pieces it goes on in.
    `model_folder` is where a model by name was fetched to. Writes the model's files (`checkpoints.ENCODER_FILES`),
    history.csv and run.json. `work_folder` is as in `train.run_training`.
    """
    name, seed = f"run '{row['run']}'", int(row["seed"])
    torch.set_num_threads(threads)
    folder, output, work = Path(text_folder), Path(output_folder), Path(work_folder)
    how = recipe_of(recipe, f"the recipe of run '{row['run']}'")
    segments, masking = how.segments, how.masking
    pieces = Path(init_folder or folder) / "tokenizer.json"
    settings = {"run": dict(row), "architecture": dict(architecture), "recipe": dict(recipe)}
    model, tokenizer, new = _start(architecture, how, pieces, seed, model_folder, init_folder)
    if new and how.steps == 0:
        require(
            init_folder is None,
            f"{name}: its masked-word head is new, and 0 steps do not train it; give its recipe some",
        )
        log.info(
            "%s has no masked-word head, and gets none; what needs one will say so", architecture["model"]
        )
        found, offline = model_folder or architecture["model"], bool(architecture.get("offline"))
        encoder, tokenizer = hub.load(found, AutoModel, offline)
        finish_untrained(settings, encoder, tokenizer, output, model_folder, Pretraining.counted)
        return
    if how.steps == 0 and not (folder / "dev.txt").stat().st_size:  # a text that is measured alone
        finish_untrained(settings, model, tokenizer, output, model_folder, Pretraining.counted)
        return
    frozen = [model.base_model] if how.frozen == "encoder" else []
    if new:
        trained = "it alone is trained" if frozen else "it is trained with the encoder"
        log.info("the masked-word head is new, and %s: %s", trained, ", ".join(new))
    positions = hub.positions(model)
    require(
        segments.pieces <= positions,
        f"{name}: segments of {segments.pieces} pieces for a model of {positions} positions; lower `pieces`",
    )
    second_task = isinstance(model, BertForPreTraining)
    masks = Masking(tokenizer, masking)
    data, dev = (
        MaskedSegments.read(folder / f"{split}.txt", tokenizer, segments, masks, own_seed, second_task)
        for split, own_seed in (("train", seed), ("dev", DEV_SEED))
    )
    log.info("%d segments to train on, %d to watch, %d pieces", len(data), len(dev), len(tokenizer))
    collator = EncoderCollator(tokenizer, types="token_type_ids" in tokenizer.model_input_names)
    done = train(model, data, dev, how, seed, work, device, frozen=frozen, objective=Pretraining(collator))
    if not is_main_process():
        return

    facts: dict[str, Any] = {
        "next_sentence": second_task,
        "new_head": bool(new),
        "dev_masked_accuracy": float(done.history["dev_accuracy"].dropna().iloc[-1]),
    }
    if second_task:
        facts["dev_next_sentence_accuracy"] = next_sentence_accuracy(
            model, dev, collator, how.tokens_per_batch
        )
    files = [folder / f"{split}.txt" for split in ("train", "dev")]
    if "model" not in architecture:
        files.append(pieces)
    elif model_folder is not None:
        files.append(Path(model_folder) / WEIGHTS)
    record = provenance(
        settings,
        files,
        objective={"segments": segments.model_dump(), "masking": masking.model_dump(), **facts},
        data={
            "train_segments": len(data),
            "train_pieces": len(data.source.pieces),
            "dev_segments": len(dev),
            "tokens_trained_on": int(done.history["tokens"].iloc[-1]),
        },
        parameters=sum(weight.numel() for weight in model.parameters()),
        training=done.facts,
    )
    finish(output, model, tokenizer, done.history, record, work)


def recipe_of(recipe: Mapping[str, Any], name: str) -> Recipe:
    """A recipe of pretraining, with `segments` and `masking`.

    What translation has and pretraining has not is off unless the recipe says so: label smoothing.
    """
    how = Recipe.read({"label_smoothing": 0.0} | dict(recipe), name)
    require(
        not how.label_smoothing and how.gates is None,
        f"{name}: pretraining has no label smoothing and no gates",
    )
    parts = {"segments": how.segments or SegmentSettings(), "masking": how.masking or MaskingSettings()}
    return how.model_copy(update=parts)


def _start(
    architecture: Mapping[str, Any],
    how: Recipe,
    pieces: Path,
    seed: int,
    model_folder: str | Path | None,
    init_folder: str | Path | None,
) -> Loaded:
    """The model before its training; `new` are the weights of its masked-word head, if it does not come with one."""
    if "model" in architecture:
        named = NamedModel.read(architecture, "architecture")
        start = load_masked(model_folder or named.model, seed, named.offline)
        if named.weights == "random":
            start = start._replace(model=untrained(start.model, seed), new=[])
    else:
        tokenizer = read_tokenizer(pieces)
        start = Loaded(build(architecture, tokenizer, seed), tokenizer, [])
    if how.start == "encoder":
        require(init_folder is not None, "recipe: `start` is an encoder, but there is none; name init_run")
        start_from_encoder(start.model, start.tokenizer, init_folder)
        return start._replace(new=weights_of_head(start.model))
    if init_folder is None:
        return start
    require(
        has_head(init_folder),
        f"{init_folder}: has no masked-word head; set `start: encoder` in the recipe, and a new one is trained",
    )
    start_from(start.model, init_folder)
    return start._replace(new=[])
