"""The checkpoint folder of a training, for resuming.

The folder belongs to one training: `training.json` lists everything that determines the weights. A checkpoint is valid
once it is sealed, after all its files are written; incomplete checkpoints and those of another training are removed.
"""

import hashlib
import json
import logging
import re
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file
from torch import Tensor, nn

from headwork.models.gates.hard_concrete import HeadGates
from headwork.models.training.batches import TranslationData
from headwork.models.training.provenance import versions
from headwork.settings.models import Recipe

log = logging.getLogger(__name__)

DESCRIPTION = "training.json"
SEAL = "complete"
SNAPSHOTS = "snapshots"


class WorkFolder:
    """Checkpoints of one training, each in `checkpoint-<step>`."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def of(
        cls,
        path: Path,
        model: nn.Module,
        data: Iterable[TranslationData],
        recipe: Recipe,
        seed: int,
        facts: dict[str, Any],
        gates: HeadGates | None = None,
    ) -> "WorkFolder":
        """The folder at `path`, made ready for this training: without the remains of another."""
        description = {
            "weights": digest(model.state_dict().items()),
            "data": [part.digest() for part in data],
            # snapshots do not decide the weights; data and gates tell what else is left out
            "recipe": recipe.model_dump(exclude={SNAPSHOTS, "segments", "masking", "gates"}),
            "seed": seed,
            "gates": gates.description() if gates else None,
            "machine": facts,
            "versions": versions("torch", "transformers", "accelerate"),
        }
        text = json.dumps(description, indent=2, sort_keys=True)
        marker = path / DESCRIPTION
        path.mkdir(parents=True, exist_ok=True)
        same = marker.is_file() and marker.read_text(encoding="utf-8") == text
        folder = cls(path)
        for checkpoint in path.glob("checkpoint-*"):
            if not same or not (checkpoint / SEAL).is_file():
                log.info("removing %s: %s", checkpoint, "half-written" if same else "of another training")
                shutil.rmtree(checkpoint)
        if not same:
            shutil.rmtree(path / SNAPSHOTS, ignore_errors=True)
        marker.write_text(text, encoding="utf-8")
        return folder

    def seal(self, step: int) -> None:
        """Declare the checkpoint of that step whole."""
        (self.path / f"checkpoint-{step}" / SEAL).touch()

    def snapshot(self, step: int) -> Path:
        """The file of the weights after that update, if the recipe keeps them: `SNAPSHOTS`/<step>/model.safetensors."""
        return self.path / SNAPSHOTS / str(step) / "model.safetensors"

    def checkpoints(self) -> list[Path]:
        """The whole checkpoints, oldest first."""
        return sorted((seal.parent for seal in self.path.glob(f"checkpoint-*/{SEAL}")), key=self.step_of)

    def last_checkpoint(self) -> Path | None:
        """The newest whole checkpoint, if there is one."""
        return next(reversed(self.checkpoints()), None)

    @staticmethod
    def step_of(checkpoint: Path) -> int:
        """The number of updates behind a checkpoint."""
        return int(re.fullmatch(r"checkpoint-(\d+)", checkpoint.name).group(1))


def mean_of_weights(checkpoints: list[Path]) -> dict[str, Tensor]:
    """The mean of each weight over some checkpoints, taken in double precision."""
    total: dict[str, Tensor] = {}
    for checkpoint in checkpoints:
        for name, weight in load_file(checkpoint / "model.safetensors").items():
            total[name] = total.get(name, 0) + weight.double()
    return {name: (weight / len(checkpoints)).float() for name, weight in total.items()}


def digest(named: Iterable[tuple[str, Tensor]]) -> str:
    """SHA-256 of named tensors, in their order."""
    sha = hashlib.sha256()
    for name, tensor in named:
        sha.update(name.encode())
        sha.update(tensor.detach().cpu().contiguous().view(torch.uint8).numpy())
    return sha.hexdigest()
