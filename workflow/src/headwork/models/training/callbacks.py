"""Logging, progress bar, snapshots of the weights and the end by SIGTERM, during training."""

import logging
import shutil
import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any

from accelerate import PartialState
from safetensors.torch import save_file
from tqdm import tqdm
from transformers import TrainerCallback

from headwork.errors import InputError
from headwork.models.training.resume import WorkFolder

log = logging.getLogger(__name__)


class Journal(TrainerCallback):
    """Logs evaluations, logs the loss whenever a checkpoint is written, and seals each checkpoint."""

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
            for older in self.folder.checkpoints()[:-1]:
                if self.folder.step_of(older) % args.save_steps:  # written when it was interrupted
                    shutil.rmtree(older)


class Interruption(TrainerCallback):
    """On SIGTERM, ends the training after the update under way, with a checkpoint to go on from and an `InputError`.

    After the Trainer's own checkpoint on SIGTERM (`enable_jit_checkpoint`), `train` returns as if it had finished.
    A training in several processes ends at once, as ever: the others would wait for the one that got the signal.
    """

    def __init__(self) -> None:
        self.asked, self.saved = False, False

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Within, SIGTERM is waited for; Python allows that in the main thread only."""
        if PartialState().num_processes > 1 or threading.current_thread() is not threading.main_thread():
            yield
            return
        before = signal.signal(signal.SIGTERM, self._ask)
        try:
            yield
        finally:
            signal.signal(signal.SIGTERM, before)

    def _ask(self, number: int, frame: FrameType | None) -> None:
        self.asked = True

    def on_step_end(self, args, state, control, **_: Any) -> None:
        if self.asked:
            self.saved = control.should_save = True

    def on_step_begin(self, args, state, control, **_: Any) -> None:
        if self.saved:
            raise InputError(
                f"stopped after update {state.global_step} of {state.max_steps}, whose checkpoint is kept; "
                "to go on, run the same command again"
            )


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
