"""One row of the run sheet, from corpus to checkpoint: build, train (or go on training), save."""

import logging
from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import torch
from transformers import PreTrainedModel

from headwork.lens.anatomy import anatomy
from headwork.models.architectures.build import build
from headwork.models.gates.hard_concrete import FixedGates, HeadGates, LearnedGates, heads_with_gates
from headwork.models.gates.removal import check_fit, fold, read_kept
from headwork.models.jobs.finish import finish
from headwork.models.loading.checkpoints import read_tokenizer, start_from
from headwork.models.loading.transfer import encoder_layers, keeping_rows, start_encoder_from
from headwork.models.objectives.noise import Noise, NoisyPairs
from headwork.models.objectives.output_pieces import limit_outputs
from headwork.models.training.batches import TranslationData
from headwork.models.training.processes import is_main_process, train_in_processes
from headwork.models.training.provenance import provenance
from headwork.models.training.train import train
from headwork.run.frame import Files
from headwork.run.outputs import write_table
from headwork.settings.base import require
from headwork.settings.models import GateSettings, Recipe
from headwork.sites import KINDS

log = logging.getLogger(__name__)


def train_run(input: Files, output: Files, **training: Any) -> None:
    """Train a translation model; see `run_training`, and `train_in_processes` for `training`.

    `input`: corpus (the corpus's files); init (model.safetensors, and gates.csv if its closed heads stay closed) of the
    run that this one starts from, if any; mask, the gates.csv of the run whose heads it has, if any. `output`: model
    (its files), history.csv, run.json, and gates.csv or snapshots, a folder, where the rule has them.
    """
    train_in_processes(run_training, input, output, **training)


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
    mask_folder: str | Path | None = None,
) -> None:
    """Train the model of one row of the run sheet and write its folder.

    Reads tokenizer.json and {train,dev}.{source,target}.txt of `corpus_folder`; writes the model's files
    (`checkpoints.FILES`), history.csv and run.json to `output_folder`. `work_folder` keeps the checkpoints a killed
    training goes on from, and is removed at the end; the recipe's snapshots of the weights move to `output_folder`.
    `init_folder` is the folder of the run whose weights this one starts from, `mask_folder` that of the run whose
    retained heads are all it has. Raises `InputError` for anything the user can fix.

    A run with gates also writes gates.csv (`HeadGates.table`; one that starts from a run with gates reads that one's),
    and its model has the gates, 0 or 1, folded into W_O: the model that is translated with and measured is the pruned
    one, in the shape of the whole.
    """
    torch.set_num_threads(threads)
    corpus, output, work = Path(corpus_folder), Path(output_folder), Path(work_folder)
    how = Recipe.read(recipe, name := f"the recipe of run '{row['run']}'")
    require(
        how.segments is how.masking is None,
        f"{name}: `segments` and `masking` are for masked language models; leave them out",
    )
    tokenizer = read_tokenizer(corpus / "tokenizer.json")
    model = build(architecture, tokenizer, int(row["seed"]))
    known = None
    if how.start == "encoder":
        require(
            init_folder is not None,
            f"run '{row['run']}': it starts from an encoder, but from none; name init_run",
        )
        known = start_encoder_from(model, tokenizer, init_folder)
    elif init_folder is not None:
        start_from(model, init_folder)
    gates = gates_of(row, model, how, mask_folder, init_folder)
    # Voita et al. 2019: with gates in the encoder alone, decoder, target embeddings and output layer stay as they are.
    # Our source embeddings are the same matrix, so of the encoder only what follows them is trained.
    frozen = [model.get_decoder(), model.get_output_embeddings()] if row["gates"] == "encoder" else []
    longest = min(how.longest, model.config.max_position_embeddings)
    files = {
        split: [corpus / f"{split}.{side}.txt" for side in ("source", "target")] for split in ("train", "dev")
    }
    data, dev = (TranslationData.read(*files[split], tokenizer, longest) for split in ("train", "dev"))
    read = np.unique(data.source.pieces)
    limit_outputs(model, np.unique(data.target.pieces))
    if how.noise:
        data = NoisyPairs(data, Noise(tokenizer, how.noise, read), int(row["seed"]))
    log.info("%d pairs to train on, %d to watch, %d pieces", len(data), len(dev), len(tokenizer))
    facts, kept = {}, nullcontext()
    if known is not None:
        facts["pieces_of_init_run"] = len(known)
    if how.frozen == "encoder":
        frozen += encoder_layers(model)
        # pieces that init_run does not have were drawn anew, and must be learned
        read = read if known is None else np.intersect1d(read, known)
        kept = keeping_rows(model.get_input_embeddings().weight, read)
    with kept:
        done = train(model, data, dev, how, int(row["seed"]), work, device, gates, frozen)
    if not is_main_process():
        return

    if gates is not None:
        output.mkdir(parents=True, exist_ok=True)
        fold(model, gates.kept())
        write_table(output / "gates.csv", gates.table())
        facts["gates"] = gates.facts()
    record = provenance(
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
        **facts,
    )
    finish(output, model, tokenizer, done.history, record, work)


def gates_of(
    row: Mapping[str, Any],
    model: PreTrainedModel,
    recipe: Recipe,
    mask_folder: str | Path | None = None,
    init_folder: str | Path | None = None,
) -> HeadGates | None:
    """The gates that a row of the run sheet asks for in `gates`; None if none.

    `encoder`: Hard Concrete gates in the encoder; `all`: in every attention; with the L0 penalty `penalty`, or to
    keep `target` heads. If the run starts from one with gates, whose folder is `init_folder`, the heads that are closed
    there stay closed. `mask:<run>`: the gates.csv of that run, whose folder is `mask_folder`, as a mask. Raises
    `InputError` for gates that do not fit the model, or settings that do not fit the gates.
    """
    name, wanted = f"run '{row['run']}'", row["gates"]
    penalty, target = float(row.get("penalty") or 0), row.get("target")
    learned = {"encoder": ("encoder",), "all": KINDS}
    if wanted in learned:
        heads = heads_with_gates(anatomy(model), learned[wanted])
        earlier = None if init_folder is None else Path(init_folder) / "gates.csv"
        before = read_kept(earlier) if earlier and earlier.is_file() else None
        settings, number = recipe.gates or GateSettings(), None if target is None else int(target)
        return LearnedGates(heads, settings, int(row["seed"]), penalty, number, before)
    require(
        wanted == "none" or wanted.startswith("mask:"),
        f"{name}: unknown gates '{wanted}'; known: none, {', '.join(learned)}, mask:<run>",
    )
    require(
        penalty == 0 and target is None,
        f"{name}: it has a penalty or a target, but no gates that learn; set gates to encoder or all",
    )
    if wanted == "none":
        return None
    require(
        mask_folder is not None, f"{name}: the folder of the run whose heads it has, {wanted}, is not given"
    )
    kept = read_kept(Path(mask_folder) / "gates.csv")
    check_fit(model, kept)
    return FixedGates(kept)
