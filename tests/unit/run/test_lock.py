"""One run at a time, none that a killed one keeps out, and no job that outlives its run."""

import os
import signal
import subprocess
import sys

import pytest

from headwork.errors import InputError
from headwork.run.frame import RUN, this_process
from headwork.run.lock import lock_folder

OTHER = """
import subprocess, sys, time
from headwork.run.lock import lock_folder
lock_folder(sys.argv[1])
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
print(child.pid, flush=True)
time.sleep(60)
"""


def test_a_second_run_is_told_of_the_first_and_not_kept_out_by_its_corpse(tmp_path):
    path = tmp_path / "folder" / "run.lock"
    other = subprocess.Popen([sys.executable, "-c", OTHER, str(path)], stdout=subprocess.PIPE, text=True)
    child = int(other.stdout.readline())
    try:
        with pytest.raises(InputError, match=rf"another run \(process {other.pid}\) works in this folder"):
            lock_folder(path)
    finally:
        other.send_signal(signal.SIGKILL)
        other.wait()
    # what the killed one had started still runs, and does not hold the lock
    subprocess.run(["kill", "-0", str(child)], check=True)
    try:
        lock_folder(path)
        with pytest.raises(InputError, match="another run"):
            lock_folder(path)
    finally:
        subprocess.run(["kill", "-KILL", str(child)], check=True)


JOB = """
import time
from headwork.run.frame import job
with job("log"):
    print("begun", flush=True)
    time.sleep(60)
"""
STARTS_A_JOB = f"""
import os, subprocess, sys
from headwork.run.frame import this_process
os.environ[{RUN!r}] = this_process()
subprocess.run([sys.executable, "-c", {JOB!r}])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="Linux tells a process of its parent's end")
def test_a_job_ends_with_its_run(tmp_path):
    run = subprocess.Popen(
        [sys.executable, "-c", STARTS_A_JOB], stdout=subprocess.PIPE, text=True, cwd=tmp_path
    )
    assert run.stdout.readline() == "begun\n"
    run.kill()
    run.communicate(timeout=20)  # until nobody holds the pipe, so until the job has ended too
    late = os.environ | {RUN: this_process().replace(str(os.getpid()), str(run.pid), 1)}
    done = subprocess.run([sys.executable, "-c", JOB], env=late, capture_output=True, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (-signal.SIGKILL, b"")
