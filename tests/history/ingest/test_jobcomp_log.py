"""Slurm's completion log: names with blanks, states, and reading on as it grows."""

from __future__ import annotations

from pathlib import Path

from tests.history.ingest.reading import clean, read

from schedlab.history.ingest.slurm.jobcomp import JobComp
from schedlab.history.ingest.slurm.sacct_text import SacctText
from schedlab.history.schema import JobState

LINE = (
    "JobId={id} UserId=ann(1001) GroupId=ann(1001) Name={name} JobState={state} Partition=batch "
    "TimeLimit={limit} StartTime=2026-11-15T00:49:52 EndTime=2026-11-15T00:49:54 NodeList={nodes} "
    "NodeCnt=1 ProcCnt=2 WorkDir=/my jobs ReservationName= Tres=cpu=2,mem=2000M,node=1 "
    "Account=physics QOS=normal WcKey= Cluster=one SubmitTime=2026-11-15T00:49:50 "
    "EligibleTime=2026-11-15T00:49:50 {more}DerivedExitCode=0:0 ExitCode=0:0 \n"
)


def line(id: int = 1, name: str = "sim", state: str = "COMPLETED", more: str = "") -> str:
    """Return one line of the log."""
    return LINE.format(id=id, name=name, state=state, limit=5, nodes="n02", more=more)


def test_names_are_not_escaped(tmp_path: Path) -> None:
    """A name may hold blanks, equal signs, even something like the next key."""
    name = "x JobState=FAILED y = é"
    (tmp_path / "log").write_text(line(name=name) + line(2))
    jobs = clean(JobComp("log", file=str(tmp_path / "log")))
    assert jobs["1"].job_name == name
    assert jobs["1"].state is JobState.COMPLETED
    assert (jobs["1"].user_identifier, jobs["1"].req_walltime_sec) == ("ann", 300)
    assert list(jobs) == ["1", "2"]


def test_a_name_may_hold_line_ends_and_makes_up_no_job(tmp_path: Path) -> None:
    """Even a name that looks like the line of another user's job makes up none."""
    forged = "x\nJobId=99 UserId=bob(1002) GroupId=bob(1002) Name=y"
    (tmp_path / "log").write_text(line(name="two\nlines\n") + line(2, forged) + line(3))
    jobs = clean(JobComp("log", file=str(tmp_path / "log")))
    assert [(i, job.job_name, job.user_identifier) for i, job in jobs.items()] == [
        ("1", "two\nlines\n", "ann"),
        ("2", forged, "ann"),
        ("3", "sim", "ann"),
    ]


def test_a_name_that_is_half_written_is_waited_for(tmp_path: Path) -> None:
    """The next reading begins at the line that broke off."""
    path, whole = tmp_path / "log", line(2, "two\nlines")
    first, _, rest = whole.partition("\n")
    path.write_text(line() + first + "\n")
    source = JobComp("log", file=str(path))
    assert list(clean(source)) == ["1"]
    with path.open("a") as log:
        log.write(rest + line(3))
    assert [job.job_name for job in clean(source, source.cursor).values()] == ["two\nlines", "sim"]


def test_a_pending_job_that_ended_was_put_back(tmp_path: Path) -> None:
    """The log has a line for each end, so a job that ends as pending was requeued."""
    again = line().replace("00:49:50", "00:49:55").replace("00:49:52", "00:49:56")
    (tmp_path / "log").write_text(line(state="PENDING") + again.replace("00:49:54", "00:49:58"))
    jobs = clean(JobComp("log", file=str(tmp_path / "log")))
    assert [(i, str(job.state)) for i, job in jobs.items()] == [
        ("1", "requeued"),
        ("1.r2", "completed"),
    ]


def test_the_log_is_read_on_with_its_memory(tmp_path: Path) -> None:
    """A second attempt that comes in a later reading is still the second."""
    path = tmp_path / "log"
    path.write_text(line(state="PENDING"))
    source = JobComp("log", file=str(path))
    clean(source)
    again = line().replace("00:49:50", "00:49:55").replace("00:49:52", "00:49:56")
    with path.open("a") as log:
        log.write(again.replace("00:49:54", "00:49:58"))
    assert list(clean(source, source.cursor)) == ["1.r2"]


def test_a_broken_line_is_a_fault(tmp_path: Path) -> None:
    """The line after a broken one is read."""
    (tmp_path / "log").write_text("JobId=7 UserId=\n" + line(2))
    records, faults = read(JobComp("log", file=str(tmp_path / "log")))
    assert list(records) == ["2"]
    assert faults == [
        f"{tmp_path / 'log'}:1: no line of jobcomp/filetxt: JobId=... Name=... JobState=..."
    ]


def test_the_real_log_says_what_sacct_says(shared_data: Path) -> None:
    """The log agrees with sacct, but it has no steps, no priority and no submit line."""
    folder = shared_data / "samples" / "slurm"
    text = clean(SacctText("text", file=str(folder / "sacct_P_ALL.txt")))
    log = clean(JobComp("log", file=str(folder / "jobcomp_filetxt.log")))
    same = ["queue_time", "start_time", "end_time", "state", "resource_req", "per_host", "qos"]
    same += ["user_identifier", "accounting_group", "req_walltime_sec", "array_task_id", "job_name"]
    assert text.keys() <= log.keys()
    for jobid, job in text.items():
        for item in same:
            assert getattr(log[jobid], item) == getattr(job, item), (jobid, item)
