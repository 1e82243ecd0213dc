"""Transforms one by one, on tiny workloads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedlab.errors import ParameterError, UnknownNameError, WorkloadError
from schedlab.testing.strategies import workloads
from schedlab.workload import Workload
from schedlab.workload.transforms import (
    apply,
    cores_per_node,
    head,
    interarrival,
    min_run,
    overrun,
    oversize,
    pauses,
    rebase,
    scale_load,
    slice_jobs,
    status,
    tail,
    users,
    window,
)


def five_jobs(**columns: Any) -> Workload:
    """Return jobs 1 to 5, submitted every 100 s from 1000 s on."""
    return Workload(
        {
            "job_id": [1, 2, 3, 4, 5],
            "submit_s": [1000, 1100, 1200, 1300, 1400],
            "nodes": [1, 9, 16, 4, 64],
            "request_s": [100, 200, 300, 400, 500],
            "run_s": [0, 50, 89, 90, 500],
            **columns,
        }
    )


def ids(workload: Workload) -> list[int]:
    """Return the numbers of the jobs, in order."""
    return [int(job) for job in workload["job_id"]]


def last_step(workload: Workload) -> dict[str, Any]:
    """Return the last step of the provenance."""
    return dict(workload.provenance[-1])


def test_head_and_tail_keep_so_many_jobs() -> None:
    """They count jobs in order of submission, and asking for more than there are keeps all."""
    assert ids(head(five_jobs(), 2)) == [1, 2]
    assert ids(tail(five_jobs(), 2)) == [4, 5]
    assert ids(head(five_jobs(), 9)) == ids(tail(five_jobs(), 9)) == [1, 2, 3, 4, 5]
    assert ids(tail(five_jobs(), 0)) == []


def test_slice_counts_like_python() -> None:
    """Positions begin at 0 and the end is not included, so consecutive slices do not overlap."""
    assert ids(slice_jobs(five_jobs(), 1, 3)) == [2, 3]
    assert ids(slice_jobs(five_jobs(), 3)) == [4, 5]
    with pytest.raises(ParameterError, match="range 3:1"):
        slice_jobs(five_jobs(), 3, 1)


def test_window_counts_from_the_first_submission() -> None:
    """Traces begin at any time; here the window [100 s, 300 s) is 1100 s to before 1300 s."""
    assert ids(window(five_jobs(), 100, 300)) == [2, 3]
    assert ids(window(five_jobs(), 300)) == [4, 5]


def test_min_run_keeps_jobs_of_exactly_that_length() -> None:
    """A job as long as the limit is long enough."""
    assert ids(min_run(five_jobs(), 90)) == [4, 5]


def test_overrun_keeps_jobs_that_ran_so_much_longer_and_no_more() -> None:
    """Logs have jobs killed a little late, which are fine, and others that were never killed."""
    late = five_jobs(run_s=[100, 201, 360, 461, 9999])
    assert ids(overrun(late, 0)) == [1]
    assert ids(overrun(late, 60)) == [1, 2, 3]
    assert last_step(overrun(late, 60)) == {"step": "overrun", "at_most_s": 60, "dropped": 2}


def test_status_keeps_the_codes_asked_for() -> None:
    """Several codes may be wanted at once; without the column there is nothing to choose by."""
    assert ids(status(five_jobs(status=[1, 0, 5, 1, -1]), [1, 0])) == [1, 2, 4]
    with pytest.raises(WorkloadError, match="no column status"):
        status(five_jobs(), [1])


@pytest.mark.parametrize("column", ["partition", "queue"])
def test_jobs_are_picked_by_partition_and_by_queue(column: str) -> None:
    """Until a machine has partitions, one of them can be replayed by itself."""
    columns = {name: [0, 0, 0] for name in ("submit_s", "run_s")}
    columns |= {"job_id": [1, 2, 3], "nodes": [1, 1, 1], "request_s": [9, 9, 9]}
    workload = Workload({**columns, column: [3, 1, 3]})
    assert ids(apply(workload, [f"{column}=3"])) == [1, 3]
    assert ids(apply(workload, [f"{column}=1,3"])) == [1, 2, 3]
    with pytest.raises(UnknownNameError, match=f'unknown {column} "2"; known: 1, 3'):
        apply(workload, [f"{column}=2"])
    with pytest.raises(WorkloadError, match=f"has no column {column}"):
        apply(Workload(columns), [f"{column}=2"])


def test_users_are_numbers_or_labels() -> None:
    """A trace numbers its users; a job history names them, and then names are what people write."""
    numbered = five_jobs(user=[3, 7, 3, 8, -1])
    assert ids(users(numbered, [3, "7"])) == [1, 2, 3]
    named = Workload(
        {name: numbered[name] for name in numbered.columns if name != "user"}
        | {"user": [0, 1, 0, 1, 0]},
        labels={"user": ["ada", "bob"]},
    )
    assert ids(users(named, ["bob"])) == [2, 4]
    with pytest.raises(UnknownNameError, match='did you mean "ada"'):
        users(named, ["adam"])


def test_dropped_jobs_are_counted() -> None:
    """Provenance says how many jobs a selection dropped."""
    assert last_step(head(five_jobs(), 2)) == {"step": "head", "jobs": 2, "dropped": 3}


def test_a_job_whose_predecessor_was_dropped_waits_for_nothing() -> None:
    """Otherwise it would wait for ever."""
    chain = five_jobs(depends_on=[-1, 1, 2, 3, 4])
    assert tail(chain, 2).dependency_index().tolist() == [-1, 0]


def test_interarrival_scales_offsets_not_gaps() -> None:
    """Each of a thousand gaps of 1 s halved and rounded would become 0; the span must be 500 s."""
    count = 1001
    every_second = Workload(
        {
            "job_id": np.arange(count),
            "submit_s": 7 + np.arange(count),
            "nodes": np.ones(count),
            "request_s": np.ones(count),
            "run_s": np.ones(count),
        }
    )
    halved = interarrival(every_second, 0.5)
    assert halved["submit_s"][0] == 7
    assert halved.span_s() == 500


@pytest.mark.parametrize("factor", [-1.0, float("nan"), float("inf"), 1e300])
def test_interarrival_refuses_what_is_no_factor(factor: float) -> None:
    """Time neither runs backwards nor overflows."""
    with pytest.raises(ParameterError, match="factor"):
        interarrival(five_jobs(), factor)


def test_load_scaling_reaches_the_offered_load() -> None:
    """The load is Σ(run · nodes) / (nodes · span); scaling the span sets it."""
    scaled = scale_load(five_jobs(), 0.5, 64)
    assert scaled.offered_load(64) == pytest.approx(0.5, rel=1e-3)
    assert last_step(scaled)["load"] == 0.5


def test_load_cannot_be_set_without_gaps_or_work() -> None:
    """Jobs submitted all at once offer an infinite load however they are scaled."""
    with pytest.raises(WorkloadError, match="all jobs are submitted at once"):
        scale_load(head(five_jobs(), 1), 0.5, 64)


def test_pauses_keep_the_times_between_them() -> None:
    """Three of five jobs come before the first pause; only the gap with the pause changes."""
    moved = pauses(five_jobs(), after_s=300, pause_s=1000)["submit_s"]
    assert (moved - moved[0]).tolist() == [0, 100, 200, 1300, 1400]
    with pytest.raises(ParameterError, match="must be >= 0 after >= 1"):
        pauses(five_jobs(), after_s=0, pause_s=1)


def test_rebase_moves_all_submissions_together() -> None:
    """Cleaned traces keep their offsets: one trace begins a year after its time 0."""
    assert rebase(five_jobs())["submit_s"].tolist() == [0, 100, 200, 300, 400]
    assert rebase(five_jobs(), 5)["submit_s"][0] == 5


def test_cores_become_whole_nodes() -> None:
    """9 cores need two nodes of 8, and spread evenly use 5 of each."""
    whole = cores_per_node(five_jobs(), 8)
    assert whole["nodes"].tolist() == [1, 2, 2, 1, 8]
    assert whole["cores_per_node"].tolist() == [1, 5, 8, 4, 8]
    with pytest.raises(WorkloadError, match="already counts nodes"):
        cores_per_node(whole, 8)


def test_oversize_jobs_are_dropped_clipped_or_refused() -> None:
    """A job wider than the machine can never run; the user chooses what happens to it."""
    assert ids(oversize(five_jobs(), "drop", 16)) == [1, 2, 3, 4]
    clipped = oversize(five_jobs(), "clip", 16)
    assert clipped["nodes"].tolist() == [1, 9, 16, 4, 16]
    assert last_step(clipped)["clipped"] == 1
    assert oversize(five_jobs(), "error", 64) == five_jobs()
    with pytest.raises(WorkloadError, match=r"job 5 needs 64 nodes; the machine has 16"):
        oversize(five_jobs(), "error", 16)
    with pytest.raises(ParameterError, match="use drop, clip or error"):
        oversize(five_jobs(), "squeeze", 16)


@given(workloads(), st.integers(0, 25))
def test_head_and_the_rest_are_the_whole(workload: Workload, cut: int) -> None:
    """Cutting a workload in two loses no job and keeps their order."""
    parts = ids(slice_jobs(workload, 0, cut)) + ids(slice_jobs(workload, cut))
    assert parts == ids(workload)


@given(workloads(), st.floats(0.1, 10))
def test_scaling_keeps_the_order_of_submission(workload: Workload, factor: float) -> None:
    """Rounded offsets still never fall, so positions and dependencies stay what they were."""
    assert ids(interarrival(workload, factor)) == ids(workload)
