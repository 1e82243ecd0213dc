"""Schedules of other simulators and of real clusters, read for an audit."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from schedlab.audit import Observed, audit, find_observed, read_observed
from schedlab.errors import InputError, SchedlabError, UnknownNameError
from schedlab.sim import save_schedules, simulate
from schedlab.testing.instances import head_blocked

BATSIM = """\
job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,success,\
final_state,starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,\
allocated_resources,consumed_energy,metadata
1,w0,a,0.000,2,6.000,1,COMPLETED_SUCCESSFULLY,0.000,6.000,6.000,0,6,1,0-1,0,""
4,w0,a,0.000,2,5.000,1,COMPLETED_SUCCESSFULLY,0.000,5.000,5.000,0,5,1,2-3,0,""
2,w0,a,0.000,4,3.000,1,COMPLETED_SUCCESSFULLY,6.000,3.000,9.000,6,9,3,0-3,0,""
3,w0,a,0.000,1,7.000,1,COMPLETED_SUCCESSFULLY,9.000,7.000,16.000,9,16,2,3,0,""
"""

SWF = """\
; MaxNodes: 4
1 0 0 6 2 -1 -1 2 6 -1 1 -1 -1 -1 -1 -1 -1 -1
2 0 6 3 4 -1 -1 4 3 -1 1 -1 -1 -1 -1 -1 -1 -1
3 0 9 7 1 -1 -1 1 7 -1 1 -1 -1 -1 -1 -1 -1 -1
4 0 0 5 2 -1 -1 2 5 -1 1 -1 -1 -1 -1 -1 -1 -1
"""

NO_WAITS = re.sub(r"^(\d 0) \d", r"\1 -1", SWF, flags=re.MULTILINE)

TABLE = """\
job_id,submit_s,start_s,end_s,nodes,request_s
1,0,0,6,2,6
2,0,6,9,4,3
3,0,9,16,1,7
4,0,0,5,2,5
"""


def only(path: Path, text: str, nodes: int | None = None) -> Observed:
    """Return the only schedule in a file with this text."""
    path.write_text(text)
    (found,) = read_observed(path, nodes=nodes)
    return found


@pytest.mark.parametrize(
    ("name", "text"), [("x_jobs.csv", BATSIM), ("x.swf", SWF), ("x.csv", TABLE)]
)
def test_every_format_tells_the_same(tmp_path: Path, name: str, text: str) -> None:
    """All three hold EASY's schedule of the same four jobs."""
    found = only(tmp_path / name, text)
    assert found.schedule.platform.nodes == 4
    verdict = audit(found.schedule, "easy")
    assert verdict.feasible
    assert verdict.faithful
    assert audit(found.schedule, "fcfs").departure is not None


def test_batsim_jobs_of_one_time_come_in_order_of_their_numbers(tmp_path: Path) -> None:
    """Batsim writes them as they end, which says nothing about the queue."""
    schedule = only(tmp_path / "x_jobs.csv", BATSIM).schedule
    assert schedule.workload["job_id"].tolist() == [1, 2, 3, 4]
    assert schedule.node_ranges is not None
    assert schedule.node_ranges.of(1) == [(0, 3)]


def test_batsim_s_older_names_of_columns(tmp_path: Path) -> None:
    """Version 1 called resources processors."""
    older = BATSIM.replace("_resources", "_processors").replace("job_id", "jobID", 1)
    assert audit(only(tmp_path / "x.csv", older).schedule, "easy").faithful


def test_batsim_s_fractions_and_missing_requests_are_counted(tmp_path: Path) -> None:
    """A request of -1 means none; the run time is then the best value that is known."""
    text = BATSIM.replace("9.000,7.000,16.000", "9.400,7.000,16.400").replace("1,7.000,1", "1,-1,1")
    found = only(tmp_path / "x_jobs.csv", text, nodes=4)
    assert found.schedule.start_s.tolist() == [0, 6, 9, 0]
    assert found.notes == (
        "repaired 1 of 4: time with a fraction, rounded to a whole second",
        "repaired 1 of 4: no requested time, run time taken",
    )


def test_batsim_jobs_that_were_rejected_have_no_start(tmp_path: Path) -> None:
    """Rejected jobs are not part of the schedule."""
    rejected = '5,w0,a,0.000,9,5.000,0,REJECTED,-1.000,-1.000,-1.000,-1,-1,-1,,0,""\n'
    schedule = only(tmp_path / "x_jobs.csv", BATSIM + rejected, nodes=4).schedule
    assert schedule.start_s.tolist()[-1] == -1
    assert audit(schedule, "easy").faithful


def test_batsim_jobs_without_numbers_are_numbered(tmp_path: Path) -> None:
    """Names of jobs need not be numbers, nor unique across workloads."""
    found = only(tmp_path / "x_jobs.csv", BATSIM.replace("\n4,w0", "\nlast,w0"), nodes=4)
    assert found.notes == ("repaired 4 of 4: job is not a unique number, numbered as in the file",)


def test_an_swf_job_withdrawn_in_the_queue_has_no_start(tmp_path: Path) -> None:
    """Status 5 without processors: it stood in the queue for its wait, then left."""
    text = SWF + "5 1 4 -1 -1 -1 -1 4 3 -1 5 -1 -1 -1 -1 -1 -1 -1\n"
    schedule = only(tmp_path / "x.swf", text).schedule
    assert schedule.start_s.tolist()[-1] == -1
    assert schedule.workload["cancel_after_s"].tolist()[-1] == 4
    assert audit(schedule, "easy").faithful


def test_the_size_of_the_machine(tmp_path: Path) -> None:
    """The size is given, else in the file, else the peak use, which a note then names."""
    assert only(tmp_path / "a.swf", SWF, nodes=5).schedule.platform.nodes == 5
    (note,) = only(tmp_path / "a.csv", TABLE).notes
    assert note == "the size of the machine is not given; taken are 4 nodes, the peak use"
    assert only(tmp_path / "a.csv", TABLE, nodes=4).notes == ()


def test_a_table_without_requests_says_so(tmp_path: Path) -> None:
    """EASY with exact requests makes another schedule than EASY with the users' requests."""
    text = "\n".join(line.rpartition(",")[0] for line in TABLE.splitlines()) + "\n"
    found = only(tmp_path / "a.csv", text, nodes=4)
    assert found.notes == ("repaired 4 of 4: no requested time, run time taken",)


def test_one_of_several_schedules(tmp_path: Path) -> None:
    """A schedule is chosen by its name, else by that of the policy, else as the only one."""
    several = [simulate(head_blocked(), 4, policy) for policy in ("fcfs", "easy")]
    save_schedules(several, tmp_path / "a.csv")
    found = read_observed(tmp_path / "a.csv")
    assert find_observed(found, None, "easy").schedule.policy == "easy"
    assert find_observed(found, "fcfs", "easy").schedule.policy == "fcfs"
    assert find_observed(found[:1], None, "sjf").schedule.policy == "fcfs"
    with pytest.raises(InputError, match="holds schedules of fcfs, easy; choose one to audit"):
        find_observed(found, None, "sjf")
    with pytest.raises(UnknownNameError, match="unknown schedule"):
        find_observed(found, "eazy", "easy")


def test_the_tick_a_schedule_was_made_with_is_known(tmp_path: Path) -> None:
    """Our own files record the tick, so users need not repeat it."""
    save_schedules(simulate(head_blocked(), 4, "easy", tick=10), tmp_path / "a.parquet")
    (found,) = read_observed(tmp_path / "a.parquet")
    assert audit(found.schedule, "easy").faithful
    assert not audit(found.schedule, "easy", tick=0).faithful


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("a.swf", "", "is empty"),
        ("a.swf", NO_WAITS, "has no wait times"),
        ("a.swf", SWF.partition("\n")[2], "say how many nodes"),
        ("a.txt", TABLE, "must end in one of"),
        ("a.csv", TABLE.partition("\n")[0], "has no jobs"),
        ("a.csv", BATSIM.partition("\n")[0], "has no jobs"),
        ("a.csv", TABLE.replace("start_s", "begin"), "no column start_s"),
        ("a.csv", TABLE.replace("1,0,0,6", "1,0,7,6"), "lies before start"),
        ("a.csv", BATSIM.replace("starting_time", "begin"), "no column starting_time"),
        (
            "a.csv",
            BATSIM.replace("9.000,7.000,16.000", "9.000,7.000,x"),
            'row 4: finish_time is "x"',
        ),
        (
            "a.csv",
            BATSIM.replace("9.000,7.000,16.000", "9.000,7.000,8.0"),
            "row 4: finish_time 8.0",
        ),
        ("a.csv", BATSIM.replace("0-1", "0;1"), "is not a range of nodes"),
    ],
)
def test_a_file_that_cannot_be_read(tmp_path: Path, name: str, text: str, reason: str) -> None:
    """The error is one sentence that begins with the file."""
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=reason) as error:
        read_observed(tmp_path / name)
    assert str(error.value).startswith(str(tmp_path / name))


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    """A missing file, a folder in its place and an unknown format are refused."""
    with pytest.raises(InputError, match="no such file"):
        read_observed(tmp_path / "a.csv")
    with pytest.raises(SchedlabError, match="is a directory"):
        read_observed(tmp_path)
    with pytest.raises(UnknownNameError, match='did you mean "batsim"'):
        read_observed(tmp_path / "a.csv", format="batsin")
