"""One row of the run sheet with the objective `lm` or `mlm` on a corpus: a language model over its source side.

Or a model by name: an architecture that says `model: bert-base-uncased` (or a folder) with a recipe of 0 steps brings
that model in, in its own vocabulary, so that everything after it is the same for both.
"""

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from transformers import PreTrainedTokenizerBase

from headwork.models.architectures.language_model import add_mask, build_language_model
from headwork.models.jobs.finish import finish, finish_untrained
from headwork.models.jobs.pretrain import DEV_SEED
from headwork.models.loading import hub
from headwork.models.loading.checkpoints import read_tokenizer, start_from
from headwork.models.objectives.encoder_batches import EncoderData, MaskedTexts
from headwork.models.objectives.language import LanguageModelling, NextPieces, read_sentences
from headwork.models.objectives.masking import Masking
from headwork.models.objectives.noise import Noise, Pieces
from headwork.models.objectives.output_pieces import limit_outputs
from headwork.models.training.batches import Side
from headwork.models.training.processes import is_main_process, train_in_processes
from headwork.models.training.provenance import provenance
from headwork.models.training.train import train
from headwork.run.frame import Files
from headwork.settings.base import require
from headwork.settings.models import MaskingSettings, NamedModel, Recipe

log = logging.getLogger(__name__)


def language_model_run(input: Files, output: Files, **training: Any) -> None:
    """Train a language model; see `train_language_model`, and `train_in_processes` for `training`.

    `input`: corpus (the corpus's files); init (model.safetensors) of the run that this one starts from, or model
    (model.safetensors) by name, if any. `output`: model (its files), history.csv, run.json.
    """
    train_in_processes(train_language_model, input, output, **training)


def train_language_model(
    row: Mapping[str, Any],
    architecture: Mapping[str, Any],
    recipe: Mapping[str, Any],
    corpus_folder: str | Path,
    output_folder: str | Path,
    work_folder: str | Path,
    threads: int = 1,
    device: str = "auto",
    init_folder: str | Path | None = None,
    model_folder: str | Path | None = None,
) -> None:
    """Train the language model of one row of the run sheet and write its folder.

    Reads tokenizer.json and {train,dev}.source.txt of `corpus_folder`, or a model by name from `model_folder`, where it
    was fetched to; writes the model's files (`checkpoints.ENCODER_FILES`), history.csv and run.json. `work_folder`
    keeps the checkpoints a killed training goes on from, and is removed at the end. Raises InputError for anything the
    user can fix.
    """
    seed = int(row["seed"])
    torch.set_num_threads(threads)
    corpus, output, work = Path(corpus_folder), Path(output_folder), Path(work_folder)
    how, masking = _settings(row, recipe)
    settings = {"run": dict(row), "architecture": dict(architecture), "recipe": dict(recipe)}
    if "model" in architecture:
        require(
            how.steps == 0,
            f"run '{row['run']}': a model by name can only be taken as it is on a parallel corpus; give a recipe of 0 "
            "steps",
        )
        named = NamedModel.read(architecture, "architecture")
        model, tokenizer = hub.load(model_folder or named.model, offline=named.offline)
        finish_untrained(settings, model, tokenizer, output, model_folder, LanguageModelling.counted)
        return
    tokenizer = read_tokenizer(corpus / "tokenizer.json")
    model = build_language_model(architecture, tokenizer, seed, causal=row["objective"] == "lm")
    if row["objective"] == "mlm":
        add_mask(model, tokenizer, seed)
    if init_folder is not None:
        start_from(model, init_folder)
    longest = min(how.longest, model.config.max_position_embeddings)
    files = {split: corpus / f"{split}.source.txt" for split in ("train", "dev")}
    (text, dropped), (dev_text, _) = (
        read_sentences(files[split], tokenizer, longest) for split in ("train", "dev")
    )
    known = np.unique(text.pieces)
    limit_outputs(model, known)
    data, dev = _data(row, tokenizer, how, masking, text, dev_text, known)
    log.info("%d sentences to train on, %d to watch, %d pieces", len(data), len(dev), len(tokenizer))
    goal = LanguageModelling(model, tokenizer, how.label_smoothing)
    done = train(model, data, dev, how, seed, work, device, objective=goal)
    if not is_main_process():
        return

    record = provenance(
        settings,
        [corpus / "tokenizer.json", *files.values()],
        objective={"noise": how.noise} | ({"masking": masking.model_dump()} if masking else {}),
        data={
            "train_sentences": len(data),
            "train_dropped": dropped,
            "dev_sentences": len(dev),
            "tokens_trained_on": int(done.history["tokens"].iloc[-1]),
        },
        parameters=sum(weight.numel() for weight in model.parameters() if weight.requires_grad),
        training=done.facts,
    )
    finish(output, model, tokenizer, done.history, record, work)


def _settings(row: Mapping[str, Any], recipe: Mapping[str, Any]) -> tuple[Recipe, MaskingSettings | None]:
    """The recipe, and for the objective `mlm` how it masks."""
    name = f"the recipe of run '{row['run']}'"
    how = Recipe.read(recipe, name)
    require(how.gates is None, f"{name}: gates are for translation models")
    require(how.segments is None, f"{name}: `segments` are for models of running text; leave them out")
    require(
        (how.start, how.frozen) == ("all", "none"),
        f"{name}: `start` and `frozen` are for translation models, and for encoders that read segments; leave them out",
    )
    if row["objective"] == "lm":
        require(how.masking is None, f"{name}: it masks, which is not for the objective lm")
        return how, None
    require(how.noise == 0, f"{name}: it has noise, which is for the objectives lm and translation")
    return how, how.masking or MaskingSettings()


def _data(
    row: Mapping[str, Any],
    tokenizer: PreTrainedTokenizerBase,
    how: Recipe,
    masking: MaskingSettings | None,
    text: Side,
    dev_text: Side,
    known: Pieces,
) -> tuple[EncoderData, EncoderData]:
    """What is trained on and what is watched; dev has no noise, and is masked in one way whatever the seed.

    What stands in the place of a piece is drawn from those `known`, which the text has: the vocabulary has the target's
    too, where in Voita et al. 2019b the source has its own.
    """
    seed = int(row["seed"])
    if masking is None:
        noise = Noise(tokenizer, how.noise, known) if how.noise else None
        return NextPieces(text, seed, noise), NextPieces(dev_text, DEV_SEED)
    masks = Masking(tokenizer, masking)
    masks.only(known)
    return MaskedTexts(text, seed, masks), MaskedTexts(dev_text, DEV_SEED, masks)
