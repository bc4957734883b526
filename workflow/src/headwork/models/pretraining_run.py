"""One row of the run sheet with the objective `mlm`: from paragraphs to a pretrained encoder.

Or from a model by name: an architecture that says `model: bert-base-uncased` (or a folder) starts from that model, in
its own vocabulary; with 0 steps it is only brought in, so that everything after it is the same for both.
"""

import logging
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
from transformers import (
    AutoModelForMaskedLM,
    BertForPreTraining,
    PreTrainedModel,
    PreTrainedTokenizerBase,
)

from headwork.corpora.segments import SegmentSettings
from headwork.models import hub
from headwork.models.build import build
from headwork.models.checkpoints import WEIGHTS, read_tokenizer, save, start_from
from headwork.models.encoder_batches import EncoderCollator, MaskedSegments
from headwork.models.fetching.named_model import NamedModel
from headwork.models.masking import Masking, MaskingSettings
from headwork.models.pretraining import Pretraining, next_sentence_accuracy
from headwork.models.processes import leads
from headwork.models.provenance import provenance
from headwork.models.recipe import Recipe
from headwork.models.train import train
from headwork.options import options, require
from headwork.outputs import write_json, write_table

log = logging.getLogger(__name__)

DEV_SEED = 0  # dev is cut and masked in one way, whatever the run's seed


@dataclass(frozen=True)
class TextSettings:
    """What a recipe of pretraining says beside its `Recipe`: how segments are cut and masked."""

    segments: Mapping[str, Any] = field(default_factory=dict)
    masking: Mapping[str, Any] = field(default_factory=dict)


def pretrain(
    row: Mapping[str, Any],
    architecture: Mapping[str, Any],
    recipe: Mapping[str, Any],
    segments_folder: str | Path,
    output_folder: str | Path,
    work_folder: str | Path,
    threads: int = 1,
    device: str = "auto",
    init_folder: str | Path | None = None,
    model_folder: str | Path | None = None,
) -> None:
    """Pretrain the encoder of one row of the run sheet and write its folder.

    Reads {train,dev}.txt of `segments_folder` (see `corpora.paragraphs`) and, unless the architecture is a model by
    name, tokenizer.json: its own, or that of `init_folder`, the run that it starts from, whose pieces it goes on in.
    `model_folder` is where a model by name was fetched to. Writes the model's files
    (`checkpoints.ENCODER_FILES`), history.csv and run.json, which says which pieces were masked and whether there was a
    second task. `work_folder` keeps the checkpoints a killed training goes on from, and is removed at the end. Raises
    `InputError` for anything the user can mend.
    """
    name, seed = f"run '{row['run']}'", int(row["seed"])
    require(row["objective"] == "mlm", f"{name}: its objective is '{row['objective']}', not mlm")
    require(row.get("gates", "none") == "none", f"{name}: gates are for translation models; set them to none")
    torch.set_num_threads(threads)
    folder, output, work = Path(segments_folder), Path(output_folder), Path(work_folder)
    how, segments, masking = settings_of(recipe, f"recipe '{row['recipe']}'")
    pieces = Path(init_folder or folder) / "tokenizer.json"
    model, tokenizer = _start(architecture, pieces, seed, model_folder)
    if init_folder is not None:
        start_from(model, init_folder)
    positions = model.config.max_position_embeddings
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
    done = train(model, data, dev, how, seed, work, device, objective=Pretraining(collator))
    if not leads():
        return

    facts: dict[str, Any] = {"next_sentence": second_task}
    if second_task:
        facts["dev_next_sentence_accuracy"] = next_sentence_accuracy(
            model, dev, collator, how.tokens_per_batch
        )
    output.mkdir(parents=True, exist_ok=True)
    save(output, model, tokenizer)
    write_table(output / "history.csv", done.history)
    files = [folder / f"{split}.txt" for split in ("train", "dev")]
    if "model" not in architecture:
        files.append(pieces)
    elif model_folder is not None:
        files.append(Path(model_folder) / WEIGHTS)
    write_json(
        output / "run.json",
        provenance(
            {"run": dict(row), "architecture": dict(architecture), "recipe": dict(recipe)},
            files,
            objective={"segments": asdict(segments), "masking": asdict(masking), **facts},
            data={
                "train_segments": len(data),
                "train_pieces": len(data.source.pieces),
                "dev_segments": len(dev),
                "tokens_trained_on": int(done.history["tokens"].iloc[-1]),
            },
            parameters=sum(weight.numel() for weight in model.parameters()),
            training=done.facts,
        ),
    )
    shutil.rmtree(work, ignore_errors=True)


def settings_of(recipe: Mapping[str, Any], name: str) -> tuple[Recipe, SegmentSettings, MaskingSettings]:
    """A recipe of pretraining: those of training, with `segments` and `masking`, each checked.

    What translation has and pretraining has not is off unless the recipe says so: label smoothing.
    """
    own = {key: value for key, value in recipe.items() if key in ("segments", "masking")}
    rest = {"label_smoothing": 0.0} | {key: value for key, value in recipe.items() if key not in own}
    how, given = options(Recipe, rest, name), options(TextSettings, own, name)
    require(
        not how.label_smoothing and not how.gates, f"{name}: pretraining has no label smoothing and no gates"
    )
    return (
        how,
        options(SegmentSettings, given.segments, f"{name}.segments"),
        options(MaskingSettings, given.masking, f"{name}.masking"),
    )


def _start(
    architecture: Mapping[str, Any], pieces: Path, seed: int, model_folder: str | Path | None
) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    if "model" in architecture:
        named = options(NamedModel, architecture, "architecture")
        return hub.load(model_folder or named.model, AutoModelForMaskedLM, named.offline)
    tokenizer = read_tokenizer(pieces)
    return build(architecture, tokenizer, seed), tokenizer
