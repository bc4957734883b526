"""The frame of every job: logging to a file, number of threads, and one-sentence errors."""

import errno
import gc
import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from headwork.errors import DamagedFile, InputError
from headwork.secrets import hidden

BUG = "this is a bug in headwork, or a machine in trouble; the log above says how far the job came"
# A full disk, an exceeded quota, or a read-only folder; some libraries raise errors of their own.
OF_THE_DISK = [os.strerror(trouble) for trouble in (errno.ENOSPC, errno.EDQUOT, errno.EROFS)]


class WithoutSecrets(logging.Formatter):
    """Log formatter that removes secrets, since logs are published with the results."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as one line, with its traceback if it has one."""
        return hidden(super().format(record))


@contextmanager
def job(log: str | Path | TextIO, threads: int = 1, quiet: bool = False) -> Iterator[None]:
    """Run the body with `logging`, warnings and uncaught errors written to the file `log`; if `quiet`, only errors.

    An `InputError` or a disk that cannot be written to is logged as one sentence, any other error with its traceback;
    all end the process with exit code 1. A `DamagedFile` is renamed. Progress bars go to the terminal.
    """
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
            logging.error("%s; what is done is kept: mend it, and run the same command again", error)
        else:
            logging.exception(BUG)
        sys.exit(1)
    finally:
        # garbage collection at exit took a fifth of the shortest jobs' time
        gc.freeze()


def _lines(log: str | Path | TextIO) -> logging.StreamHandler:
    if not isinstance(log, str | Path):
        return logging.StreamHandler(log)
    Path(log).parent.mkdir(parents=True, exist_ok=True)
    return logging.FileHandler(log, mode="w")
