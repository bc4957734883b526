"""How a model is trained, as data: one checked mapping from the config's `recipes`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from transformers.trainer_utils import SchedulerType

from headwork.options import require

PRECISIONS = ("auto", "fp32", "bf16", "bf16_output")


@dataclass(frozen=True)
class Recipe:
    """One way to train; the defaults are Voita et al. 2019's where they are known.

    steps                 updates of the weights; 0 leaves the model as it was built
    tokens_per_batch      bound on the padded size of a batch, on either side
    peak_rate             the learning rate at the end of the warm-up
    warmup_steps          updates over which the rate rises from 0
    schedule              inverse_sqrt as published, or any other of transformers' SchedulerType
    label_smoothing       probability spread evenly over the vocabulary
    betas, epsilon        of Adam
    weight_decay          decoupled; 0 is plain Adam
    clip                  bound on the gradient's norm; 0 does not clip
    accumulation          batches per update
    precision             bf16 (autocast), fp32, or auto: bf16 where it makes the training faster; bf16_output: only the
                          products of a translation model's loss, half of a narrow one's work, if the hardware has bf16
    longest               pairs with more pieces than this on a side are left out
    evaluate_every        updates between two rows of history, each with the loss on dev
    checkpoint_every      updates between two checkpoints to resume from
    average_checkpoints   the final weights are the mean of this many last checkpoints
    window                pairs among which like lengths are looked for
    gates                 how gates are learned, if the run has any: `GateSettings` of gates.py
    """

    steps: int
    tokens_per_batch: int = 4000
    peak_rate: float = 1.4e-3
    warmup_steps: int = 16000
    schedule: str = "inverse_sqrt"
    label_smoothing: float = 0.1
    betas: tuple[float, ...] = (0.9, 0.98)
    epsilon: float = 1e-9
    weight_decay: float = 0.0
    clip: float = 1.0
    accumulation: int = 1
    precision: str = "auto"
    longest: int = 200
    evaluate_every: int = 500
    checkpoint_every: int = 1000
    average_checkpoints: int = 1
    window: int = 200_000
    gates: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        require(self.steps >= 0, f"recipe: steps is {self.steps}; it counts updates, so 0 or more")
        require(
            self.precision in PRECISIONS, f"recipe: unknown precision '{self.precision}'; known: {PRECISIONS}"
        )
        schedules = [kind.value for kind in SchedulerType]
        require(self.schedule in schedules, f"recipe: unknown schedule '{self.schedule}'; known: {schedules}")
        require(len(self.betas) == 2, f"recipe: betas are two numbers, not {list(self.betas)}")
        for name in (
            "tokens_per_batch",
            "accumulation",
            "longest",
            "evaluate_every",
            "checkpoint_every",
            "average_checkpoints",
            "window",
        ):
            require(getattr(self, name) > 0, f"recipe: {name} is {getattr(self, name)}; it must be 1 or more")
