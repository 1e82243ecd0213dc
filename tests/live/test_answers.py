"""Jobs and nodes from Slurm's JSON, in the shapes of several versions."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedlab.errors import InputError
from schedlab.live.queue import UNLIMITED_S, LiveStage
from schedlab.live.slurm.answers import closed_nodes, live_jobs

PLAIN: dict[str, Any] = {
    "job_id": 7,
    "job_state": "PENDING",
    "user_name": "ann",
    "submit_time": 1000,
    "time_limit": 5,
    "cpus": 4,
    "tasks": 2,
    "tres_req_str": "cpu=4,mem=2000M,node=2,billing=4",
    "state_reason": "Resources",
    "start_time": 1200,
}


def _one(**more: Any) -> Any:
    jobs, notes = live_jobs({"jobs": [{**PLAIN, **more}]})
    assert not notes
    assert len(jobs) == 1
    return jobs[0]


def test_a_waiting_job() -> None:
    """Slurm's start time of a waiting job is only a forecast, so it is not read."""
    job = _one()
    assert (job.id, job.handle, job.stage, job.user) == ("7", "7", LiveStage.WAITS, "ann")
    assert (job.limit_s, job.cpus, job.tasks, job.min_nodes) == (300, 4, 2, 2)
    assert job.start is None
    assert job.reason == "Resources"


def test_numbers_of_later_versions() -> None:
    """From 23.02 on a number says whether it is set, and a state is a list."""

    def number(value: int, **more: bool) -> dict[str, Any]:
        return {"set": True, "infinite": False, "number": value, **more}

    job = _one(
        job_state=["RUNNING", "COMPLETING"],
        submit_time=number(1000),
        start_time=number(1100),
        time_limit=number(0, infinite=True),
        priority=number(42),
        memory_per_node=number(500),
        memory_per_cpu=number(0, set=False),
        nodes="n[1-2]",
    )
    assert (job.stage, job.start, job.hosts) == (LiveStage.RUNS, 1100, "n[1-2]")
    assert (job.limit_s, job.priority) == (UNLIMITED_S, 42)
    assert (job.memory_per_node_mb, job.memory_per_cpu_mb) == (500, None)


@pytest.mark.parametrize(("written", "meant"), [(0, 0), (7, 7), (4294967284, -12), (-12, -12)])
def test_a_nice_below_zero(written: int, meant: int) -> None:
    """Slurm 22.05 writes it unsigned; read like that, a raised job would seem to be far down."""
    assert _one(nice=written).nice == meant


def test_waiting_tasks_of_an_array_are_jobs_with_one_handle() -> None:
    """A change to one task is made to all of them: anything else would split the array."""
    jobs, _ = live_jobs({"jobs": [{**PLAIN, "array_job_id": 7, "array_task_string": "1-5:2,9%2"}]})
    assert [job.id for job in jobs] == ["7_1", "7_3", "7_5", "7_9"]
    assert {job.handle for job in jobs} == {"7_[1-5:2,9]"}
    task = _one(array_job_id=7, array_task_id=3, array_task_string="", job_id=9)
    assert (task.id, task.handle, task.raw_id, task.array) == ("7_3", "7_3", 9, 7)


def test_a_job_that_was_cancelled_while_it_waited_never_started() -> None:
    """Slurm reports a start time for such a job, but no nodes."""
    job = _one(job_state="CANCELLED", nodes="", end_time=1300)
    assert (job.stage, job.start, job.end) == (LiveStage.ENDED, None, 1300)


def test_what_a_job_asks_for() -> None:
    """GPUs per node, their type, whole nodes, and dependencies without Slurm's remarks are read."""
    job = _one(
        tres_per_node="gres:gpu:a100:2",
        shared="none",
        dependency="afterok:5(unfulfilled),afterany:6(unfulfilled)",
        features="old&big",
        licenses="matlab:1",
        nice=10,
    )
    assert (job.gpus_per_node, job.gpu_type, job.exclusive) == (2, "a100", True)
    assert job.dependency == "afterok:5,afterany:6"
    assert (job.constraint, job.licences, job.nice) == ("old&big", "matlab:1", 10)
    assert _one(tres_per_node="gres/gpu=3").gpus_per_node == 3
    assert _one(state_reason="JobHeldUser").held
    assert _one(state_reason="BeginTime", eligible_time=1500).begin == 1500


def test_nodes_that_take_no_job() -> None:
    """A node is closed by its state or a flag of it; an allocated node takes jobs later."""
    answer = {
        "nodes": [
            {"name": "n1", "state": "allocated", "state_flags": []},
            {"name": "n2", "state": "idle", "state_flags": ["DRAIN"], "reason": "fan"},
            {"name": "n3", "state": ["DOWN", "NOT_RESPONDING"]},
        ]
    }
    assert closed_nodes(answer) == {"n2": "fan", "n3": "down"}


def test_what_is_not_readable_costs_one_job() -> None:
    """The other jobs are read, and a note says what was wrong."""
    jobs, notes = live_jobs({"jobs": [{**PLAIN, "submit_time": "soon"}, PLAIN, {"job_id": 3}]})
    assert [job.id for job in jobs] == ["7"]
    assert len(notes) == 2
    assert "job 7: not readable" in notes[0]
    with pytest.raises(InputError, match="no list of jobs"):
        live_jobs({"errors": []})


@given(st.text(), st.text(), st.text())
def test_no_text_of_a_user_changes_what_is_read(name: str, comment: str, place: str) -> None:
    """Names, comments and folders of jobs are data, whatever they contain."""
    answer = {"name": name, "comment": comment, "current_working_directory": place}
    told = json.loads(json.dumps({**PLAIN, **answer}))
    jobs, notes = live_jobs({"jobs": [told]})
    assert not notes
    assert jobs[0].name == name
    assert (jobs[0].id, jobs[0].handle, jobs[0].stage) == ("7", "7", LiveStage.WAITS)


@given(
    st.dictionaries(
        st.sampled_from([*PLAIN, "array_task_string", "array_job_id", "nodes", "features"]),
        st.one_of(
            st.none(),
            st.integers(),
            st.text(),
            st.lists(st.text()),
            st.dictionaries(st.text(), st.text()),
        ),
    )
)
def test_any_answer_is_read_or_told(changed: dict[str, Any]) -> None:
    """No answer about one job raises an exception; at most, a note reports it."""
    jobs, notes = live_jobs({"jobs": [{**PLAIN, **changed}, {**PLAIN, "job_id": 8}]})
    assert "8" in {job.id for job in jobs}
    assert len(notes) <= 1
