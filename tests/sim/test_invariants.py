"""Invariants of every policy on every real trace at hand."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from schedlab import Schedule, Workload, simulate
from schedlab.policies import POLICIES
from schedlab.workload import read_workload
from schedlab.workload.transforms import cores_per_node, head, oversize

# Nodes, and cores per node where the trace counts cores.
TRACES = {
    "RICC-2010-2": (1024, 8),
    "CEA-Curie-2011-2.1-cln": (5832, 16),
    "UniLu-Gaia-2014-2": (2004, 1),
    "SDSC-SP2-1998-4.2-cln": (128, 1),
    "lublin_256": (256, 1),
}


# Every promise costs time at every early end, so a queue of 20,000 jobs needs a depth.
LONG = ("easy", "sjf+easy", "easy:backfill=sjf", "conservative:depth=100")


@cache
def load(folder: Path, name: str, jobs: int) -> tuple[Workload, int]:
    """Return the first jobs of a trace, in nodes of its machine, and the number of these nodes."""
    nodes, cores = TRACES[name]
    workload = cores_per_node(read_workload(folder / "swf" / f"{name}.swf.gz"), cores)
    return head(oversize(workload, "clip", nodes), jobs), nodes


def check_feasible(schedule: Schedule, nodes: int) -> None:
    """Check that no job starts too early or is lost, and that no node has two jobs."""
    workload = schedule.workload
    assert np.all(schedule.start_s >= workload["submit_s"])
    assert np.all(schedule.ran_s == np.minimum(workload["run_s"], workload["request_s"]))
    assert schedule.used_nodes().value.max() <= nodes
    assert schedule.used_nodes().value[-1] == 0
    check_no_node_twice(schedule)


def check_no_node_twice(schedule: Schedule) -> None:
    """Check that each occupation of a node ends by the start of the next one."""
    ranges = schedule.node_ranges
    assert ranges is not None
    job = np.repeat(np.arange(len(schedule)), np.diff(ranges.offset))
    length = ranges.last.astype(np.int64) - ranges.first + 1
    assert np.array_equal(np.bincount(job, length, len(schedule)), schedule.workload["nodes"])
    row = np.repeat(np.arange(len(job)), length)
    node = ranges.first[row] + np.arange(len(row)) - np.repeat(np.cumsum(length) - length, length)
    start, end = schedule.start_s[job[row]], schedule.end_s[job[row]]
    order = np.lexsort((end, start, node))
    same = node[order][1:] == node[order][:-1]
    assert np.all(~same | (start[order][1:] >= end[order][:-1]))


@pytest.mark.slow
@pytest.mark.parametrize("policy", [*POLICIES, "easy:backfill=sjf", "conservative:rebuild=true"])
@pytest.mark.parametrize("name", TRACES)
def test_every_policy_is_feasible_on_real_traces(shared_data: Path, name: str, policy: str) -> None:
    """Real logs contain what no generator thinks of."""
    workload, nodes = load(shared_data, name, 3000)
    check_feasible(simulate(workload, nodes, policy), nodes)


@pytest.mark.slow
@pytest.mark.parametrize("policy", LONG)
def test_long_traces_stay_feasible(shared_data: Path, policy: str) -> None:
    """A hundred thousand jobs exercise queues that a few thousand never fill."""
    workload, nodes = load(shared_data, "RICC-2010-2", 100_000)
    check_feasible(simulate(workload, nodes, policy), nodes)


@pytest.mark.slow
@pytest.mark.parametrize("name", TRACES)
def test_promises_are_kept(shared_data: Path, name: str) -> None:
    """Conservative promises never slip, and EASY keeps the head's, because requests are limits."""
    workload, nodes = load(shared_data, name, 5000)
    for policy in ("easy", "conservative", "sjf+conservative"):
        schedule = simulate(workload, nodes, policy)
        promised = schedule.first_reserved_s >= 0
        assert np.all(schedule.start_s[promised] <= schedule.first_reserved_s[promised]), policy
