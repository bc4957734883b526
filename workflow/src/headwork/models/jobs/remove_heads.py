"""One gated run's model without the heads it closed, from folder to folder."""

from pathlib import Path

import torch
from transformers import PreTrainedModel

from headwork.errors import InputError
from headwork.lens.anatomy import anatomy
from headwork.models.gates.removal import check_fit, read_kept, remove_heads
from headwork.models.loading.checkpoints import load, save
from headwork.run.outputs import write_json
from headwork.sites import PerHead, Site


def remove_closed_heads(model_folder: str | Path, output_folder: str | Path) -> None:
    """Write the model of a gated run as a smaller one that computes the same.

    Reads the model and gates.csv of `model_folder`; writes the model's files (`checkpoints.FILES`; `checkpoints.load`
    reads them) and removal.json (parameters and heads, before and after) to `output_folder`. Raises `InputError` if
    the gates are not those that are folded into the model's weights.
    """
    model, tokenizer = load(model_folder)
    gates = Path(model_folder) / "gates.csv"
    kept = read_kept(gates)
    check_fit(model, kept)
    for site, mask in kept.items():
        still_heard = closed_heads_heard(model, site, mask)
        if still_heard:
            raise InputError.at(
                gates,
                f"says that {site.head(still_heard[0])} is closed, but the model's W_O lets it through; "
                "take model and gates from one run",
            )
    smaller = remove_heads(model, kept)
    save(output_folder, smaller, tokenizer)
    write_json(
        Path(output_folder) / "removal.json",
        {
            "parameters": {"before": parameters(model), "after": parameters(smaller)},
            "heads": {
                kind: {"before": len(anatomy(model).heads(kind)), "after": sum(map(len, layers))}
                for kind, layers in smaller.config.kept_heads.items()
            },
        },
    )


def closed_heads_heard(model: PreTrainedModel, site: Site, kept: PerHead) -> list[int]:
    """Heads (from 1) of a site that are not kept, but whose part of W_O is not zero."""
    heard = anatomy(model).part(site).output_weight().abs().amax(dim=(0, 2)) > 0
    return (torch.nonzero(heard & (kept == 0)).flatten() + 1).tolist()


def parameters(model: PreTrainedModel) -> int:
    """The weights of a model that training can change: all but the positions, which are sinusoids."""
    return sum(weight.numel() for name, weight in model.named_parameters() if "embed_positions" not in name)
