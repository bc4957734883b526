"""Snakemake, and the jobs that it runs, forked from a process that has imported the libraries.

A job of the smoke scale computes for less than a second, but imports torch, transformers, pandas and matplotlib for two
to six. Here a server (multiprocessing's fork server) imports them once; no process of it has imported a module of this
repository, so each takes those of the clone that it works in, as they are then. What is run is Snakemake's own command
line and the scripts that it writes. Tests of what starts and ends processes use `Clone.run`, which starts each anew.
"""

import atexit
import multiprocessing
import os
import runpy
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path

LIBRARIES = (
    *("torch", "torch._dynamo", "transformers", "transformers.modeling_utils", "transformers.trainer"),
    *("transformers.models.bert.modeling_bert", "transformers.models.pegasus.modeling_pegasus"),
    *("numpy", "pandas", "pyarrow.parquet"),
    *("scipy.stats", "scipy.optimize", "sklearn.manifold", "sklearn.svm"),
    *("matplotlib.pyplot", "matplotlib.backends.backend_pdf", "matplotlib.backends.backend_svg"),
    *("pydantic", "sacrebleu", "jaxtyping", "conllu", "stanza"),
    *("snakemake.cli", "snakemake.api", "snakemake.workflow", "snakemake.linting.rules", "snakemake.script"),
)
HERE = Path(__file__).parent
OURS = ("headwork", "miniature_world", "studies", "snakemake_logger_plugin_headwork")
SERVER = multiprocessing.get_context("forkserver")
SERVER.set_forkserver_preload(list(LIBRARIES))


def snakemake(
    folder: Path, environment: Mapping[str, str], arguments: Sequence[str]
) -> subprocess.CompletedProcess[str]:
    """Run ``snakemake <arguments>`` in a folder: its exit status, and what it and its jobs wrote."""
    with tempfile.TemporaryDirectory() as place:
        said = [Path(place) / "out", Path(place) / "err"]
        status = _forked(_command_line, folder, environment, said, arguments)
        out, err = (path.read_text() for path in said)
    return subprocess.CompletedProcess(["snakemake", *arguments], status, out, err)


def _forked(function, folder, environment, said, argument, measured=nullcontext) -> int:
    """The exit status of a process of the server that calls `function` with `argument`; its id is for `measured`."""
    process = SERVER.Process(target=_prepared, args=(function, folder, environment, said, argument))
    process.start()
    # the next start, in another thread, would ask all children for their status: it can be read once, and the second to
    # ask is told 255
    multiprocessing.process._children.discard(process)
    with measured(process.pid):
        process.join()
    return process.exitcode


def _prepared(function, folder, environment, said, argument) -> None:
    """Call `function` as in a process of its own."""
    loaded = sorted({name.partition(".")[0] for name in sys.modules} & set(OURS))
    assert not loaded, f"the server has imported {loaded}, which each clone has of its own"
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    # multiprocessing hands on the folders of tests, which no job has; this module is found last
    others = (name for name in sys.path if not Path(name).is_relative_to(HERE))
    sys.path[:] = [*environment["PYTHONPATH"].split(os.pathsep), *others, str(HERE)]
    for number, path in enumerate(said, 1):
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(file, number)
        os.close(file)
    atexit._clear()  # what the libraries have registered in the server
    try:
        function(said, argument)
    finally:
        atexit._run_exitfuncs()  # multiprocessing ends without: Snakemake's last words would be missing


def _command_line(said, arguments) -> None:
    from snakemake import cli
    from snakemake.benchmark import benchmarked
    from snakemake.script import PythonScript

    def execute(script, name, edit=False):
        record = script.bench_record
        measured = partial(benchmarked, benchmark_record=record) if record else nullcontext
        if status := _forked(_script, os.getcwd(), dict(os.environ), said, name, measured):
            print(f"{name} ended with {status}", file=sys.stderr)  # Snakemake may be quiet; -11 is a crash
            raise subprocess.CalledProcessError(status, f"{sys.executable} {name}")

    PythonScript.execute_script = execute
    sys.argv = ["snakemake", *arguments]
    cli.main()


def _script(said, name) -> None:
    sys.argv = [name]
    runpy.run_path(name, run_name="__main__")
