"""A real Grid Engine 8.1.9: records from its accounting agree with what qacct prints."""

from __future__ import annotations

import re

import pytest
from tests.history.ingest.reading import clean
from tests.services.grid_engine import HOST, GridEngineCell
from tests.services.users import ANN, BOB
from tests.services.waiting import until

from schedlab.history.ingest.grid_engine import GridEngine
from schedlab.history.schema import JobRecord, JobState

pytestmark = pytest.mark.slow

ENDED = 10
"""Rows that the history below leaves: a rescheduled job has two, an array three."""


@pytest.fixture(scope="module")
def history(grid_engine: GridEngineCell) -> GridEngineCell:
    """The cell after jobs that ended in several ways."""
    cell, script = grid_engine, ("-cwd", "-b", "y", "-o", "/dev/null", "-j", "y")
    cell.submit(BOB, *script, "-N", "late", "-l", "h_rt=0:0:6", "sleep", "60")
    cell.submit(ANN, *script, "-N", "plain", "-l", "h_rt=300", "sleep", "1")
    cell.submit(ANN, *script, "-N", "wide", "-l", "h_rt=1:0:0", "-pe", "smp", "4", "sleep", "1")
    cell.submit(BOB, *script, "-N", "array", "-t", "1-5:2", "sleep", "1")
    cell.submit(BOB, *script, "-N", "fail", "exit 3")
    stop = cell.submit(ANN, *script, "-N", "stop", "sleep", "60")
    # A rescheduled job may go on beside its second attempt: it ends once the file is there.
    gone = cell.folder / "jobs" / "gone"
    first = f"test $RESTARTED = 1 || until test -e {gone}; do sleep 0.1; done"
    back = cell.submit(ANN, *script, "-N", "back", "-r", "y", first)
    until(lambda: _running(cell) >= {stop, back}, "they run")
    cell.run("qdel", stop)
    cell.run("qmod", "-rj", back)
    gone.touch()
    until(lambda: not cell.run("qstat", "-u", "*").strip(), "all jobs ended")
    until(lambda: len(_rows(cell)) == ENDED, "all jobs are in the accounting")
    return cell


def _running(cell: GridEngineCell) -> set[str]:
    lines = cell.run("qstat", "-s", "r", "-u", "*").splitlines()[2:]
    return {line.split()[0] for line in lines}


def _rows(cell: GridEngineCell) -> list[dict[str, str]]:
    """Return the fields that qacct prints for each row."""
    text = cell.attempt("qacct", "-j", "*").stdout
    blocks = re.split(r"^=+\n", text, flags=re.MULTILINE)[1:]
    return [dict(_pair(line) for line in block.splitlines() if line.strip()) for block in blocks]


def _pair(line: str) -> tuple[str, str]:
    name, _, value = line.partition(" ")
    return name, value.strip()


def _source(cell: GridEngineCell) -> GridEngine:
    return GridEngine("sge", file=str(cell.accounting), cluster="testcl")


def _time(job: JobRecord, item: str) -> str:
    moment = getattr(job, item)
    return moment.strftime("%a %b %e %H:%M:%S %Y") if moment else "-/-"


def test_every_record_says_what_qacct_says(history: GridEngineCell) -> None:
    """Ids, names, times, slots and exit codes of all rows agree."""
    records = clean(_source(history))
    rows = [row for row in _rows(history) if row["failed"].split()[0] != "25"]
    assert len(records) == len(rows) == ENDED - 1
    by_start = {
        (job.jobid.partition(".r")[0], _time(job, "start_time")): job for job in records.values()
    }
    for row in rows:
        task = "" if row["taskid"] == "undefined" else f".{row['taskid']}"
        job = by_start[row["jobnumber"] + task, row["start_time"]]
        assert (job.job_name, job.user_identifier) == (row["jobname"], row["owner"])
        assert _time(job, "queue_time") == row["qsub_time"]
        assert _time(job, "end_time") == row["end_time"]
        assert job.resource_alloc is not None
        assert job.resource_alloc.num_cpu == int(row["slots"])
        assert [host.node_id for host in job.per_host or ()] == [HOST]
        code = int(row["exit_status"].split()[0])
        assert job.exit_status == code or (code == 0 and job.exit_status == -1)


def test_how_the_jobs_ended_and_what_they_asked_for(history: GridEngineCell) -> None:
    """Requested limits, enforced limits, exit codes, reruns and arrays are recognised."""
    records = clean(_source(history))
    by_name = {job.job_name: job for job in records.values()}
    assert by_name["plain"].req_walltime_sec == 300
    assert by_name["wide"].req_walltime_sec == 3600
    assert by_name["wide"].resource_req.num_cpu_perhost == 4
    assert by_name["late"].state is JobState.TIMEOUT, history.accounting.read_text()
    assert by_name["fail"].exit_status == 3
    assert by_name["stop"].exit_signal == 9
    assert by_name["back"].attempt == 2
    tasks = sorted(job.array_task_id or 0 for job in records.values() if job.job_name == "array")
    assert tasks == [1, 3, 5]


def test_reading_the_growing_file_on_finds_what_is_new(history: GridEngineCell) -> None:
    """A later reading finds the new job, and all earlier jobs as they were."""
    source = _source(history)
    before = clean(source)
    new = history.submit(ANN, "-cwd", "-b", "y", "-o", "/dev/null", "-j", "y", "true")
    until(lambda: new in history.accounting.read_text(), "it ended")
    until(lambda: new in clean(source, source.cursor), "its row is whole")
    after = clean(_source(history))
    assert after.keys() - before.keys() == {new}
    assert all(after[jobid] == job for jobid, job in before.items())
