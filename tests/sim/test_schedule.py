"""The schedule: its columns, its node ranges and its series."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedlab.errors import WorkloadError
from schedlab.sim import NodeRanges, Schedule, simulate
from schedlab.sim.node_naming import name_nodes
from schedlab.testing.strategies import workloads
from schedlab.workload import Workload


@pytest.fixture
def blocked() -> Schedule:
    """Two jobs on two nodes each of three: the second waits for the first and runs 10..15."""
    workload = Workload(
        {
            "job_id": [7, 9],
            "submit_s": [0, 1],
            "nodes": [2, 2],
            "request_s": [10, 5],
            "run_s": [10, 9],
            "wait_s": [3, 4],
            "user": [1, 0],
        },
        labels={"user": ["ann", "bob"]},
    )
    return simulate(workload, 3, "fcfs")


def test_frame_tells_everything(blocked: Schedule) -> None:
    """One row per job; the wait the trace came with is not mistaken for the simulated one."""
    assert blocked.frame().row(1, named=True) == {
        "policy": "fcfs",
        "job_id": 9,
        "submit_s": 1,
        "eligible_s": 1,
        "start_s": 10,
        "end_s": 15,
        "wait_s": 9,
        "first_reserved_s": -1,
        "nodes": 2,
        "request_s": 5,
        "run_s": 9,
        "user": "ann",
        "state": "killed",
        "node_ranges": "0-1",
        "original_wait_s": 4,
    }


def test_horizon_is_first_submission_to_last_end(blocked: Schedule) -> None:
    """The makespan is counted between them."""
    assert blocked.horizon_s() == (0, 15)


def test_equality_looks_at_what_happened(blocked: Schedule) -> None:
    """A different start makes a different schedule; a different wall-clock time does not."""
    assert blocked == replace(blocked, wall_s=99.0)
    assert blocked != replace(blocked, start_s=blocked.start_s + 1)
    assert blocked != replace(blocked, node_ranges=None)


def test_columns_must_have_a_value_per_job(blocked: Schedule) -> None:
    """A schedule with a start missing is refused."""
    with pytest.raises(WorkloadError, match="start_s does not have one value per job"):
        replace(blocked, start_s=np.array([0]))


def test_job_that_never_became_eligible_is_not_in_the_queue(blocked: Schedule) -> None:
    """It waits for another job, not for nodes."""
    never = replace(blocked, eligible_s=np.array([0, -1]), start_s=np.array([0, -1]))
    assert never.queue_length().value.max() == 0


def test_node_ranges_as_text() -> None:
    """One node is a number, several are a range, none is empty."""
    ranges = NodeRanges(np.array([0, 2, 2, 3]), np.array([0, 7, 12]), np.array([3, 7, 30]))
    assert ranges.text().to_list() == ["0-3,7", "", "12-30"]
    assert ranges.of(0) == [(0, 3), (7, 7)]
    assert ranges.job().tolist() == [0, 0, 2]
    assert ranges.width().tolist() == [4, 1, 19]
    assert NodeRanges.parse(["0-3,7", "", "12-30"]) == ranges


def test_ranges_that_follow_on_each_other_are_joined() -> None:
    """Ranges of different jobs are not joined."""
    ranges = NodeRanges.parse(["0,1-3,5,6", "", "7", "8-9,10", ""])
    assert ranges.joined().text().to_list() == ["0-3,5-6", "", "7", "8-10", ""]
    nothing = NodeRanges.parse(["", ""])
    assert nothing.joined() == nothing


@pytest.mark.parametrize("text", ["x", "3-1", "1,,2", "1-2-3", "-4", "1-", "0-3 7", "99999999999"])
def test_wrong_node_ranges_are_named(text: str) -> None:
    """Whatever is not a range is refused, with an example of one that is."""
    with pytest.raises(WorkloadError, match="is not a range of nodes; write for example 0-3,7"):
        NodeRanges.parse(["0-1", text])


@given(st.lists(st.lists(st.integers(0, 10_000), max_size=4)))
def test_text_and_parse_are_inverse(starts: list[list[int]]) -> None:
    """Whatever ranges there are, text keeps them."""
    counts = [len(each) for each in starts]
    first = np.array([start for each in starts for start in each], dtype=np.int32)
    ranges = NodeRanges(np.cumsum([0, *counts]), first, first + first % 3)
    assert NodeRanges.parse(ranges.text()) == ranges


@given(workloads(8), st.sampled_from(["fcfs", "easy", "sjf"]))
def test_named_nodes_are_free_and_as_many_as_needed(workload: Workload, policy: str) -> None:
    """A schedule that only counts nodes gets names: no node is given to two jobs at once."""
    schedule = simulate(workload, 8, policy)
    unnamed = replace(schedule, node_ranges=None)
    for ranges in (schedule.named_nodes(), unnamed.named_nodes()):
        given_to = np.bincount(ranges.job(), ranges.width(), len(schedule))
        assert np.array_equal(given_to, workload["nodes"] * schedule.started)
        busy = np.zeros((8, schedule.horizon_s()[1] + 1), dtype=int)
        for job, (first, last) in zip(
            ranges.job(), zip(ranges.first, ranges.last, strict=True), strict=True
        ):
            busy[first : last + 1, schedule.start_s[job] : schedule.end_s[job]] += 1
        assert busy.max(initial=0) <= 1


def test_lowest_free_nodes_are_named_first() -> None:
    """The third job gets the nodes that the first left, then those above the second's."""
    start, end = np.array([0, 0, 5]), np.array([5, 9, 9])
    ranges = name_nodes(start, end, np.array([2, 1, 4]), 8)
    assert ranges.text().to_list() == ["0-1", "2", "0-1,3-4"]


def test_too_many_nodes_cannot_be_named() -> None:
    """A schedule that uses more nodes than there are cannot be drawn."""
    with pytest.raises(WorkloadError, match="4 nodes start at 0 s, more than are free of 3"):
        name_nodes(np.array([0]), np.array([1]), np.array([4]), 3)
