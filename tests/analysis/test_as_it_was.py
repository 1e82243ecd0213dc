"""What really happened, as a schedule beside those of policies."""

from __future__ import annotations

import numpy as np
import pytest

from schedlab import Workload, simulate
from schedlab.analysis import AS_IT_WAS, as_it_was, as_it_was_notes
from schedlab.analysis.clock import dates_told
from schedlab.metrics import compare
from schedlab.platform import Platform
from schedlab.sim import JobOutcome, Schedule
from schedlab.workload import apply

FOUR_NODES = Platform.homogeneous(4)


def three_jobs(**columns: list[int]) -> Workload:
    """Return three jobs, the second of which waited on the real machine.

    They use two nodes for 100 s, four for 50 s and two for 90 s.
    """
    base = {
        "job_id": [1, 2, 3],
        "submit_s": [0, 1, 2],
        "nodes": [2, 4, 2],
        "request_s": [100, 100, 90],
        "run_s": [100, 50, 90],
        "wait_s": [0, 200, 8],
    }
    return Workload({**base, **columns}, name="three")


def past(workload: Workload) -> Schedule:
    """Return the past of the jobs, which must be known."""
    found = as_it_was(workload, FOUR_NODES)
    assert found is not None
    return found


def test_starts_are_those_of_the_trace() -> None:
    """Submission + wait; the run times are the recorded ones, whatever was requested."""
    found = past(three_jobs(run_s=[100, 50, 95]))
    assert found.policy == AS_IT_WAS
    assert found.start_s.tolist() == [0, 201, 10]
    assert found.end_s.tolist() == [100, 251, 105]
    assert found.wait_s.tolist() == [0, 200, 8]
    assert list(as_it_was_notes(found, found.workload)) == []


def test_it_stands_beside_policies() -> None:
    """The past has the same metrics as the policies, of the same jobs."""
    jobs = three_jobs()
    table = compare([simulate(jobs, 4, "easy"), past(jobs)], ["wait", "makespan"])
    assert table["policy"].to_list() == ["easy", "as it was"]
    assert table["wait"].to_list() == pytest.approx([33, 208 / 3])


def test_a_job_without_a_recorded_start_is_left_out_and_told() -> None:
    """The row covers only jobs with a recorded start, and a note says so."""
    jobs = three_jobs(wait_s=[0, -1, 8])
    found = past(jobs)
    assert found.workload["job_id"].tolist() == [1, 3]
    told = "as it was: no start is recorded for 1 of 3 jobs; that row leaves them out"
    assert list(as_it_was_notes(found, jobs)) == [told]


def test_no_starts_no_past() -> None:
    """Neither a column of unknowns nor a missing one makes a schedule."""
    assert as_it_was(three_jobs(wait_s=[-1, -1, -1]), FOUR_NODES) is None
    assert as_it_was(apply(three_jobs(), ["load=0.5:4"]), FOUR_NODES) is None


@pytest.mark.parametrize("step", ["interarrival=2", "set_run=0.5", "resample=3", "pauses=1s:9s"])
def test_jobs_that_were_changed_have_no_past(step: str) -> None:
    """The recorded waits belong to other times."""
    assert as_it_was(apply(three_jobs(), [step]), FOUR_NODES) is None


@pytest.mark.parametrize("step", ["set_request=0.5", "rebase=1d", "cores_per_node=2", "overrun=1h"])
def test_jobs_that_only_look_otherwise_have_one(step: str) -> None:
    """Requests, the clock and what is counted as a node change no start."""
    assert past(apply(three_jobs(), [step])).wait_s.tolist() == [0, 200, 8]


def test_a_selection_ran_beside_the_others() -> None:
    """The dropped jobs ran too, and may be why a job waited."""
    jobs = apply(three_jobs(), ["tail=2"])
    notes = list(as_it_was_notes(past(jobs), jobs))
    assert notes == ["as it was: these jobs ran beside those that the transforms dropped"]


def test_a_withdrawn_job_never_started() -> None:
    """The job left the queue after its wait."""
    found = past(three_jobs(cancel_after_s=[-1, 200, -1]))
    assert found.start_s.tolist() == [0, -1, 10]
    assert found.state[1] == JobOutcome.CANCELLED
    assert found.queue_length().at(np.array([100, 201])).tolist() == [1, 0]


def test_waits_count_from_when_a_job_could_start() -> None:
    """The second depends on the first and thinks for 10 s; the third may not begin before 5 s."""
    found = past(
        three_jobs(depends_on=[-1, 1, -1], think_time_s=[-1, 10, -1], begin_after_s=[-1, -1, 5])
    )
    assert found.eligible_s.tolist() == [0, 110, 7]
    assert found.wait_s.tolist() == [0, 91, 3]


def test_a_start_before_its_time_is_no_negative_wait() -> None:
    """Real logs have jobs that started before the one they depend on had ended."""
    assert past(three_jobs(depends_on=[-1, -1, 1])).wait_s.tolist() == [0, 200, 0]


def test_more_nodes_than_there_are_is_told() -> None:
    """Jobs shared nodes, which a record of whole nodes cannot show."""
    jobs = three_jobs(wait_s=[0, 0, 8])
    told = list(as_it_was_notes(past(jobs), jobs))
    assert told == [
        "as it was: up to 8 nodes were in use at a time, of 4: jobs shared nodes, or the machine "
        "was larger then"
    ]


def test_dates_of_the_jobs() -> None:
    """Dates follow the clock of the cluster: Tokyo is nine hours ahead."""
    columns = {key: three_jobs()[key] for key in three_jobs().columns}
    header = {"UnixStartTime": ["1272639895"], "TimeZoneString": ["Asia/Tokyo"]}
    assert dates_told(Workload(columns, header=header)) == "2010-05-01"
    columns["submit_s"] = columns["submit_s"] * 86400
    assert dates_told(Workload(columns, header=header)) == "2010-05-01 to 2010-05-03"
    assert dates_told(Workload(columns)) == ""
