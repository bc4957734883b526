"""How long a scale takes on a cluster: Snakemake's plan of its jobs, simulated on 1, 8 and 64 nodes with one GPU each.

    headwork estimate config/paper.yaml config/paper-open.yaml

The durations of trainings are those of `estimate`. Every other job is given the same number of minutes: short ones, and
as an upper bound the two hours after which profiles/slurm ends a job.
"""

import heapq
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence, Set
from graphlib import TopologicalSorter
from typing import Any

import pandas as pd

from headwork.errors import InputError
from headwork.models.jobs.estimate import TERAFLOPS, work

NODES = [1, 8, 64]
MINUTES = [10, 120]  # of a job that does not train
TRAINS = {"train", "train_watched", "train_gated", "pretrain", "language_model", "finetune"}
JOB = re.compile(r'^\s*(\d+)\[label = "(\w+)([^"]*)"', re.MULTILINE)
EDGE = re.compile(r"^\s*(\d+) -> (\d+)\s*$", re.MULTILINE)
RUN = re.compile(r"\\nrun: ([^\\]+)")

Dependencies = Mapping[int, Set[int]]


def read_plan(dot: str) -> tuple[dict[int, set[int]], dict[int, tuple[str, str | None]]]:
    """The jobs that each job waits for, and each job's rule and run, from the text of `snakemake --dag dot`."""
    jobs = {}
    for number, rule, wildcards in JOB.findall(dot):
        run = RUN.search(wildcards)
        jobs[int(number)] = (rule, run[1] if run else None)
    waits: dict[int, set[int]] = {job: set() for job in jobs}
    for first, then in EDGE.findall(dot):
        waits[int(then)].add(int(first))
    return waits, jobs


def longest_rest(waits: Dependencies, hours: Mapping[int, float]) -> dict[int, float]:
    """For each job the hours of the longest chain of jobs that begins with it; the largest is the critical path."""
    rest = dict(hours)
    for job in reversed(list(TopologicalSorter(waits).static_order())):
        for first in waits[job]:
            rest[first] = max(rest[first], hours[first] + rest[job])
    return rest


def makespan(waits: Dependencies, hours: Mapping[int, float], nodes: int) -> float:
    """Hours until the last job ends, by list scheduling: a free node takes the ready job with the longest rest.

    At most (2 - 1 / nodes) times the shortest possible (Graham 1969, "Bounds on multiprocessing timing anomalies").
    """
    rest = longest_rest(waits, hours)
    plan = TopologicalSorter(waits)
    plan.prepare()
    ready: list[tuple[float, int]] = []
    running: list[tuple[float, int]] = []
    now = 0.0
    while plan.is_active():
        for job in plan.get_ready():
            heapq.heappush(ready, (-rest[job], job))
        while ready and len(running) < nodes:
            _, job = heapq.heappop(ready)
            heapq.heappush(running, (now + hours[job], job))
        now, job = heapq.heappop(running)
        plan.done(job)
    return now


def simulate(dot: str, training: Mapping[str, float]) -> pd.DataFrame:
    """One row for each number of minutes in `MINUTES` and of nodes in `NODES`.

    `training` has the hours of each run. Columns: minutes, nodes, days, busy (share of the nodes' time in which they
    work) and critical_days (length of the critical path: no number of nodes is faster).
    """
    waits, jobs = read_plan(dot)
    rows = []
    for minutes in MINUTES:
        hours = {
            job: training.get(run or "", 0.0) if rule in TRAINS else minutes / 60
            for job, (rule, run) in jobs.items()
        }
        critical = max(longest_rest(waits, hours).values())
        for nodes in NODES:
            end = makespan(waits, hours, nodes)
            busy = sum(hours.values()) / (nodes * end)
            rows.append((minutes, nodes, end / 24, busy, critical / 24))
    return pd.DataFrame(rows, columns=["minutes", "nodes", "days", "busy", "critical_days"])


def days(
    config: Mapping[str, Any], runs: Sequence[Mapping[str, Any]], overlays: Sequence[str]
) -> pd.DataFrame:
    """The table of `simulate` for the scale of a config, made of config/config.yaml and `overlays`, and its `runs`.

    Raises `InputError` if Snakemake, which says why, cannot plan the scale.
    """
    speed = (config.get("estimate", {}).get("teraflops") or TERAFLOPS) * 1e12 * 3600
    command = [sys.executable, "-m", "snakemake", "--forceall", "--dag", "dot"]
    command += ["--configfile", *overlays] if overlays else []
    plan = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if plan.returncode:
        raise InputError("Snakemake could not plan the scale; its message is above")
    return simulate(plan.stdout, {row["run"]: work(row, config) / speed for row in runs})
