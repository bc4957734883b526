"""One run at a time, and none that a killed one keeps out."""

import signal
import subprocess
import sys

import pytest

from headwork.errors import InputError
from headwork.run_lock import be_alone

OTHER = """
import subprocess, sys, time
from headwork.run_lock import be_alone
be_alone(sys.argv[1])
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
            be_alone(path)
    finally:
        other.send_signal(signal.SIGKILL)
        other.wait()
    # what the killed one had started still runs, and does not hold the lock
    subprocess.run(["kill", "-0", str(child)], check=True)
    try:
        be_alone(path)
        with pytest.raises(InputError, match="another run"):
            be_alone(path)
    finally:
        subprocess.run(["kill", "-KILL", str(child)], check=True)
