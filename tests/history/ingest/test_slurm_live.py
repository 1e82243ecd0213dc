"""A real Slurm with slurmdbd and MariaDB: records agree with what its commands print."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.history.ingest.reading import clean, read
from tests.services.slurm import CLUSTER, Slurm
from tests.services.users import ANN, BOB
from tests.services.waiting import until

from schedlab.errors import PeerError
from schedlab.history.ingest import Fault, JobSource
from schedlab.history.ingest.slurm.database import SlurmDatabase
from schedlab.history.ingest.slurm.jobcomp import JobComp
from schedlab.history.ingest.slurm.sacct_json import SacctJson
from schedlab.history.ingest.slurm.sacct_text import SacctText
from schedlab.history.schema import JobState
from schedlab.platform.hostlist import fold_hosts

pytestmark = pytest.mark.slow

RUNS = 15
"""Number of attempts at jobs in the history below."""


@pytest.fixture(scope="module")
def history(slurm: Slurm) -> Slurm:
    """The cluster after jobs that ended in every way that takes only seconds."""
    submit, before = slurm.submit, len(_sacct(slurm))
    late = submit(ANN, "-J", "late", "-t", "5", "--wrap", "sleep 99")
    until(lambda: _state(slurm, late) == "RUNNING", "it runs, so that no job gets all nodes")
    submit(ANN, "-J", "pipe|name é = x", "-n2", "-t", "5", "--wrap", "srun sleep 1")
    about = ("-t", "1-02:03:04", "--mem=300", "--comment", "proj=qcd")
    first = submit(ANN, "-J", "first", *about, "--wrap", "sleep 1")
    submit(BOB, "-J", "then", "-d", f"afterok:{first}", "--wrap", "sleep 1")
    submit(BOB, "-J", "array", "-a", "1,3-5:2%2", "--wrap", "sleep 1")
    submit(BOB, "-J", "fail", "--wrap", "exit 7")
    submit(BOB, "-J", "crash", "--wrap", "kill -SEGV $$")
    once = 'test "$SLURM_RESTART_COUNT" ||\nsleep 99'
    back = submit(ANN, "-J", "back", "--requeue", "--wrap", once)
    stop = submit(BOB, "-J", "stop", "--wrap", "sleep 99")
    slurm.run("srun", "-J", "typed", "sleep", "1", user=BOB)
    submit(ANN, "-J", "wide", "-N8", "-t", "UNLIMITED", "--exclusive", "--wrap", "srun hostname")
    never = submit(BOB, "-J", "never", "-N8", "--exclusive", "--wrap", "sleep 99")
    until(lambda: _state(slurm, back) == _state(slurm, stop) == "RUNNING", "they run")
    slurm.run("scontrol", "requeue", back)
    slurm.run("scancel", stop)
    slurm.run("scancel", never)
    slurm.run("scontrol", "update", f"JobId={late}", "AdminComment=watch\nthis")
    slurm.run("scontrol", "update", f"JobId={late}", "EndTime=now+1")
    until(lambda: not slurm.run("squeue", "-h"), "the queue is empty")
    until(lambda: len(_sacct(slurm)) == before + RUNS, "the accounting has all of them")
    # On a busy machine, the start of a job that was soon cancelled is recorded after its end.
    until(lambda: stop in _with_nodes(slurm), "the accounting knows where they ran")
    return slurm


def _with_nodes(slurm: Slurm) -> set[str]:
    return {row["JobID"] for row in _sacct(slurm) if row["NodeList"] != "None assigned"}


def _state(slurm: Slurm, job: str) -> str:
    return slurm.run("squeue", "-h", "-j", job, "-o", "%T").strip()


def _sacct(slurm: Slurm) -> list[dict[str, str]]:
    """Return what sacct prints about all attempts that ended."""
    columns = "JobID,State,JobName%50,Submit,Start,End,NodeList,User,Account,QOS,TimelimitRaw"
    columns += ",ExitCode,ReqNodes,AllocCPUS"
    options = ("-aDX", "-p", "--delimiter=\x1e", "-S", "2020-01-01", "-o", columns)
    lines = slurm.run("sacct", *options).split("\x1e\n")[:-1]
    header, *rows = (line.split("\x1e") for line in lines)
    jobs = [dict(zip(header, row, strict=True)) for row in rows]
    return [job for job in jobs if job["End"] != "Unknown"]


def _live(slurm: Slurm, monkeypatch: pytest.MonkeyPatch, kind: str) -> JobSource:
    monkeypatch.setenv("SLURM_CONF", slurm.environment["SLURM_CONF"])
    sources: dict[str, JobSource] = {
        "text": SacctText("sacct"),
        "json": SacctJson("json"),
        "log": JobComp("log", file=str(slurm.completion_log)),
        "database": SlurmDatabase("database", slurm.database_url, CLUSTER),
    }
    return sources[kind]


def _text(moment: datetime | None) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S") if moment else "None"


def test_every_record_says_what_sacct_says(history: Slurm, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ids, names, times, nodes, limits and states of all jobs and attempts agree."""
    records = clean(_live(history, monkeypatch, "text"))
    by_start = {
        (job.jobid.partition(".r")[0], _text(job.queue_time)): job for job in records.values()
    }
    rows = _sacct(history)
    assert len(by_start) == len(rows) >= RUNS
    for row in rows:
        job = by_start[row["JobID"], row["Submit"]]
        assert job.state == row["State"].partition(" ")[0].lower()
        assert (job.job_name, job.user_identifier) == (row["JobName"], row["User"])
        assert (job.accounting_group, job.qos) == (row["Account"], row["QOS"])
        assert _text(job.end_time) == row["End"]
        assert job.resource_req.num_host == int(row["ReqNodes"])
        limit = row["TimelimitRaw"]
        assert job.req_walltime_sec == (None if limit == "UNLIMITED" else int(limit) * 60)
        if row["NodeList"] == "None assigned":
            assert job.start_time is None
            continue
        assert _text(job.start_time) == row["Start"]
        assert fold_hosts(host.node_id for host in job.per_host or ()) == row["NodeList"]
        assert sum(host.num_cpu or 0 for host in job.per_host or ()) == int(row["AllocCPUS"])


def test_every_record_says_what_scontrol_says(
    history: Slurm, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The controller remembers the last attempt at each job."""
    records = clean(_live(history, monkeypatch, "text"))
    last = {job.jobid.partition(".r")[0]: job for job in records.values()}
    seen = 0
    for line in re.split(r"\n(?=JobId=)", history.run("scontrol", "show", "job", "-o")):
        facts = dict(re.findall(r"(\w+)=(\S*)", line))
        jobid = facts["JobId"]
        if "ArrayJobId" in facts:
            jobid = f"{facts['ArrayJobId']}_{facts['ArrayTaskId']}"
        job = last[jobid]
        assert job.state == facts["JobState"].lower()
        assert _text(job.queue_time) == facts["SubmitTime"]
        assert job.partition == facts["Partition"]
        if job.start_time is not None:
            assert _text(job.start_time) == facts["StartTime"]
            assert _text(job.end_time) == facts["EndTime"]
        if job.state in (JobState.COMPLETED, JobState.FAILED):
            code, signal = (int(part) for part in facts["ExitCode"].split(":"))
            assert (job.exit_signal or 0) == signal
            assert job.exit_status == (128 + signal if signal else code)
        seen += 1
    assert seen == len(last)


def test_what_only_the_submission_knew(history: Slurm, monkeypatch: pytest.MonkeyPatch) -> None:
    """Records have the dependency, array, kind, request, comment and attempt of a job."""
    records = clean(_live(history, monkeypatch, "text"))
    by_name = {job.job_name: job for job in records.values()}
    assert by_name["then"].dependency == [by_name["first"].jobid]
    assert by_name["first"].resource_req.mem_perhost_bytes == 300 << 20
    assert by_name["first"].req_walltime_sec == 1564 * 60
    assert by_name["typed"].job_type == "interactive"
    assert by_name["array"].job_type == "batch array"
    assert by_name["wide"].exclusive is True
    assert by_name["late"].state == "timeout"
    assert by_name["crash"].exit_signal == 11
    assert by_name["fail"].exit_status == 7
    assert by_name["never"].start_time is None
    assert by_name["back"].attempt == 2
    assert (by_name["first"].comment, by_name["first"].admin_comment) == ("proj=qcd", None)
    assert by_name["late"].admin_comment == "watch\nthis"
    assert sorted(
        job.array_task_id or 0 for job in records.values() if job.job_name == "array"
    ) == [
        *(1, 3, 5),
    ]


@pytest.mark.parametrize("kind", ["json", "log", "database"])
def test_all_sources_tell_the_same(
    history: Slurm, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """A site may use any source that it can reach."""
    text = clean(_live(history, monkeypatch, "text"))
    other = clean(_live(history, monkeypatch, kind))
    assert other.keys() == text.keys()
    items = ["identity", "start_time", "end_time", "state", "per_host", "user_identifier", "qos"]
    items += ["job_name", "accounting_group", "partition", "resource_req", "req_walltime_sec"]
    if kind == "database":
        items += ["exit_status", "exit_signal", "dependency", "job_type", "native_priority"]
    for jobid, job in text.items():
        for item in items:
            assert getattr(other[jobid], item) == getattr(job, item), (jobid, item)


@pytest.mark.parametrize("kind", ["text", "json", "log", "database"])
def test_reading_on_finds_the_same_jobs_or_none(
    history: Slurm, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """The same rows again are the same records: a second ingest changes nothing."""
    source = _live(history, monkeypatch, kind)
    everything = clean(source)
    again = clean(source, source.cursor)
    assert all(everything[jobid] == job for jobid, job in again.items())
    assert (kind == "log") is (again == {})


@pytest.mark.parametrize("kind", ["text", "json", "log", "database"])
def test_no_name_hides_a_job(history: Slurm, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    """Otherwise a user could keep jobs out of the history by giving them such names."""
    names = ["two\nlines", "unit\x1fsep|pipe", "x\nJobId=99 UserId=ann(1) Name=z"]
    jobids = {history.submit(BOB, "-J", name, "--wrap", "true"): name for name in names}
    source = _live(history, monkeypatch, kind)

    def told() -> dict[str, str | None]:
        jobs = clean(source).values()
        return {job.jobid: job.job_name for job in jobs if job.jobid in jobids and job.end_time}

    until(lambda: told() == jobids, "all of them are told of")


def test_when_the_scheduler_last_looked_is_kept(
    history: Slurm, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the controller knows the time; what it has forgotten since is kept with the cursor."""
    _live(history, monkeypatch, "text")
    source = SacctText("sacct", queue_command=("squeue",))
    facts = re.findall(
        r"JobId=(\d+) [^\0]*?LastSchedEval=(\S+)", history.run("scontrol", "show", "job")
    )
    jobs = clean(source)
    last = {job.jobid.partition(".r")[0]: job for job in jobs.values()}
    told = {i: _text(last[i].last_sched_eval_time) for i, _ in facts if i in last}
    assert len(told) >= RUNS - 5
    assert told == {jobid: when for jobid, when in facts if jobid in told}
    silent = SacctText("sacct", queue_command=("true",))
    assert clean(silent, source.cursor) == jobs
    gone = SacctText("sacct", queue_command=("false",))
    (fault,) = [each for each in gone.read(source.cursor) if isinstance(each, Fault)]
    assert str(fault).endswith("last_sched_eval_time is not collected")


def test_waiting_jobs_say_why_they_wait(history: Slurm, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each waiting job, held or not yet eligible too, has the reason that squeue prints.

    A running job has none. An array whose tasks wait is one row, and a record for each task.
    """
    submit = history.submit
    holder = submit(ANN, "-J", "holder", "-N8", "--exclusive", "-t", "5", "--wrap", "sleep 99")
    until(lambda: _state(history, holder) == "RUNNING", "it holds all nodes")
    waiting = {
        "held": submit(BOB, "--hold", "--wrap", "true"),
        "later": submit(BOB, "--begin=now+1hour", "--wrap", "true"),
        "after": submit(BOB, "-d", f"afterany:{holder}", "--wrap", "true"),
        "ready": submit(BOB, "-N8", "--exclusive", "--wrap", "true"),
        "array": submit(BOB, "--hold", "-a", "1-3", "--wrap", "true"),
    }

    def said() -> dict[str, str]:
        text = history.run("squeue", "-h", "-t", "PD", "-o", "%F %r")
        return dict(line.split(maxsplit=1) for line in text.splitlines())

    until(lambda: len(said()) == 5 and "None" not in said().values(), "all wait for a reason")
    _live(history, monkeypatch, "text")
    array = waiting.pop("array")
    source = SacctText("sacct", queue_command=("squeue",))

    def missing() -> set[str]:
        return {holder, *waiting.values(), f"{array}_3"} - clean(source).keys()

    until(lambda: not missing(), "the accounting has them")
    jobs = clean(source)
    told = {jobid: jobs[jobid].wait_reason for jobid in waiting.values()}
    assert told == {jobid: said()[jobid] for jobid in waiting.values()}
    tasks = [job for jobid, job in jobs.items() if jobid.startswith(f"{array}_")]
    assert [job.wait_reason for job in tasks] == ["JobHeldUser"] * 3
    held, later = jobs[waiting["held"]], jobs[waiting["later"]]
    assert held.state == "pending"
    assert held.eligible_time is None
    assert later.eligible_time is not None
    assert later.queue_time is not None
    assert later.eligible_time > later.queue_time
    assert jobs[holder].wait_reason is None
    assert waiting["held"] not in clean(SacctText("sacct")), "sacct tells of it only by squeue"
    cursor = source.cursor
    history.run("scancel", holder, array, *waiting.values())
    until(lambda: not history.run("squeue", "-h"), "the queue is empty")
    all_of_them = (*waiting.values(), f"{array}_2")

    def states() -> set[str]:
        return {str(clean(source, cursor)[jobid].state) for jobid in all_of_them}

    until(lambda: states() == {"cancelled"}, "all are told to be cancelled")
    gone = clean(source, cursor)
    assert gone[waiting["held"]].identity == held.identity
    silent = SacctText("sacct", queue_command=("false",))
    assert waiting["held"] not in read(silent, cursor)[0], "nothing was said of it"
    again = clean(source, source.cursor)
    assert waiting["held"] not in again, "it is told once"


def test_a_server_that_is_gone_is_one_sentence(tmp_path: Path) -> None:
    """The sentence does not contain the password."""
    source = SlurmDatabase("database", "mysql://slurm:secret@127.0.0.1:9/acct", "one")
    with pytest.raises(PeerError, match=r"127\.0\.0\.1:9") as caught:
        list(source.read())
    assert "secret" not in str(caught.value)
