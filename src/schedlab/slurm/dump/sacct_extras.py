"""Values of ``sacct --json`` that job records lack, under the column names of sacct's tables."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from schedlab.workload.readers.source import Source, decode

_FLAGS = {"STARTED_ON_SCHEDULE": "SchedMain", "STARTED_ON_BACKFILL": "SchedBackfill"}


def is_json(path: Path) -> bool:
    """Return whether the file is JSON by its name; it may be compressed."""
    return path.name.removesuffix(".gz").endswith(".json")


def read_json_extras(path: Path) -> dict[str, dict[str, str]]:
    """Return, by job id, how long a job was suspended, which scheduler started it, and the like.

    Rows that are not jobs are left out; the reader of the records reports them.
    """
    try:
        answer = json.loads(decode(Source.load(path).data))
    except ValueError:
        return {}
    jobs = answer.get("jobs") if isinstance(answer, dict) else None
    rows = [job for job in jobs or () if isinstance(job, dict)]
    return {_id(job): _extra(job) for job in rows}


def _extra(job: dict[str, Any]) -> dict[str, str]:
    flags, name = job.get("flags"), _part(job, "reservation").get("name")
    found = {
        "jobidraw": str(job.get("job_id", "")),
        "suspended": _clock(_number(_part(job, "time").get("suspended")) or 0),
        "flags": ",".join(_FLAGS.get(str(each), "") for each in flags or ()),
        "reservation": name if isinstance(name, str) else "",
    }
    line = job.get("submit_line")
    return found | ({"submitline": line} if isinstance(line, str) and line else {})


def _id(job: dict[str, Any]) -> str:
    """Return the job id as sacct prints it: 12, 12_3 for a task, 12+1 for a part of several."""
    array, het = _part(job, "array"), _part(job, "het")
    task = _number(array.get("task_id"))
    if (parent := _number(array.get("job_id"))) and task is not None:
        return f"{parent}_{task}"
    if parent := _number(het.get("job_id")):
        return f"{parent}+{_number(het.get('job_offset')) or 0}"
    return str(job.get("job_id", ""))


def _part(job: dict[str, Any], name: str) -> dict[str, Any]:
    found = job.get(name)
    return found if isinstance(found, dict) else {}


def _number(value: Any) -> int | None:
    """Return the number; releases from 23.02 on give some as ``{"set": true, "number": 4}``."""
    if isinstance(value, dict):
        value = value.get("number") if value.get("set", True) else None
    return value if isinstance(value, int) else None


def _clock(seconds: int) -> str:
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
