"""Slurm's accounting as JSON: the same jobs in the shapes of several releases."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.history.ingest.reading import clean, read

from schedlab.errors import InputError
from schedlab.history.ingest.slurm.sacct_json import SacctJson, number
from schedlab.history.ingest.slurm.sacct_text import SacctText
from schedlab.history.schema import JobRecord

OLD: dict[str, Any] = {
    "account": "physics",
    "array": {"job_id": 0, "task": None, "task_id": None},
    "cluster": "one",
    "time": {
        "eligible": 1794703790,
        "end": 1794703796,
        "start": 1794703791,
        "submission": 1794703790,
        "limit": 5,
    },
    "exit_code": {"status": "SIGNALED", "return_code": None, "signal": {"signal_id": 11}},
    "het": {"job_id": 0, "job_offset": None},
    "job_id": 1,
    "name": "a|b",
    "nodes": "n[01-02]",
    "partition": "batch",
    "priority": 187,
    "qos": "normal",
    "state": {"current": "FAILED", "reason": "None"},
    "steps": [
        {
            "step": {"id": -5, "name": "batch"},
            "time": {"total": {"seconds": 1, "microseconds": 500000}},
            "tres": {"requested": {"max": [{"type": "mem", "count": 4096}]}},
            "statistics": {"energy": {"consumed": 400}},
        }
    ],
    "tres": {
        "allocated": [{"type": "cpu", "count": 4}, {"type": "node", "count": 2}],
        "requested": [
            {"type": "cpu", "count": 4},
            {"type": "mem", "count": 2000},
            {"type": "node", "count": 2},
            {"type": "gres", "name": "gpu:a100", "count": 2},
        ],
    },
    "user": "ann",
}


def _set(value: int | None) -> dict[str, Any]:
    return {"set": value is not None, "infinite": False, "number": value or 0}


APART: dict[str, Any] = {
    "usage": {"cpu_sec"},
    "dependency": True,
    "dependencies": True,
    "array_limit": True,
    "job_type": True,
    "exit_status": True,
}
"""Items in which the JSON of 22.05 may differ from the text of the same jobs."""


def newer(job: dict[str, Any]) -> dict[str, Any]:
    """Return the same job as releases since 23.02 write it."""
    job = json.loads(json.dumps(job))
    job["time"]["limit"] = _set(job["time"]["limit"])
    job["priority"] = _set(job["priority"])
    job["array"]["task_id"] = _set(job["array"]["task_id"])
    job["het"]["job_offset"] = _set(job["het"]["job_offset"])
    job["state"]["current"] = [job["state"]["current"]]
    code = job["exit_code"]
    code["status"], code["return_code"] = [code["status"]], _set(code["return_code"])
    code["signal"] = {"id": _set(code["signal"]["signal_id"]), "name": "SEGV"}
    job["steps"][0]["step"] = {"id": "1.batch", "name": "batch"}
    job["steps"][0]["statistics"]["energy"]["consumed"] = _set(400)
    return job


def jobs(path: Path, *documents: dict[str, Any]) -> dict[str, JobRecord]:
    """Return the records of a file of these jobs."""
    path.write_text(json.dumps({"jobs": documents, "errors": []}))
    return clean(SacctJson("json", file=str(path)))


def test_a_job_of_22_05(tmp_path: Path) -> None:
    """Release 22.05 has plain numbers, limits in minutes, memory in MiB and signals by id."""
    job = jobs(tmp_path / "j", OLD)["1"]
    assert (job.req_walltime_sec, job.exit_status, job.exit_signal) == (300, 139, 11)
    assert job.resource_req.mem_perhost_bytes == 1000 << 20
    assert job.resource_req.accelerator is not None
    assert job.resource_req.accelerator.type == "a100"
    assert job.usage is not None
    assert (job.usage.cpu_sec, job.usage.maxrss_bytes) == (1.5, 4096)
    assert job.energy is not None
    assert job.energy.total_joule == 400
    assert job.job_type == "batch"


def test_newer_shapes_are_the_same_job(tmp_path: Path) -> None:
    """The form {set, infinite, number} and lists of states change nothing."""
    assert jobs(tmp_path / "j", newer(OLD)) == jobs(tmp_path / "j", OLD)


def test_arrays_het_jobs_and_requeues(tmp_path: Path) -> None:
    """Ids are those that sacct prints; newer releases count the restarts themselves."""
    task = OLD | {"job_id": 5, "array": {"job_id": 4, "task": None, "task_id": 0}}
    part = OLD | {"job_id": 8, "het": {"job_id": 7, "job_offset": 1}}
    again = newer(OLD) | {
        "job_id": 9,
        "restart_cnt": 2,
        "state": {"current": ["FAILED", "REQUEUED"]},
    }
    found = jobs(tmp_path / "j", task, part, again)
    assert list(found) == ["4_0", "7+1", "9.r3"]
    assert found["9.r3"].state == "requeued"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (5, 5),
        (None, None),
        (_set(7), 7),
        (_set(None), None),
        ({"infinite": True, "number": 9}, None),
    ],
)
def test_numbers_of_both_shapes(value: Any, expected: int | None) -> None:
    """A number that is not set or infinite is None."""
    assert number(value) == expected


def test_a_broken_job_is_a_fault_at_its_path(tmp_path: Path) -> None:
    """A broken job is a fault at its path, and the others are read."""
    path = tmp_path / "j"
    path.write_text(json.dumps({"jobs": [{"job_id": 3}, OLD | {"time": 5}, 7, OLD]}))
    records, faults = read(SacctJson("json", file=str(path)))
    assert list(records) == ["1"]
    assert faults[0] == f"{path}: $.jobs[0]: time is missing"
    assert faults[1].startswith(f"{path}: $.jobs[1]: cannot be understood")
    assert len(faults) == 3


@pytest.mark.parametrize(("last", "jobs"), [('"job_id": 3', 2), ('"errors": [', 3)])
def test_a_document_that_was_cut_off_is_read_up_to_there(
    tmp_path: Path, last: str, jobs: int
) -> None:
    """The job in which the text ends does not count, and an error says that there was more."""
    text = json.dumps({"jobs": [OLD | {"job_id": number} for number in (1, 2, 3)], "errors": []})
    (tmp_path / "j").write_text(text[: text.rindex(last) + len(last)])
    found = SacctJson("json", file=str(tmp_path / "j")).read()
    assert [getattr(next(found), "jobid", None) for _ in range(jobs)] == ["1", "2", "3"][:jobs]
    with pytest.raises(InputError, match="not JSON: EOF"):
        next(found)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("<html>", "not JSON"),
        ("[]", "\\$.jobs is missing; must be what sacct --json prints"),
        ('{"errors": [{"description": "no database"}]}', "Slurm says: no database"),
    ],
)
def test_what_is_no_answer_of_sacct(tmp_path: Path, text: str, reason: str) -> None:
    """The error has the words of Slurm, if there are any."""
    (tmp_path / "j").write_text(text)
    with pytest.raises(InputError, match=reason):
        list(SacctJson("json", file=str(tmp_path / "j")).read())


def test_real_json_says_what_the_text_says(shared_data: Path) -> None:
    """Both agree on 49 jobs; 22.05 leaves out submit lines, and the exit code of a failed job."""
    folder = shared_data / "samples" / "slurm"
    text = clean(SacctText("text", file=str(folder / "sacct_P_ALL.txt")))
    for jobid, job in clean(SacctJson("json", file=str(folder / "sacct.json"))).items():
        other = text[jobid]
        if job.usage is not None and other.usage is not None:
            assert job.usage.cpu_sec == pytest.approx(other.usage.cpu_sec, abs=0.001)
        if jobid == "11":
            assert (job.exit_status, other.exit_status) == (-1, 7)
        else:
            assert job.exit_status == other.exit_status
        assert job.model_dump(exclude=APART) == other.model_dump(exclude=APART)
