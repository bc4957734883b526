"""The frame of every job: logging to a file, number of threads, one-sentence errors; and the function that it calls."""

import ctypes
import errno
import gc
import logging
import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TextIO, get_type_hints

from headwork.errors import DamagedFile, InputError
from headwork.run.secrets import hidden
from headwork.settings.base import Settings

BUG = "this is a bug in headwork, or a fault of the machine; the log above says how far the job came"
OF_THE_MODEL = (
    "the model cannot be run ({}); its config, weights or tokenizer do not fit together, or it takes other inputs than "
    "models of its family do"
)
MODELS = "/transformers/models/"  # whose code a model runs
# A full disk, an exceeded quota, or a read-only folder; some libraries raise errors of their own.
OF_THE_DISK = [os.strerror(trouble) for trouble in (errno.ENOSPC, errno.EDQUOT, errno.EROFS)]
# What Snakemake puts into the environment of its jobs (workflow/rules/common.smk): which process it is.
RUN = "HEADWORK_RUN"


def this_process() -> str:
    """The id of this process, and the namespace in which ids count: a container may have one of its own."""
    space = Path("/proc/self/ns/pid")
    return f"{os.getpid()} {os.readlink(space) if space.is_symlink() else ''}"


def end_with_parent() -> None:
    """Have Linux kill this process when the process that started it ends, even if that was killed itself."""
    if sys.platform == "linux":
        set_signal_of_parents_death = 1
        ctypes.CDLL(None).prctl(set_signal_of_parents_death, signal.SIGKILL)


def _end_with_run() -> None:
    """End this job with the Snakemake that started it, or the job of the next run would write the same files."""
    if RUN not in os.environ:
        return
    end_with_parent()
    (run, space), (own, here) = (text.split(" ", 1) for text in (os.environ[RUN], this_process()))
    if space == here:
        try:
            os.kill(int(run), 0)  # signal 0 only asks whether the process still exists
        except ProcessLookupError:
            os.kill(int(own), signal.SIGKILL)


class WithoutSecrets(logging.Formatter):
    """Log formatter that removes secrets, since logs are published with the results."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as one line, with its traceback if it has one; a warning of a library is called one."""
        if record.levelno == logging.WARNING and not record.name.startswith("headwork"):
            record.levelname = "LIBRARY WARNING"
        return hidden(super().format(record))


@contextmanager
def job(log: str | Path | TextIO, threads: int = 1, quiet: bool = False) -> Iterator[None]:
    """Run the body with `logging`, warnings and uncaught errors written to the file `log`; if `quiet`, only errors.

    An `InputError` or a disk that cannot be written to is logged as one sentence, any other error with its traceback;
    all end the process with exit code 1. A `DamagedFile` is renamed. Progress bars go to the terminal. A job of a
    Snakemake that is killed is killed too.
    """
    _end_with_run()
    # numpy and torch read these when they start their thread pools, so set them before the body imports either
    for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[name] = str(threads)
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "true" if threads > 1 else "false")
    # importing torch makes a million permanent objects: garbage collection over them took a sixth of the time
    gc.set_threshold(50_000)
    lines = _lines(log)
    lines.setFormatter(WithoutSecrets("%(asctime)s %(levelname)s %(message)s", datefmt="%H:%M:%S"))
    logging.basicConfig(level=logging.ERROR if quiet else logging.INFO, handlers=[lines], force=True)
    logging.captureWarnings(True)
    try:
        yield
    except DamagedFile as error:
        logging.error("%s%s", error, error.set_aside())
        sys.exit(1)
    except InputError as error:
        logging.error(str(error))
        sys.exit(1)
    except Exception as error:
        if any(trouble in str(error) for trouble in OF_THE_DISK):
            logging.error("%s; what is done is kept: fix the cause, and run the same command again", error)
        else:
            logging.exception(cause_of(error))
        sys.exit(1)
    finally:
        # garbage collection at exit took a fifth of the shortest jobs' time
        gc.freeze()


def cause_of(error: Exception) -> str:
    """Whose fault an unexpected error is: the model's, if it comes from a model's own code, or headwork's."""
    if any(MODELS in frame.filename for frame in traceback.extract_tb(error.__traceback__)):
        first = str(error).strip().partition("\n")[0]
        return OF_THE_MODEL.format(f"{type(error).__name__}: {first}" if first else type(error).__name__)
    return BUG


class Files(SimpleNamespace):
    """The files of a rule, by the rule's own names: each a `Path`, or a list of paths where the rule has several."""

    def __init__(self, **files: str | Path | Sequence[str | Path]) -> None:
        paths = {
            name: Path(given) if isinstance(given, str | Path) else [Path(file) for file in given]
            for name, given in files.items()
        }
        super().__init__(**paths)

    def __contains__(self, name: str) -> bool:
        """Whether the rule has files of that name."""
        return bool(vars(self).get(name))


def folder_of(files: Path | Sequence[Path]) -> Path:
    """The folder that files lie in, such as those of a model; a folder itself."""
    first = files if isinstance(files, Path) else files[0]
    return first if first.is_dir() else first.parent


def call(function: Callable[..., None], input: Files, output: Files, params: Mapping[str, Any]) -> None:
    """Call a job's function: ``function(input, output, **params)``.

    An argument that is annotated as `Settings` gets the rule's mapping as such. Raises `SettingError` where one cannot
    be, `InputError` where there is no GPU for a job with `device` cuda, and `TypeError` where the names of the
    parameters are not the function's.
    """
    if params.get("device") == "cuda":
        import torch

        if not torch.cuda.is_available():
            raise InputError("device is cuda, but torch finds no GPU; set it to cpu")
    kinds = get_type_hints(function)
    read = {
        name: kind.read(value, name)
        if isinstance(kind := kinds.get(name), type)
        and issubclass(kind, Settings)
        and not isinstance(value, Settings)
        else value
        for name, value in params.items()
    }
    function(input, output, **read)


def function_at(place: str) -> Callable[..., None]:
    """The function ``headwork.<module>.<name>``; its module is imported only now."""
    module, _, name = place.rpartition(".")
    return getattr(import_module(module), name)


def _lines(log: str | Path | TextIO) -> logging.StreamHandler:
    if not isinstance(log, str | Path):
        return logging.StreamHandler(log)
    Path(log).parent.mkdir(parents=True, exist_ok=True)
    return logging.FileHandler(log, mode="w")
