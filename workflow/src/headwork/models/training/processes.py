"""One training by several processes, one a GPU (or a core), by torchrun.

The processes share out the batches of each update, so that a training's batches, and what each update minimises, are
the same whatever their number. Dropout and the noise of gates are drawn by each process on its own. The first process
is the one that writes.
"""

import importlib
import json
import logging
import math
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

from headwork.run.frame import Files, end_with_parent, folder_of, job

log = logging.getLogger(__name__)


def is_main_process() -> bool:
    """Whether this is the process that writes: the only one, or the first of several."""
    return rank() == 0


def rank() -> int:
    """This process's number among those of the training; 0 if it is alone (torchrun sets RANK)."""
    return int(os.environ.get("RANK", "0"))


def number() -> int:
    """How many processes the training has (torchrun sets WORLD_SIZE)."""
    return int(os.environ.get("WORLD_SIZE", "1"))


def processes_for(wanted: int, threads: int, cards: int) -> int:
    """How many of the wanted processes there can be with these `threads`, or `cards` if there are any.

    Snakemake gives a job no more than the machine has; a number that divides `wanted` shares batches out evenly too.
    """
    return math.gcd(wanted, cards or threads)


def train_in_processes(
    function: Callable[..., None],
    input: Files,
    output: Files,
    *,
    doing: str,
    processes: int,
    threads: int,
    stored_as: str,
    **given: Any,
) -> None:
    """What the rules that train do: `spread` a training, `function`, and store the model's weights as `stored_as`.

    It gets the folder of each input and of `output`, as ``<name>_folder`` and `output_folder`, and what is `given`.
    """
    from headwork.models.loading.checkpoints import store_as

    log.info("%s; processes: %d, threads in all: %d", doing, processes, threads)
    folder = output.run.parent
    folders = {f"{name}_folder": folder_of(files) for name, files in vars(input).items() if files}
    spread(processes, function, threads, output_folder=folder, **folders, **given)
    for stored in (folder, *folder.glob("snapshots/*")):
        store_as(stored, stored_as)


def spread(processes: int, function: Callable[..., None], threads: int, **given: Any) -> None:
    """Call `function` with what is `given` and `threads`, in this process, or in `processes` at once.

    Several share the threads, and what they are given must be JSON or paths. They write to the log of this job. If one
    of them fails, all are ended, and with them this process, with exit code 1.
    """
    if processes == 1:
        _call(function, threads=threads, **given)
        return
    called = {
        "module": function.__module__,
        "function": function.__qualname__,
        "given": given | {"threads": max(1, threads // processes)},
    }
    command = [sys.executable, "-m", __name__, str(processes), json.dumps(called, default=str)]
    # the stream itself, not the file again: both would write at places of their own
    logs = [each.stream for each in logging.getLogger().handlers if isinstance(each, logging.FileHandler)]
    done = subprocess.run(command, stdout=logs[0] if logs else None, stderr=subprocess.STDOUT, check=False)
    if done.returncode:
        sys.exit(1)


def _call(function: Callable[..., None], **given: Any) -> None:
    """Call `function` with subnormals taken as 0 from the beginning, so that all of torch's threads do so."""
    from headwork.models.numerics.cpu import flushed_subnormals

    with flushed_subnormals():
        function(**given)


def launch(processes: str, called: str) -> None:
    """Start `processes` of these by torchrun; it ends with the job, and they end with it."""
    end_with_parent()
    from torch.distributed.run import main

    options = ["--standalone", "--local-addr", "127.0.0.1", f"--nproc-per-node={processes}", "--module"]
    main([*options, __spec__.name, called])


def called_by_torchrun() -> None:
    """What each of the processes does: the call that `spread` describes."""
    end_with_parent()  # torchrun puts its processes into separate sessions
    called = json.loads(sys.argv[1])
    given = called["given"]
    with job(sys.stderr, given["threads"], quiet=not is_main_process()):
        from torch import distributed

        _call(getattr(importlib.import_module(called["module"]), called["function"]), **given)
        if distributed.is_initialized():
            distributed.destroy_process_group()


if __name__ == "__main__":
    called_by_torchrun() if "RANK" in os.environ else launch(*sys.argv[1:])
