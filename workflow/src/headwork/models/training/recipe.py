"""How a model is trained, as data: one checked mapping from the config's `recipes`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from headwork.settings.options import require, spelling

PRECISIONS = ("auto", "fp32", "bf16", "bf16_products")
# transformers' SchedulerType, which would have to be imported with torch
SCHEDULES = (
    "linear",
    "cosine",
    "cosine_with_restarts",
    "polynomial",
    "constant",
    "constant_with_warmup",
    "inverse_sqrt",
    "reduce_lr_on_plateau",
    "cosine_with_min_lr",
    "cosine_warmup_with_min_lr",
    "warmup_stable_decay",
    "greedy",
)
STARTS = ("all", "encoder")
FROZEN = ("none", "encoder")
OPTIMIZERS = ("adam", "muon")


@dataclass(frozen=True)
class Recipe:
    """One way to train; the defaults are Voita et al. 2019's where they are known.

    steps                 updates of the weights; 0 leaves the model as it was built
    tokens_per_batch      bound on the padded size of a batch, on either side
    peak_rate             the learning rate at the end of the warm-up
    warmup_steps          updates over which the rate rises from 0
    schedule              inverse_sqrt as published, or any other of transformers' SchedulerType
    label_smoothing       probability spread evenly over the vocabulary
    optimizer             adam as published, or muon: Muon for the matrices inside the layers, Adam for the rest
    betas, epsilon        of Adam
    weight_decay          decoupled; 0 is plain Adam
    clip                  bound on the gradient's norm; 0 does not clip
    accumulation          batches per update
    precision             bf16 (autocast), fp32, or auto: bf16 where the hardware has it; bf16_products: the same, but
                          on a CPU for products with weights alone, which is the faster for narrow translation models
    longest               pairs with more pieces than this on a side are left out
    evaluate_every        updates between two rows of history, each with the loss on dev
    checkpoint_every      updates between two checkpoints to resume from
    snapshots             updates after which the weights are kept beside the final ones, to measure how heads develop
    average_checkpoints   the final weights are the mean of this many last checkpoints
    window                pairs among which like lengths are looked for
    noise                 share of the source's pieces replaced by others of it, again in each pass: `noise.Noise`
    gates                 how gates are learned, if the run has any: `GateSettings` of gates.py
    start                 what a run with an init_run takes from it: all weights, or the encoder alone; in translation
                          the vocabularies may then differ (transfer.py)
    frozen                encoder: the encoder stays as it starts, and with it the embeddings that it reads (of a masked
                          language model the head alone is then trained: masked_head.py); none
    """

    steps: int
    tokens_per_batch: int = 4000
    peak_rate: float = 1.4e-3
    warmup_steps: int = 16000
    schedule: str = "inverse_sqrt"
    label_smoothing: float = 0.1
    optimizer: str = "adam"
    betas: tuple[float, ...] = (0.9, 0.98)
    epsilon: float = 1e-9
    weight_decay: float = 0.0
    clip: float = 1.0
    accumulation: int = 1
    precision: str = "auto"
    longest: int = 200
    evaluate_every: int = 500
    checkpoint_every: int = 1000
    snapshots: tuple[int, ...] = ()
    average_checkpoints: int = 1
    window: int = 200_000
    noise: float = 0.0
    gates: Mapping[str, Any] = field(default_factory=dict)
    start: str = "all"
    frozen: str = "none"

    def __post_init__(self) -> None:
        require(self.steps >= 0, f"recipe: steps is {self.steps}; it counts updates, so 0 or more")
        require(
            self.precision in PRECISIONS, f"recipe: unknown precision '{self.precision}'; known: {PRECISIONS}"
        )
        require(0 <= self.noise <= 1, f"recipe: noise is {self.noise}; it is a share, from 0 to 1")
        require(
            self.schedule in SCHEDULES,
            f"recipe: unknown schedule '{self.schedule}'; {spelling(self.schedule, list(SCHEDULES))}",
        )
        for name, known in (("start", STARTS), ("frozen", FROZEN), ("optimizer", OPTIMIZERS)):
            value = getattr(self, name)
            require(value in known, f"recipe: {name} is '{value}'; it must be {' or '.join(known)}")
        require(
            self.frozen == "none" or self.weight_decay == 0,
            f"recipe: weight_decay is {self.weight_decay}, but decay would change a frozen encoder; set it to 0",
        )
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
        for step in self.snapshots:
            require(
                0 < step < self.steps,
                f"recipe: snapshots has {step}; choose updates from 1 to {self.steps - 1}",
            )
        saved = -(-self.steps // self.checkpoint_every)  # the last step is saved too
        require(
            self.steps == 0 or self.average_checkpoints <= saved,
            f"recipe: average_checkpoints is {self.average_checkpoints}, but {self.steps} steps with checkpoint_every "
            f"{self.checkpoint_every} leave {saved}; lower one of the two",
        )
