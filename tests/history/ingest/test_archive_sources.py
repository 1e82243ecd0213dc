"""SWF and GWF traces as sources of records."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.history.ingest.reading import clean, read

from schedlab.history.ingest.archive_trace import GwfTrace, SwfTrace
from schedlab.history.schema import JobState
from schedlab.history.schema.times import from_epoch

UNENDING = "$.req_walltime_sec: is inf: input should be a finite number"
DATA = Path(__file__).parents[2] / "data"


def swf(path: Path, *lines: str, header: str = "; UnixStartTime: 1000\n") -> SwfTrace:
    """Return a source of a trace with these lines."""
    path.write_text(header + "".join(f"{line}\n" for line in lines))
    return SwfTrace("swf", file=str(path), cluster="one")


def test_a_job_of_swf(tmp_path: Path) -> None:
    """Processors stand for hosts; times count from UnixStartTime."""
    line = "7 100 20 300 8 250 512 16 600 1024 1 3 4 5 6 2 5 60"
    job = clean(swf(tmp_path / "a.swf", line))["7"]
    assert job.queue_time == from_epoch(1100)
    assert job.start_time == from_epoch(1120)
    assert job.end_time == from_epoch(1420)
    assert (job.resource_req.num_host, job.resource_req.mem_perhost_bytes) == (16, 1 << 20)
    assert job.resource_alloc is not None
    assert job.resource_alloc.num_host == 8
    assert job.usage is not None
    assert (job.usage.cpu_sec, job.usage.maxrss_bytes) == (2000, 8 * 512 * 1024)
    assert (job.user_identifier, job.accounting_group, job.partition) == ("3", "4", "2")
    assert (job.dependency, job.per_host) == (["5"], [])
    assert job.model_extra == {"queue": "6", "think_time_sec": 60}


def test_jobs_that_never_ran(tmp_path: Path) -> None:
    """A job may be withdrawn after its wait; a completed job must have a known run time."""
    withdrawn = "1 0 50 -1 -1 -1 -1 4 600 -1 5 3 4 5 6 2 -1 -1"
    unknown = "2 0 50 -1 4 -1 -1 4 600 -1 1 3 4 5 6 2 -1 -1"
    records, faults = read(swf(tmp_path / "a.swf", withdrawn, unknown))
    job = records["1"]
    assert (job.state, job.start_time, job.end_time) == (JobState.CANCELLED, None, from_epoch(1050))
    assert faults == [f"{tmp_path / 'a.swf'}:3: the job completed, but its run time is unknown"]


def test_a_wait_that_is_unknown_is_none(tmp_path: Path) -> None:
    """Models that make traces leave the wait out; such a job starts when it is submitted."""
    job = clean(swf(tmp_path / "a.swf", "1 50 -1 30 4 -1 -1 -1 600 -1 1 -1 -1 -1 -1 -1 -1 -1"))["1"]
    assert job.start_time == job.queue_time == from_epoch(1050)
    assert job.end_time == from_epoch(1080)
    assert (job.usage, job.user_identifier, job.model_extra) == (None, None, {})


def test_parts_of_a_job_are_left_to_its_whole(tmp_path: Path) -> None:
    """A checkpointed job has a line for each part and one for all."""
    lines = [f"1 0 5 9 4 -1 -1 4 600 -1 {status} 3 4 5 6 2 -1 -1" for status in (1, 2, 3)]
    assert list(clean(swf(tmp_path / "a.swf", *lines))) == ["1"]


def test_the_trace_is_read_on(tmp_path: Path) -> None:
    """The start of the trace, which is in the header, is remembered."""
    line = "1 100 20 300 8 250 512 16 600 1024 1 3 4 5 6 2 -1 -1"
    source = swf(tmp_path / "a.swf", line)
    clean(source)
    with (tmp_path / "a.swf").open("a") as trace:
        trace.write(line.replace("1 100", "2 200", 1) + "\n")
    jobs = clean(source, source.cursor)
    assert list(jobs) == ["2"]
    assert jobs["2"].queue_time == from_epoch(1200)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("1 2 3", "3 fields; a line has 18"),
        ("1 x 20 300 8 250 512 16 600 1024 1 3 4 5 6 2 -1 -1", '"x" is not a number'),
        (
            "1 100 nan 300 8 250 512 16 600 1024 1 3 4 5 6 2 -1 -1",
            "Invalid value NaN (not a number)",
        ),
        ("1 100 20 300 8 250 512 16 inf 1024 1 3 4 5 6 2 -1 -1", UNENDING),
    ],
)
def test_a_broken_line_is_a_fault(tmp_path: Path, line: str, reason: str) -> None:
    """The fault has the line number, and the next line is read."""
    good = "2 100 20 300 8 250 512 16 600 1024 1 3 4 5 6 2 -1 -1"
    records, faults = read(swf(tmp_path / "a.swf", line, good))
    assert list(records) == ["2"]
    assert faults == [f"{tmp_path / 'a.swf'}:2: {reason}"]


def test_names_of_gwf() -> None:
    """In GWF, names are texts and times count from 1970."""
    jobs = clean(GwfTrace("gwf", file=str(DATA / "ten.gwf")))
    first = jobs["1"]
    assert (first.user_identifier, first.application) == ("U1", "X1")
    assert first.queue_time == from_epoch(1136070690)
    assert first.req_walltime_sec == 259200


def test_a_real_trace_is_read_whole(shared_data: Path) -> None:
    """Every job of a real trace becomes a record, or a fault that gives the reason."""
    traces = sorted(shared_data.glob("**/*.swf*"), key=lambda path: path.stat().st_size)
    if not traces:
        pytest.skip("no SWF traces beside the repository")
    records, faults = read(SwfTrace("swf", file=str(traces[0])))
    assert len(records) > 100
    assert len(faults) < len(records) / 10
