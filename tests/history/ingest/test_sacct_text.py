"""Slurm's accounting as text: the states, ids and traps of real output."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from tests.history.ingest.reading import clean, read

from schedlab.errors import InputError
from schedlab.history.ingest.clock import SiteClock
from schedlab.history.ingest.slurm.sacct_lines import new_delimiter
from schedlab.history.ingest.slurm.sacct_rows import jobs_in
from schedlab.history.ingest.slurm.sacct_text import SacctText
from schedlab.history.schema import JobState

COLUMNS = [
    "JobID",
    "State",
    "Cluster",
    "JobName",
    "User",
    "Account",
    "Partition",
    "QOS",
    "Submit",
    "Eligible",
    "Start",
    "End",
    "TimelimitRaw",
    "ExitCode",
    "NNodes",
    "NCPUS",
    "ReqTRES",
    "AllocTRES",
    "NodeList",
    "Priority",
    "ReqCPUFreqGov",
    "TotalCPU",
    "MaxRSS",
    "ConsumedEnergyRaw",
    "SubmitLine",
]

DONE = {
    "JobID": "1",
    "State": "COMPLETED",
    "Cluster": "one",
    "JobName": "sim",
    "User": "ann",
    "Account": "physics",
    "Partition": "batch",
    "QOS": "normal",
    "Submit": "2026-11-15T12:00:00",
    "Eligible": "2026-11-15T12:00:00",
    "Start": "2026-11-15T12:00:10",
    "End": "2026-11-15T12:10:10",
    "TimelimitRaw": "15",
    "ExitCode": "0:0",
    "ReqTRES": "billing=8,cpu=8,mem=4000M,node=2",
    "AllocTRES": "billing=8,cpu=8,mem=4000M,node=2",
    "NodeList": "n[01-02]",
    "Priority": "100",
    "TotalCPU": "01:20.500",
}


def dump(path: Path, *rows: dict[str, str], delimiter: str = "\x1f") -> SacctText:
    """Return a source of a dump with these rows."""
    lines = [COLUMNS, *([row.get(name, "") for name in COLUMNS] for row in rows)]
    path.write_text("".join(delimiter.join(line) + "\n" for line in lines), encoding="utf-8")
    return SacctText("sacct", file=str(path))


def test_a_job_with_its_steps_folded_in(tmp_path: Path) -> None:
    """Steps add to the one record their memory, and the energy that Slurm did not sum."""
    batch = {"JobID": "1.batch", "State": "COMPLETED", "MaxRSS": "2K", "ConsumedEnergyRaw": "0"}
    step = {"JobID": "1.0", "State": "COMPLETED", "MaxRSS": "3M", "ConsumedEnergyRaw": "400"}
    job = clean(dump(tmp_path / "d", DONE, batch, step))["1"]
    assert job.resource_req.num_host == 2
    assert job.resource_req.num_cpu_perhost == 4
    assert job.resource_req.mem_perhost_bytes == 2000 << 20
    assert [(h.node_id, h.num_cpu) for h in job.per_host or ()] == [("n01", 4), ("n02", 4)]
    assert job.usage is not None
    assert (job.usage.cpu_sec, job.usage.maxrss_bytes) == (80.5, 3 << 20)
    assert job.energy is not None
    assert job.energy.total_joule == 400
    assert (job.req_walltime_sec, job.exit_status, job.job_type) == (900, 0, "batch")


@pytest.mark.parametrize(
    ("text", "code", "state", "status", "signal"),
    [
        ("COMPLETED", "0:0", JobState.COMPLETED, 0, None),
        ("FAILED", "7:0", JobState.FAILED, 7, None),
        ("FAILED", "0:11", JobState.FAILED, 139, 11),
        ("TIMEOUT", "0:0", JobState.TIMEOUT, -1, None),
        ("CANCELLED by 1001", "0:15", JobState.CANCELLED, 143, 15),
        ("NODE_FAIL", "0:0", JobState.NODE_FAIL, -1, None),
        ("OUT_OF_MEMORY", "0:125", JobState.OUT_OF_MEMORY, 253, 125),
        ("REQUEUED", "0:0", JobState.REQUEUED, -1, None),
    ],
)
def test_states_and_exit_codes(
    tmp_path: Path, text: str, code: str, state: JobState, status: int, signal: int | None
) -> None:
    """Only the exit status 0 means that the script ended well."""
    job = clean(dump(tmp_path / "d", DONE | {"State": text, "ExitCode": code}))["1"]
    assert (job.state, job.exit_status, job.exit_signal) == (state, status, signal)


def test_a_job_cancelled_while_it_waited_never_started(tmp_path: Path) -> None:
    """Some releases give such a job a start, though it never had a node."""
    waited = DONE | {"State": "CANCELLED by 0", "NodeList": "None assigned", "AllocTRES": ""}
    for start in ("None", "Unknown", waited["End"]):
        job = clean(dump(tmp_path / "d", waited | {"Start": start}))["1"]
        assert (job.start_time, job.per_host, job.exit_status) == (None, None, None)
        assert job.end_time is not None


def test_running_and_pending_jobs_are_records_too(tmp_path: Path) -> None:
    """A later reading completes these jobs, as their identity stays the same."""
    running = DONE | {"State": "RUNNING", "End": "Unknown"}
    pending = running | {"JobID": "2", "State": "PENDING", "Start": "Unknown", "NodeList": ""}
    jobs = clean(dump(tmp_path / "d", running, pending))
    assert (jobs["1"].state, jobs["1"].end_time) == (JobState.RUNNING, None)
    assert jobs["2"].start_time is None
    assert jobs["1"].identity == clean(dump(tmp_path / "d", DONE))["1"].identity


def test_requeued_attempts_get_ids_of_their_own(tmp_path: Path) -> None:
    """The paper encodes re-runs into distinct ids."""
    back = DONE | {"State": "REQUEUED"}
    again = DONE | {"Submit": DONE["End"], "Eligible": DONE["End"], "Start": "2026-11-15T12:20:00"}
    again |= {"End": "2026-11-15T12:30:00"}
    jobs = clean(dump(tmp_path / "d", back, again))
    assert [(jobid, job.attempt) for jobid, job in jobs.items()] == [("1", 1), ("1.r2", 2)]


def test_arrays_and_heterogeneous_jobs(tmp_path: Path) -> None:
    """Each task is a job, and so is each task of a block that never started."""
    block = DONE | {"JobID": "5_[1,3-5:2%2]", "State": "CANCELLED", "NodeList": "", "Start": "None"}
    rows = (DONE | {"JobID": "4_7"}, DONE | {"JobID": "9+1"}, block)
    jobs = clean(dump(tmp_path / "d", *rows))
    assert list(jobs) == ["4_7", "9+1", "5_1", "5_3", "5_5"]
    task = jobs["4_7"]
    assert (task.array_job_id, task.array_task_id, task.job_type) == ("4", 7, "batch array")


def test_what_the_submit_line_tells(tmp_path: Path) -> None:
    """Accounting has no column for dependencies or exclusive nodes."""
    line = "sbatch --exclusive -d afterok:11:12_3,afterany:13 --wrap cat -d afterok:99"
    job = clean(dump(tmp_path / "d", DONE | {"SubmitLine": line}))["1"]
    assert job.dependency == ["11", "12_3", "13"]
    assert job.exclusive is True
    script = DONE | {"SubmitLine": "sbatch run.sh -d bond:12"}
    assert clean(dump(tmp_path / "d", script))["1"].dependency is None
    interactive = clean(dump(tmp_path / "d", DONE | {"SubmitLine": "srun --pty bash"}))["1"]
    assert (interactive.job_type, interactive.dependency) == ("interactive", None)


def test_line_ends_in_the_submit_line(tmp_path: Path) -> None:
    """A wrapped script of several lines must not break the rows after it."""
    source = dump(
        tmp_path / "d", DONE | {"SubmitLine": "sbatch --wrap a\nb\nc"}, DONE | {"JobID": "2"}
    )
    assert list(clean(source)) == ["1", "2"]


def test_accelerators(tmp_path: Path) -> None:
    """Slurm counts accelerators over all nodes, the record per host."""
    tres = "cpu=8,node=2,gres/gpu=8,gres/gpu:a100=8"
    job = clean(dump(tmp_path / "d", DONE | {"ReqTRES": tres, "AllocTRES": tres}))["1"]
    assert job.resource_req.accelerator is not None
    assert job.resource_req.accelerator.type == "a100"
    assert job.resource_req.accelerator.num_perhost == 4
    assert job.resource_alloc is not None
    assert job.resource_alloc.num_accelerator == 8


def test_numbers_that_mean_none(tmp_path: Path) -> None:
    """Slurm prints 2^64 - 2 joules for no energy, and UNLIMITED minutes for no limit."""
    odd = DONE | {"ConsumedEnergyRaw": str(2**64 - 2), "TimelimitRaw": "UNLIMITED"}
    job = clean(dump(tmp_path / "d", odd))["1"]
    assert (job.energy, job.req_walltime_sec) == (None, None)


@pytest.mark.parametrize("delimiter", ["|", "\x1f"])
@pytest.mark.parametrize("name", ["a{}b", "two\nlines", "{}\n{}x\n\n", "1\n2{}COMPLETED{}one"])
def test_a_name_holds_whatever_its_user_likes(tmp_path: Path, name: str, delimiter: str) -> None:
    """With --parsable2 names are not escaped: no name may hide its job or change another one."""
    name = name.format(*[delimiter] * 2)
    step = {"JobID": "2.0", "State": "COMPLETED", "MaxRSS": "9G"}
    rows = (DONE, DONE | {"JobID": "2", "JobName": name}, step, DONE | {"JobID": "3"})
    jobs = clean(dump(tmp_path / "d", *rows, delimiter=delimiter))
    assert [(job.jobid, job.job_name) for job in jobs.values()] == [
        *(("1", "sim"), ("2", name), ("3", "sim")),
    ]
    used = [job.usage and job.usage.maxrss_bytes for job in jobs.values()]
    assert used == [None, 9 << 30, None]


def test_a_row_that_fits_in_no_way_is_a_fault_that_names_its_job(tmp_path: Path) -> None:
    """The steps of such a row do not go to another job."""
    step = {"JobID": "2.0", "State": "COMPLETED", "MaxRSS": "9G"}
    rows = (DONE, DONE | {"JobID": "2", "State": "DAN|CING"}, step, DONE | {"JobID": "3"})
    records, faults = read(dump(tmp_path / "d", *rows, delimiter="|"))
    assert list(records) == ["1", "3"]
    assert faults == [
        f"{tmp_path / 'd'}:3: job 2: 26 fields where the header names 25; ask sacct for "
        "--delimiter=$'\\x1f'"
    ]
    assert records["1"].usage is not None
    assert records["1"].usage.maxrss_bytes is None


def closed(rows: list[dict[str, str]], columns: list[str], delimiter: str) -> list[str]:
    """Return the lines that ``sacct --parsable`` prints."""
    cells = [columns, *([row.get(name, "") for name in columns] for row in rows)]
    return "".join(delimiter.join([*line, "\n"]) for line in cells).split("\n")[:-1]


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@given(TEXTS, TEXTS, TEXTS)
def test_no_text_of_a_user_changes_a_row(name: str, comment: str, wrapped: str) -> None:
    """The delimiter is drawn for each reading, so that no user can have written it before."""
    texts = {"JobName": name, "Comment": comment, "SubmitLine": f"sbatch {wrapped}"}
    rows = [DONE, DONE | {"JobID": "2"} | texts, {"JobID": "2.batch"}, DONE | {"JobID": "3"}]
    lines = closed(rows, [*COLUMNS, "Comment"], new_delimiter())
    jobs = [make() for _, make in jobs_in(lines, SiteClock("UTC"), "sacct")]  # type: ignore[misc]
    assert [job.jobid for job in jobs] == ["1", "2", "3"]
    assert (jobs[1].name, jobs[1].comment) == (name, comment)
    assert jobs[1].submit_line == texts["SubmitLine"]


def test_a_reading_that_breaks_off_names_the_job(tmp_path: Path) -> None:
    """The cut-off row is a fault with the id of its job; the job before it is whole."""
    lines = closed([DONE, DONE | {"JobID": "2"}], COLUMNS, "\x1fab\x1f")
    (tmp_path / "d").write_text("\n".join(lines)[:-40])
    records, faults = read(SacctText("sacct", file=str(tmp_path / "d")))
    assert (list(records), len(faults)) == (["1"], 1)
    assert faults[0].startswith(f"{tmp_path / 'd'}:3: job 2: ")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"State": "DANCING"}, "State is 'DANCING'"),
        ({"Start": "yesterday"}, "'yesterday' is not a time"),
        ({"End": "2026-11-15T11:00:00"}, "end_time lies before start_time"),
        ({"NodeList": "n[1-"}, "host list 'n[1-' is broken"),
        ({"ExitCode": "x:0"}, "invalid literal"),
        ({"JobID": "5_[1,..."}, "does not name all its tasks"),
    ],
)
def test_a_bad_row_is_a_fault_and_the_rest_goes_on(
    tmp_path: Path, change: dict[str, str], reason: str
) -> None:
    """One odd job in a million must not stop an ingest."""
    records, faults = read(dump(tmp_path / "d", DONE | change, DONE | {"JobID": "2"}))
    assert list(records) == ["2"]
    assert len(faults) == 1
    assert re.match(re.escape(f"{tmp_path / 'd'}:2: "), faults[0])
    assert reason in faults[0]


def test_what_is_wrong_with_a_part_is_said_with_its_path(tmp_path: Path) -> None:
    """Jobs share equal parts of records; a fault in a shared part must still have its path."""
    _, faults = read(dump(tmp_path / "d", DONE | {"AllocTRES": "cpu=-8,node=2"}))
    told = [
        fault.partition(f"{tmp_path / 'd'}:2: job 1: ")[2].partition(":")[0] for fault in faults
    ]
    assert told == ["$.per_host[0].num_cpu", "$.per_host[1].num_cpu", "$.resource_alloc.num_cpu"]


def test_jobs_that_ask_for_the_same_share_what_says_so(tmp_path: Path) -> None:
    """Equal requests are one frozen object, so that no job changes with another."""
    one, other = clean(dump(tmp_path / "d", DONE, DONE | {"JobID": "2"})).values()
    assert one.resource_req is other.resource_req
    with pytest.raises(ValidationError, match="frozen"):
        one.resource_req.num_host = 3


def test_a_truncated_dump(tmp_path: Path) -> None:
    """A full disk cuts the last line."""
    source = dump(tmp_path / "d", DONE, DONE | {"JobID": "2"})
    text = (tmp_path / "d").read_text()
    (tmp_path / "d").write_text(text[:-150])
    records, faults = read(source)
    assert list(records) == ["1"]
    assert len(faults) == 1


def test_local_times_of_a_site(tmp_path: Path) -> None:
    """Times in a dump are local to the site, here in Tokyo."""
    dump(tmp_path / "d", DONE)
    job = clean(SacctText("sacct", file=str(tmp_path / "d"), time_zone="Asia/Tokyo"))["1"]
    assert job.queue_time is not None
    assert job.queue_time.isoformat() == "2026-11-15T03:00:00+00:00"


def test_an_unchanged_file_is_not_read_again(tmp_path: Path) -> None:
    """The cursor recognises the file; a file that has grown is read as a whole."""
    source = dump(tmp_path / "d", DONE)
    clean(source)
    assert clean(source, source.cursor) == {}
    dump(tmp_path / "d", DONE, DONE | {"JobID": "2"})
    assert list(clean(source, source.cursor)) == ["1", "2"]


def test_what_is_no_dump_is_an_error(tmp_path: Path) -> None:
    """A wrong file is reported once, and not for each of its lines."""
    (tmp_path / "d").write_text("1 2 3\n4 5 6\n")
    with pytest.raises(InputError, match=":1: no JobID, State, Submit, Start, End"):
        clean(SacctText("sacct", file=str(tmp_path / "d")))


def test_real_dumps(shared_data: Path) -> None:
    """Dumps of Slurm 22.05 agree: with every column or some, with steps or without."""
    folder = shared_data / "samples" / "slurm"
    everything = clean(SacctText("sacct", file=str(folder / "sacct_P_ALL.txt")))
    assert len(everything) == 49
    assert everything["23"].dependency == ["22"]
    selected = clean(
        SacctText("s", file=str(folder / "sacct_noconvert_selected.txt"), cluster="testcl")
    )
    for jobid, job in selected.items():
        without = {"comment": None, "admin_comment": None}
        assert job == everything[jobid].model_copy(update=without)
    assert {job.comment for job in everything.values()} == {None, "proj=qcd"}
    alone = clean(SacctText("sacct", file=str(folder / "sacct_X_P_ALL.txt")))
    for jobid, job in alone.items():
        assert job.model_copy(update={"usage": everything[jobid].usage}) == everything[jobid]
