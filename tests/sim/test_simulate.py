"""simulate(): what it refuses, reports and records."""

from __future__ import annotations

import numpy as np
import pytest

from schedlab import Platform, Workload, simulate
from schedlab.errors import ParameterError, WorkloadError
from schedlab.platform import Cluster
from schedlab.testing.instances import crowd, head_blocked, jobs


def one_job(**columns: int) -> Workload:
    """Return a single job of one node and ten seconds, with some columns changed."""
    row = {"job_id": 7, "submit_s": 0, "nodes": 1, "request_s": 10, "run_s": 10, **columns}
    return Workload({name: [value] for name, value in row.items()})


def test_a_job_wider_than_the_machine_is_refused_beforehand() -> None:
    """It would wait for ever, and so would every job behind it."""
    with pytest.raises(WorkloadError, match="job 7 needs 9 nodes but the cluster has 4"):
        simulate(one_job(nodes=9), 4, "easy")


def test_a_job_that_waits_for_itself_is_refused_beforehand() -> None:
    """A cycle of dependencies can never start."""
    with pytest.raises(WorkloadError, match="job 7 can never start"):
        simulate(one_job(depends_on=7), 4, "easy")


def test_a_longer_cycle_is_found_too() -> None:
    """Each of the three waits for the next."""
    ring = Workload(
        {
            "job_id": [1, 2, 3],
            "submit_s": [0, 1, 2],
            "nodes": [1, 1, 1],
            "request_s": [5, 5, 5],
            "run_s": [5, 5, 5],
            "depends_on": [2, 3, 1],
        }
    )
    with pytest.raises(WorkloadError, match="cycle"):
        simulate(ring, 4, "easy")


def test_times_that_could_overflow_are_refused() -> None:
    """Wrong sums would be silent; 35,000 years are enough."""
    with pytest.raises(WorkloadError, match="request_s"):
        simulate(one_job(request_s=1 << 41), 4, "easy")


def test_a_request_of_two_to_the_31_seconds_is_fine() -> None:
    """Real archives contain it as 'unlimited'."""
    assert simulate(one_job(request_s=1 << 31), 4, "easy").end_s.tolist() == [10]


def test_several_clusters_are_one_pool_of_nodes() -> None:
    """Nodes are numbered through sites and clusters; a job has the lowest free ones."""
    north = Cluster.homogeneous(4, "a", site="north"), Cluster.homogeneous(2, "b", site="north")
    grid = Platform((*north, Cluster.homogeneous(8, site="s")))
    schedule = simulate(jobs((0, 3, 9, 9), (0, 8, 9, 9), (0, 3, 9, 9)), grid, "easy")
    assert schedule.start_s.tolist() == [0, 0, 0]
    assert [schedule.named_nodes().of(job) for job in range(3)] == [[(0, 2)], [(3, 10)], [(11, 13)]]
    assert simulate(one_job(nodes=8), grid.only("s/cluster"), "easy").start_s.tolist() == [0]


def test_whole_nodes_need_not_be_equal() -> None:
    """A job that asks for nodes may have any; cores can be counted instead."""
    pair = Platform((Cluster.homogeneous(4, "a"), Cluster.homogeneous(8, "b", cores=2)))
    assert simulate(one_job(nodes=12), pair, "easy").start_s.tolist() == [0]
    assert simulate(one_job(nodes=20), pair.of_cores(), "easy").start_s.tolist() == [0]


def test_a_negative_tick_is_refused() -> None:
    """Time does not run backwards."""
    with pytest.raises(ParameterError, match="tick"):
        simulate(one_job(), 4, "easy", tick=-1)


def test_an_empty_workload_gives_an_empty_schedule() -> None:
    """A filter may leave nothing; that is no error."""
    nothing = one_job().take(np.array([], dtype=int))
    assert len(simulate(nothing, 4, "easy")) == 0


def test_progress_ends_with_all_jobs() -> None:
    """A bar that stops short looks like a failure."""
    calls: list[tuple[int, int]] = []
    simulate(crowd(), 16, "easy", progress=lambda ended, jobs: calls.append((ended, jobs)))
    assert calls[-1] == (len(crowd()), len(crowd()))


def test_an_interrupt_in_the_progress_callback_stops_the_run() -> None:
    """Ctrl-C arrives between two stretches of passes."""

    def interrupt(ended: int, jobs: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        simulate(crowd(), 16, "easy", progress=interrupt)


def test_the_same_call_gives_the_same_schedule() -> None:
    """Nothing in the simulator is random."""
    first, second = (simulate(crowd(), 16, "wfp3+easy") for _ in range(2))
    assert np.array_equal(first.start_s, second.start_s)
    assert first.frame().equals(second.frame())


def test_the_result_records_how_it_was_made() -> None:
    """A figure without its configuration and versions cannot be reproduced."""
    made = simulate(head_blocked(), 8, "easy", tick=60, depth=5, seed=3).provenance
    assert made["policy"] == "easy:depth=5"
    assert (made["tick"], made["seed"], made["kill_at_request"]) == (60, 3, True)
    assert set(made["versions"]) == {"schedlab", "numpy", "python"}
    assert made["platform"]["cluster"][0]["nodes"] == [{"count": 8}]
