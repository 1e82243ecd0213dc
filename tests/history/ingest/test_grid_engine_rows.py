"""Grid Engine's accounting: rows of one job put together, reruns told apart, units guessed."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.history.ingest.reading import clean, read

from schedlab.history.ingest.grid_engine import GridEngine
from schedlab.history.schema import JobState
from schedlab.workload.readers.grid_engine_row import FIELDS, bytes_in, requests_in, seconds_in

NOON_S = 1_794_744_000

DONE = {
    **dict.fromkeys(FIELDS, "0"),
    "qname": "all.q",
    "hostname": "n01",
    "group": "users",
    "owner": "ann",
    "job_name": "sim",
    "job_number": "7",
    "account": "sge",
    "submission_time": str(NOON_S),
    "start_time": str(NOON_S + 10),
    "end_time": str(NOON_S + 100),
    "project": "NONE",
    "department": "defaultdepartment",
    "granted_pe": "NONE",
    "slots": "1",
    "cpu": "80.5",
    "ru_maxrss": "4504.000000",
    "category": "-l h_rt=300",
    "pe_taskid": "NONE",
    "maxvmem": "3059712.000000",
}


def row(**changes: object) -> str:
    """Return a line of the file: the job above with these changes."""
    return ":".join(str(value) for value in {**DONE, **changes}.values()) + "\n"


def accounting(path: Path, *rows: str) -> GridEngine:
    """Return a source of a file with these rows."""
    path.write_text("# Version: 8.1.9\n# \n" + "".join(rows))
    return GridEngine("sge", file=str(path), cluster="one")


def test_a_serial_job(tmp_path: Path) -> None:
    """The limit is in the category and nowhere else."""
    job = clean(accounting(tmp_path / "a", row()))["7"]
    assert (job.req_walltime_sec, job.state, job.exit_status) == (300, JobState.COMPLETED, 0)
    assert (job.user_identifier, job.accounting_group, job.partition) == ("ann", "sge", "all.q")
    assert job.usage is not None
    assert (job.usage.cpu_sec, job.usage.maxrss_bytes) == (80.5, 4504 * 1024)


def test_milliseconds_and_more_fields_of_univa(tmp_path: Path) -> None:
    """The same job in the releases of Univa and Altair, deleted by its owner."""
    times = {name: DONE[name] + "000" for name in ("submission_time", "start_time", "end_time")}
    tail = ":NONE:ann@login:5000000:4000000:login:/home/ann:qsub x.sh:90.1:12:0\n"
    line = row(**times).rstrip("\n") + tail
    job = clean(accounting(tmp_path / "a", line))["7"]
    plain = clean(accounting(tmp_path / "a", row()))["7"]
    assert (job.identity, job.end_time) == (plain.identity, plain.end_time)
    assert job.state is JobState.CANCELLED
    assert job.usage is not None
    assert job.usage.maxrss_bytes == 5_000_000


def test_rows_of_a_parallel_job_are_one_record(tmp_path: Path) -> None:
    """Tasks on other hosts have rows of their own, before or shortly after the job's."""
    task = {"submission_time": 0, "slots": 8, "pe_taskid": "1.n02", "cpu": "100"}
    early = row(hostname="n02", **task)
    late = row(hostname="n03", **task, end_time=NOON_S + 120)
    other = row(job_number=8, end_time=NOON_S + 90)
    master = row(slots=8, category="-l h_rt=300,h_vmem=2G -pe mpi 8")
    jobs = clean(accounting(tmp_path / "a", early, other, master, late))
    job = jobs["7"]
    assert [host.node_id for host in job.per_host or ()] == ["n01", "n02", "n03"]
    assert (job.resource_req.num_host, job.resource_req.num_cpu_perhost) == (3, 3)
    assert job.resource_req.mem_perhost_bytes == 3 * (2 << 30)
    assert job.usage is not None
    assert job.usage.cpu_sec == 280.5
    assert [host.node_id for host in jobs["8"].per_host or ()] == ["n01"]


def test_array_tasks_are_jobs(tmp_path: Path) -> None:
    """Tasks have the ids that qacct takes."""
    jobs = clean(accounting(tmp_path / "a", *(row(task_number=n) for n in (1, 2))))
    assert list(jobs) == ["7.1", "7.2"]
    assert (jobs["7.2"].array_job_id, jobs["7.2"].array_task_id) == ("7", 2)


def test_a_job_that_was_rescheduled_has_attempts(tmp_path: Path) -> None:
    """Each row is an attempt; all but the last were requeued."""
    first = row(failed=25)
    second = row(start_time=NOON_S + 200, end_time=NOON_S + 290)
    jobs = clean(accounting(tmp_path / "a", first, second))
    assert [(i, str(job.state), job.attempt) for i, job in jobs.items()] == [
        ("7", "requeued", 1),
        ("7.r2", "completed", 2),
    ]


def test_a_rescheduled_row_without_times_counts_and_no_more(tmp_path: Path) -> None:
    """Grid Engine 8.1.9 writes such rows; they only show that there was an attempt."""
    empty = row(failed=25, submission_time=0, start_time=0, end_time=0)
    source = accounting(tmp_path / "a", empty)
    assert clean(source) == {}
    with (tmp_path / "a").open("a") as file:
        file.write(row())
    assert [(i, job.attempt) for i, job in clean(source, source.cursor).items()] == [("7.r2", 2)]


@pytest.mark.parametrize(
    ("failed", "status", "ran_s", "state", "exit_status"),
    [
        (0, 0, 90, JobState.COMPLETED, 0),
        (0, 3, 90, JobState.FAILED, 3),
        (37, 137, 300, JobState.TIMEOUT, 137),
        (100, 137, 299, JobState.TIMEOUT, 137),
        (0, 137, 301, JobState.TIMEOUT, 137),
        (0, 3, 301, JobState.FAILED, 3),
        (100, 137, 50, JobState.FAILED, 137),
        (1, 0, 0, JobState.FAILED, -1),
    ],
)
def test_how_a_job_ended(
    tmp_path: Path, failed: int, status: int, ran_s: int, state: JobState, exit_status: int
) -> None:
    """37 means an enforced limit, and so does a signal that ended job or shell at the limit."""
    line = row(failed=failed, exit_status=status, end_time=NOON_S + 10 + ran_s)
    job = clean(accounting(tmp_path / "a", line))["7"]
    assert (job.state, job.exit_status) == (state, exit_status)


@pytest.mark.parametrize(
    ("maxvmem", "state"), [(5 << 30, JobState.OUT_OF_MEMORY), (1 << 30, JobState.TIMEOUT)]
)
def test_the_limit_that_was_enforced_may_be_that_of_memory(
    tmp_path: Path, maxvmem: int, state: JobState
) -> None:
    """37 stands for run time, CPU time and memory: it is memory if 2 slots of 2 GiB were full."""
    asked = {"slots": 2, "category": "-l h_rt=300,h_vmem=2G -pe smp 2"}
    line = row(failed=37, exit_status=137, maxvmem=maxvmem, **asked)
    assert clean(accounting(tmp_path / "a", line))["7"].state is state


@pytest.mark.parametrize(
    ("field", "text", "reason"),
    [
        ("job_number", "seven", 'job_number is "seven"; must be a number'),
        ("io", "inf", 'io is "inf"; must be a number'),
        ("end_time", "9" * 20, "1e+17 s after 1970 is not a time"),
        ("failed", "", 'failed is ""; must be a number'),
    ],
)
def test_a_value_that_is_none_is_named(tmp_path: Path, field: str, text: str, reason: str) -> None:
    """A row with such a value is a fault, and the next one is read."""
    records, faults = read(accounting(tmp_path / "a", row(**{field: text}), row(job_number=8)))
    assert list(records) == ["8"]
    assert faults == [f"{tmp_path / 'a'}:3: {reason}"]


def test_a_job_that_could_not_be_started(tmp_path: Path) -> None:
    """The job has no start and no hosts."""
    job = clean(accounting(tmp_path / "a", row(failed=21, start_time=0)))["7"]
    assert (job.start_time, job.per_host) == (None, None)


def test_reading_on_completes_what_was_half_written(tmp_path: Path) -> None:
    """Tasks whose job has no row yet are read again with it; no record is wrong meanwhile."""
    path = tmp_path / "a"
    task = row(hostname="n02", pe_taskid="1.n02", submission_time=0)
    old = {"submission_time": NOON_S - 900, "start_time": NOON_S - 900, "end_time": NOON_S - 800}
    source = accounting(path, row(job_number=3, **old), task)
    assert list(clean(source)) == ["3"]
    with path.open("a") as file:
        file.write(row(slots=2))
    again = clean(source, source.cursor)
    assert [host.node_id for host in again["7"].per_host or ()] == ["n01", "n02"]
    later = clean(source, source.cursor)
    assert later == {"7": again["7"]}


def test_old_rows_are_settled_and_not_read_again(tmp_path: Path) -> None:
    """The cursor moves on with the file."""
    path = tmp_path / "a"
    timeless = row(job_number=99, failed=28, start_time=0, end_time=0)
    rows = [row(job_number=n, end_time=NOON_S + 100 * n) for n in range(1, 9)]
    source = accounting(path, *rows[:3], timeless, *rows[3:])
    assert len(clean(source)) == 9
    assert list(clean(source, source.cursor)) == ["8"]


def test_tasks_whose_job_never_comes_are_a_fault_in_the_end(tmp_path: Path) -> None:
    """Such tasks must not hold up the cursor for ever."""
    orphan = row(job_number=1, pe_taskid="1.n02")
    month = row(end_time=NOON_S + 31 * 86400)
    records, faults = read(accounting(tmp_path / "a", orphan, month))
    assert list(records) == ["7"]
    assert faults == [f"{tmp_path / 'a'}:3: parallel tasks of job 1 without its own row"]


def test_broken_rows_are_faults(tmp_path: Path) -> None:
    """A crash of qmaster leaves half a line."""
    path = tmp_path / "a"
    source = accounting(path, row()[:90] + "\n", row(job_number="x"), row())
    records, faults = read(source)
    assert list(records) == ["7"]
    assert [fault.split(": ")[0] for fault in faults] == [f"{path}:3", f"{path}:4"]


def test_what_a_category_says() -> None:
    """A category may have several -l, times in both forms, and decimal or binary memory."""
    wanted = requests_in("-u ann -l h_rt=1:00:00,gpu=2 -l h_vmem=4G -pe mpi 8")
    assert wanted == {"h_rt": "1:00:00", "gpu": "2", "h_vmem": "4G"}
    assert (seconds_in("1:00:00"), seconds_in("90"), seconds_in("INFINITY")) == (3600, 90, None)
    assert (bytes_in("4G"), bytes_in("4g"), bytes_in(None)) == (4 << 30, 4 * 10**9, None)


def test_the_real_file(shared_data: Path) -> None:
    """A real file of Grid Engine 8.1.9 has serial, parallel, array and killed jobs."""
    path = shared_data / "samples" / "gridengine" / "accounting"
    jobs = clean(GridEngine("sge", file=str(path)))
    assert len(jobs) == 16
    assert {"10.1", "10.2", "10.3"} <= jobs.keys()
    assert (jobs["11"].state, jobs["11"].req_walltime_sec) == (JobState.TIMEOUT, 5)
    assert jobs["7"].resource_req.num_cpu_perhost == 4
    assert jobs["13"].req_walltime_sec is None
