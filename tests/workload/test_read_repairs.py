"""What the readers repair, drop and notice: every kind in the smallest file that shows it."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest

from schedlab.errors import InputError, ParameterError
from schedlab.workload import Workload, read_workload

SAMPLE = Path(__file__).parents[1] / "data" / "ten.swf"


def line(
    job: float = 1,
    submit: float = 0,
    wait: float = 0,
    run: float = 10,
    allocated: float = 1,
    requested: float = 1,
    request: float = 20,
    status: int = 1,
    after: int = -1,
) -> str:
    """Return one line of SWF with these values."""
    return (
        f"{job} {submit} {wait} {run} {allocated} -1 -1 {requested} {request} -1 {status}"
        f" 1 1 1 1 1 {after} -1\n"
    )


def read(
    folder: Path,
    *lines: str,
    strict: bool = False,
    procs: Literal["allocated", "requested"] = "allocated",
    cancelled: Literal["drop", "replay", "short"] = "drop",
) -> Workload:
    """Return the workload of these lines."""
    path = folder / "a.swf"
    path.write_text("".join(lines))
    return read_workload(path, strict=strict, procs=procs, cancelled=cancelled)


def test_the_sample_is_counted_to_the_last_repair() -> None:
    """No change and no omission goes unreported."""
    report = read_workload(SAMPLE).report
    assert report.records == 10
    assert report.repaired == {
        "value with a fraction, rounded to an integer": 1,
        "no allocated processors, requested ones taken": 1,
        "no requested time, run time taken": 1,
        "job number missing or met before, renumbered": 1,
        "preceding job is not among the jobs, dependency removed": 1,
        "not in order of submission, sorted": 1,
    }
    assert report.dropped == {"never ran (run time below 0)": 2}
    assert report.noticed == {"ran longer than requested": 1, "run time of 0 s": 1}


def test_a_job_that_never_ran_is_dropped(tmp_path: Path) -> None:
    """There is no run time to replay."""
    workload = read(tmp_path, line(1, run=-1), line(2))
    assert workload["job_id"].tolist() == [2]
    assert workload.report.dropped == {"never ran (run time below 0)": 1}


@pytest.mark.parametrize(("run", "allocated"), [(-1, 4), (-1, -1), (0, -1)])
def test_a_job_cancelled_while_waiting_can_be_replayed(
    tmp_path: Path, run: int, allocated: int
) -> None:
    """Such jobs held places in the real queue; Curie writes them with run 0 and no processors."""
    cancelled = line(1, wait=90, run=run, allocated=allocated, requested=4, status=5)
    workload = read(tmp_path, cancelled, line(2), cancelled="replay")
    assert workload["run_s"].tolist() == [0, 10]
    assert workload["cancel_after_s"].tolist() == [90, -1]
    assert workload["nodes"].tolist() == [4, 1]


def test_only_a_known_wait_can_be_replayed(tmp_path: Path) -> None:
    """Without the wait it is unknown when the job was withdrawn."""
    cancelled = line(1, wait=-1, run=-1, status=5)
    workload = read(tmp_path, cancelled, line(2), cancelled="replay")
    assert workload["job_id"].tolist() == [2]


def test_a_job_that_never_ran_can_be_given_a_short_run(tmp_path: Path) -> None:
    """RLScheduler reads traces like this: its figures count such jobs."""
    workload = read(tmp_path, line(1, run=-1, status=5), line(2, run=7), cancelled="short")
    assert workload["run_s"].tolist() == [10, 7]
    assert workload.report.repaired["never ran (run time below 0), given a run of 10 s"] == 1


CANCELLED = "cancelled while waiting (run time 0, no processors)"


def test_a_cancelled_job_with_run_0_is_dropped_as_any_other(tmp_path: Path) -> None:
    """Curie writes 9,786 jobs like this; one that had processors did run."""
    cancelled = line(1, wait=90, run=0, allocated=-1, status=5)
    workload = read(tmp_path, cancelled, line(2, run=0, status=5), line(3))
    assert workload["job_id"].tolist() == [2, 3]
    assert workload.report.dropped[CANCELLED] == 1


def test_a_cancelled_job_with_run_0_can_be_given_a_short_run(tmp_path: Path) -> None:
    """It does not matter how the trace writes that the job never ran."""
    workload = read(tmp_path, line(1, wait=90, run=0, allocated=-1, status=5), cancelled="short")
    assert workload["run_s"].tolist() == [10]
    assert workload.report.repaired[f"{CANCELLED}, given a run of 10 s"] == 1


@pytest.mark.parametrize(("procs", "nodes"), [("allocated", [4, 2, 2]), ("requested", [3, 2, 2])])
def test_either_count_of_processors_stands_in_for_the_other(
    tmp_path: Path, procs: Literal["allocated", "requested"], nodes: list[int]
) -> None:
    """CTC has no requests at all, Curie has none for a quarter of its jobs."""
    workload = read(
        tmp_path,
        line(1, allocated=4, requested=3),
        line(2, allocated=2, requested=-1),
        line(3, allocated=0, requested=2),
        procs=procs,
    )
    assert workload["nodes"].tolist() == nodes


def test_a_job_without_processors_is_dropped(tmp_path: Path) -> None:
    """Such a job occupies nothing."""
    workload = read(tmp_path, line(1, allocated=0, requested=-1), line(2))
    assert workload.report.dropped == {"no processors": 1}


def test_a_job_submitted_before_time_0_is_dropped(tmp_path: Path) -> None:
    """LLNL Thunder has lines with -1 for the submission."""
    workload = read(tmp_path, line(1, submit=-1), line(2))
    assert workload.report.dropped == {"submitted before time 0": 1}


@pytest.mark.parametrize(
    ("run", "request_s", "expected"),
    [(10, -1, 10), (10, 0, 10), (0, -1, 1), (0, 0.3, 1), (10, 2**31, 2**31)],
)
def test_a_request_is_at_least_one_second(
    tmp_path: Path, run: int, request_s: float, expected: int
) -> None:
    """A missing request becomes the run time, as is usual; a huge one is kept as written."""
    assert read(tmp_path, line(run=run, request=request_s))["request_s"].tolist() == [expected]


def test_fractions_are_rounded_in_integer_fields(tmp_path: Path) -> None:
    """The simulator's clock counts whole seconds."""
    workload = read(tmp_path, line(run=9.7, submit=0.2))
    assert (workload["run_s"][0], workload["submit_s"][0]) == (10, 0)
    assert list(workload.report.repaired.values()) == [1]


def test_jobs_are_sorted_by_submission_and_keep_their_order_in_ties(tmp_path: Path) -> None:
    """The order of the file is all there is to tell simultaneous jobs apart."""
    workload = read(tmp_path, line(1, submit=5), line(4, submit=3), line(3, submit=3), line(2, 9))
    assert workload["job_id"].tolist() == [4, 3, 1, 2]
    assert workload.report.repaired == {"not in order of submission, sorted": 2}


def test_a_job_number_met_before_gets_a_new_one(tmp_path: Path) -> None:
    """Numbers follow the largest of the file, so that none is taken twice."""
    workload = read(tmp_path, line(7), line(7), line(9), line(-1), line(7))
    assert workload["job_id"].tolist() == [7, 10, 9, 11, 12]


def test_a_dependency_on_a_job_that_is_not_there_is_removed(tmp_path: Path) -> None:
    """Otherwise the job would wait for ever: job 1 was dropped, 99 never existed, 4 is itself."""
    workload = read(
        tmp_path,
        line(1, run=-1),
        line(2, after=1),
        line(3, after=99),
        line(4, after=4),
        line(5, after=2),
    )
    assert workload["depends_on"].tolist() == [-1, -1, -1, 2]
    assert list(workload.report.repaired.values()) == [3]


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (line(2, run=-1), "never ran"),
        (line(2, allocated=-1), "no allocated processors"),
        (line(2, request=-1), "no requested time"),
        (line(1), "job number missing or met before"),
        (line(2, submit=1.5), "value with a fraction"),
        (line(2, after=9), "preceding job"),
    ],
)
def test_strict_reading_refuses_and_says_where(tmp_path: Path, bad: str, reason: str) -> None:
    """A user who needs the file exactly as it is wants to correct it by hand."""
    with pytest.raises(InputError, match=rf"a\.swf:2: job \d: {reason}"):
        read(tmp_path, line(1), bad, line(3, run=-1), strict=True)


def test_strict_reading_accepts_what_is_merely_odd(tmp_path: Path) -> None:
    """A run beyond its request needs no repair."""
    workload = read(tmp_path, line(1, run=30), line(2, run=0), strict=True)
    assert sum(workload.report.noticed.values()) == 2


def test_a_file_of_nothing_usable_is_an_error(tmp_path: Path) -> None:
    """An empty workload would give empty tables and no hint why."""
    with pytest.raises(InputError, match="no usable job; dropped 2 of 2: never ran"):
        read(tmp_path, line(1, run=-1), line(2, run=-1))


def test_options_are_checked() -> None:
    """A misspelt option must not fall back to the default."""
    with pytest.raises(ParameterError, match='procs is "used"; must be allocated or requested'):
        read_workload(SAMPLE, procs="used")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="flops_per_s is 0; must be > 0"):
        read_workload(SAMPLE, flops_per_s=0)
