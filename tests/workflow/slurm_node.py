"""A SLURM of one node on this machine's loopback: Debian's daemons, with all they write in one folder.

No systemd, no database: `squeue` and `scontrol` know every job of the last two hours. test_slurm.py uses
it; by hand, `python tests/workflow/slurm_node.py command ...` runs a command with such a node around it, as any user.
"""

import os
import re
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "scancel", "scontrol", "sinfo", "squeue")
PACKAGES = "apt-get install --no-install-recommends slurmctld slurmd"

# `config_overrides`: what is written here of CPUs and memory counts, not what the machine has. Memory is watched by
# polling the sum over a job's processes, which needs no cgroups. MinJobAge: how long squeue knows a finished job.
CONFIG = """
ClusterName=test
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort={ctld_port}
SlurmdPort={slurmd_port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.sock
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=1
JobAcctGatherParams=OverMemoryKill
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerType=sched/builtin
MpiDefault=none
SwitchType=switch/none
KillWait=2
MinJobAge=7200
ReturnToService=2
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
GresTypes=gpu
NodeName=node1 NodeHostname=localhost NodeAddr=127.0.0.1 CPUs=2 RealMemory=64000 Gres=gpu:1 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def missing() -> str:
    """Why no node can be started here; nothing if one can."""
    absent = [program for program in PROGRAMS if shutil.which(program, path=search_path()) is None]
    return f"no {', '.join(absent)}: {PACKAGES}" if absent else ""


def search_path(environment: Mapping[str, str] = os.environ) -> str:
    """PATH with the folders of daemons, which an ordinary user's may lack."""
    return os.pathsep.join([environment.get("PATH", os.defpath), "/usr/sbin", "/sbin"])


def free_ports(number: int) -> list[int]:
    """Ports of loopback on which nobody listens."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(number)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


class SlurmNode:
    """munged, slurmctld and slurmd as children of this process, for the length of a `with` block."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.daemons: list[subprocess.Popen] = []

    def environment(self, own: Mapping[str, str] = os.environ) -> dict[str, str]:
        """A process's own environment, and what makes it a user of this cluster."""
        return {
            **own,
            "SLURM_CONF": str(self.folder / "slurm.conf"),
            "PATH": f"{self.folder}/bin:{search_path(own)}",
        }

    def __enter__(self) -> "SlurmNode":
        try:
            self._write()
            self._start("munged", "--foreground", "--force", *self._munge_files())
            self._wait("munge's socket", (self.folder / "munge.sock").exists)
            self._start("slurmctld", "-D")
            self._start("slurmd", "-D", "-N", "node1")
            self._wait("an idle node", lambda: self.ask("sinfo", "-h", "-o", "%T", check=False) == "idle")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_) -> None:
        """End the jobs, then the daemons, the last first; each is this process's child and is waited for."""
        if len(self.daemons) == 3:
            self.ask("scancel", "--partition=main", check=False)
            deadline = time.monotonic() + 15
            while self.ask("squeue", "-h", check=False) and time.monotonic() < deadline:
                time.sleep(0.2)
        for daemon in reversed(self.daemons):
            daemon.terminate()
            try:
                daemon.wait(10)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()

    def ask(self, *command: str, check: bool = True) -> str:
        """What one of SLURM's programs answers."""
        done = subprocess.run(
            command, env=self.environment(), check=check, capture_output=True, text=True, timeout=60
        )
        return done.stdout.strip()

    def jobs(self) -> list[dict[str, str]]:
        """All that SLURM knows of each job submitted so far, in the order of their ids."""
        lines = self.ask("scontrol", "show", "job", "--oneliner").splitlines()
        found = [dict(re.findall(r"(?:^| )([A-Z][\w/:]*)=(\S*)", line)) for line in lines]
        return sorted((job for job in found if "JobId" in job), key=lambda job: int(job["JobId"]))

    def _write(self) -> None:
        """The configuration, a key for munge, and a `srun` that knows where the configuration lies."""
        for name in ("state", "spool", "bin"):
            (self.folder / name).mkdir(parents=True)
        ctld_port, slurmd_port = free_ports(2)
        user = subprocess.run(["id", "-un"], check=True, capture_output=True, text=True).stdout.strip()
        (self.folder / "slurm.conf").write_text(
            CONFIG.format(folder=self.folder, user=user, ctld_port=ctld_port, slurmd_port=slurmd_port)
        )
        # nobody opens the device: it is a card to be counted
        (self.folder / "gres.conf").write_text("NodeName=node1 Name=gpu File=/dev/null\n")
        key = self.folder / "munge.key"
        key.touch(0o600)
        key.write_bytes(secrets.token_bytes(128))
        # the step that Snakemake starts inside a job drops SLURM_CONF; a real cluster's lies in /etc/slurm
        srun = self.folder / "bin/srun"
        real = shutil.which("srun", path=search_path())
        srun.write_text(f'#!/bin/sh\nSLURM_CONF={self.folder}/slurm.conf exec {real} "$@"\n')
        srun.chmod(0o755)

    def _munge_files(self) -> list[str]:
        """Where munged keeps what it would put below /etc and /run."""
        kinds = {
            "key": "key-file",
            "sock": "socket",
            "pid": "pid-file",
            "log": "log-file",
            "seed": "seed-file",
        }
        return [f"--{option}={self.folder}/munge.{ending}" for ending, option in kinds.items()]

    def _start(self, *command: str) -> None:
        """Start a daemon, with its output in a file: a full pipe would stop it."""
        with (self.folder / f"{command[0]}.out").open("wb") as out:
            self.daemons.append(
                subprocess.Popen(
                    command, env=self.environment(), stdout=out, stderr=out, stdin=subprocess.DEVNULL
                )
            )

    def _wait(self, what: str, arrived: Callable[[], bool]) -> None:
        """Wait until something is so, or say what the daemons said."""
        deadline = time.monotonic() + 30
        while not arrived():
            if time.monotonic() > deadline or any(daemon.poll() is not None for daemon in self.daemons):
                said = "\n".join(path.read_text() for path in sorted(self.folder.glob("*.out")))
                raise RuntimeError(f"SLURM did not start: no {what}\n{said}")
            time.sleep(0.1)


if __name__ == "__main__":
    if missing():
        sys.exit(missing())
    with tempfile.TemporaryDirectory(prefix="slurm") as folder, SlurmNode(Path(folder)) as node:
        sys.exit(subprocess.run(sys.argv[1:], env=node.environment()).returncode)
