"""A plan simulated on a number of nodes: a case by hand, Graham's bound, and Snakemake's own text of a plan."""

import random

import pytest

from headwork.models.jobs.cluster import longest_rest, makespan, read_plan, simulate

# 1 -> 2, 1 -> 3, {2, 3} -> 4: two nodes take 1 + 5 + 2 hours, one node all ten.
DIAMOND = {1: set(), 2: {1}, 3: {1}, 4: {2, 3}}
HOURS = {1: 1.0, 2: 2.0, 3: 5.0, 4: 2.0}
DOT = r"""digraph snakemake_dag {
	0[label = "all", color = "0.1 0.6 0.85", style="rounded"];
	1[label = "voita2019_figure1", color = "0.1 0.6 0.85", style="rounded"];
	2[label = "train\nrun: wmt-ru-s1", color = "0.1 0.6 0.85", style="rounded,dashed"];
	3[label = "download\ndownload: wmt\nname: a.tgz", color = "0.1 0.6 0.85", style="rounded"];
	1 -> 0
	2 -> 1
	3 -> 2
}
"""


def test_a_diamond_by_hand():
    assert longest_rest(DIAMOND, HOURS) == {1: 8, 2: 4, 3: 7, 4: 2}
    assert [makespan(DIAMOND, HOURS, nodes) for nodes in (1, 2, 8)] == [10, 8, 8]


def test_the_longest_chain_goes_first():
    """Two nodes and four jobs without chains but one: begun last, the chain would end after 9 hours."""
    waits = {1: set(), 2: set(), 3: set(), 4: {3}}
    assert makespan(waits, {1: 3.0, 2: 3.0, 3: 3.0, 4: 3.0}, 2) == 6


@pytest.mark.parametrize("seed", range(5))
def test_bounds_of_any_plan(seed):
    """max(work / n, critical path) <= makespan <= work / n + (1 - 1 / n) critical path (Graham 1969)."""
    draw = random.Random(seed)
    waits = {job: {first for first in range(job) if draw.random() < 0.1} for job in range(60)}
    hours = {job: draw.uniform(0.1, 9) for job in waits}
    work, critical = sum(hours.values()), max(longest_rest(waits, hours).values())
    for nodes in (1, 3, 8):
        found = makespan(waits, hours, nodes)
        assert max(work / nodes, critical) <= found + 1e-9
        assert found <= work / nodes + (1 - 1 / nodes) * critical + 1e-9


def test_a_plan_as_snakemake_prints_it():
    waits, jobs = read_plan(DOT)
    assert waits == {0: {1}, 1: {2}, 2: {3}, 3: set()}
    assert jobs[2] == ("train", "wmt-ru-s1")
    assert jobs[3] == ("download", None)
    assert jobs[0] == ("all", None)
    table = simulate(DOT, {"wmt-ru-s1": 24.0})
    assert table["days"].tolist() == pytest.approx([1 + 30 / 1440] * 3 + [1.25] * 3)
    assert table["critical_days"].tolist() == pytest.approx([1 + 30 / 1440] * 3 + [1.25] * 3)
