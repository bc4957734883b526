"""Logging, progress bar, snapshots of the weights and checkpoints on SIGTERM during training."""

import logging
import signal
from collections.abc import Sequence
from typing import Any

from accelerate import PartialState
from safetensors.torch import save_file
from tqdm import tqdm
from transformers import TrainerCallback

from headwork.errors import InputError
from headwork.models.training.resume import WorkFolder

log = logging.getLogger(__name__)


class Journal(TrainerCallback):
    """Logs evaluations, and the loss whenever a checkpoint is written, and seals each checkpoint."""

    def __init__(self, folder: WorkFolder) -> None:
        self.folder = folder

    def on_step_end(self, args, state, control, **_: Any) -> None:
        # otherwise the loss since the last row would be lost with the process
        if control.should_save:
            control.should_log = True

    def on_log(self, args, state, control, logs: dict[str, float], **_: Any) -> None:
        numbers = ", ".join(f"{key} {value:.5g}" for key, value in logs.items() if isinstance(value, float))
        log.info("step %d of %d: %s", state.global_step, state.max_steps, numbers)

    def on_save(self, args, state, control, **_: Any) -> None:
        # each process has written the state of its random generator
        PartialState().wait_for_everyone()
        if state.is_world_process_zero:
            self.folder.seal(state.global_step)


class Stopped(InputError):
    """A training that SIGTERM has ended, with a checkpoint."""


class SaveOnSigterm(TrainerCallback):
    """After a SIGTERM, ends the training with a checkpoint once the current update is done; a second one kills.

    Transformers' own (`enable_jit_checkpoint`) writes its checkpoint within an update, when random numbers have been
    drawn for it, so the resumed training would end with other weights.
    """

    asked = False

    def on_train_begin(self, args, state, control, **_: Any) -> None:
        self.before = signal.signal(signal.SIGTERM, self.ask)

    def ask(self, *_: Any) -> None:
        self.asked = True
        signal.signal(signal.SIGTERM, signal.SIG_DFL)

    def on_step_end(self, args, state, control, **_: Any) -> None:
        if self.asked and state.global_step < state.max_steps:
            control.should_save = control.should_training_stop = True

    def on_train_end(self, args, state, control, **_: Any) -> None:
        signal.signal(signal.SIGTERM, self.before)


class Snapshots(TrainerCallback):
    """Keeps the weights after some updates in the work folder."""

    def __init__(self, folder: WorkFolder, steps: Sequence[int]) -> None:
        self.folder, self.steps = folder, frozenset(steps)

    def on_step_end(self, args, state, control, model, **_: Any) -> None:
        if state.global_step in self.steps and state.is_world_process_zero:
            path = self.folder.snapshot(state.global_step)
            path.parent.mkdir(parents=True, exist_ok=True)
            # shared weights once, as `checkpoints.start_from` reads them
            save_file({name: weight.detach() for name, weight in model.named_parameters()}, path)


class Bar(TrainerCallback):
    """A bar of updates with the latest losses, on a terminal only."""

    def on_train_begin(self, args, state, control, **_: Any) -> None:
        self.bar = tqdm(
            total=state.max_steps, initial=state.global_step, desc="train", unit="step", disable=None
        )
        self.shown: dict[str, float] = {}

    def on_step_end(self, args, state, control, **_: Any) -> None:
        self.bar.update()

    def on_log(self, args, state, control, logs: dict[str, float], **_: Any) -> None:
        self.shown |= {
            name: logs[key] for key, name in (("loss", "loss"), ("eval_loss", "dev")) if key in logs
        }
        self.bar.set_postfix(self.shown)

    def on_train_end(self, args, state, control, **_: Any) -> None:
        self.bar.close()
