"""The jobs of a dump: accounting, what was submitted, and the commands given meanwhile."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schedlab.errors import InputError
from schedlab.platform.hostlist import fold_hosts
from schedlab.slurm.commands import Command
from schedlab.slurm.dump.findings import Report
from schedlab.slurm.dump.shown import read_table
from schedlab.slurm.site import SlurmHistory
from schedlab.workload.job_history import HistoryTable
from schedlab.workload.readers.mend import mend
from schedlab.workload.readers.reader import ReadOptions
from schedlab.workload.readers.records import Records
from schedlab.workload.workload import Workload

if TYPE_CHECKING:
    import polars as pl

Record = Mapping[str, Any]
_ATTEMPT = re.compile(r"\.r\d+$")
_UNFINISHED = ("pending", "running", "suspended")
_ABOUT_JOB = re.compile(r"(?:scancel |release |hold |requeue |top |JobId=)(\d+(?:_\d+)?)")
_STARTERS = {"SchedMain": "main", "SchedBackfill": "backfill"}


def base_id(jobid: str) -> str:
    """The id without the number of the attempt."""
    return _ATTEMPT.sub("", jobid)


def merged_attempts(records: Iterable[Record]) -> list[dict[str, Any]]:
    """One record for each job: its last attempt, submitted when the first was."""
    jobs: dict[str, dict[str, Any]] = {}
    for record in records:
        name = base_id(str(record["jobid"]))
        before = jobs.get(name)
        attempts = 1 if record.get("start_time") else 0
        first = record.get("start_time")
        made = dict(record) | {"jobid": name, "attempts": attempts, "first_start_time": first}
        if before is not None:
            made["attempts"] += before["attempts"]
            made["queue_time"] = before["queue_time"]
            made["first_start_time"] = before["first_start_time"] or first
        jobs[name] = made
    return sorted(jobs.values(), key=lambda job: job.get("queue_time") or "")


def history_of(
    records: Sequence[Record],
    extras: Mapping[str, Mapping[str, str]],
    path: Path,
    report: Report,
) -> SlurmHistory:
    """The jobs that have ended, as the accounting tells them."""
    jobs = merged_attempts(records)
    ended = [job for job in jobs if job.get("state") not in _UNFINISHED]
    if len(ended) < len(jobs):
        report.note(
            f"{path.name}: {len(jobs) - len(ended):,} of {len(jobs):,} jobs had not ended; they "
            "are not in the history."
        )
    if ended and all(job.get("req_walltime_sec") is None for job in ended):
        raise InputError(
            f"{path}: no job has a time limit; the history needs the column Timelimit or "
            "TimelimitRaw of sacct"
        )
    table = HistoryTable()
    columns = table.columns(ended)
    if not columns:
        raise InputError(f"{path}: has no jobs that have ended")
    mended, told = mend(Records(path, columns), ReadOptions())
    for line in told.lines():
        report.note(f"{path.name}: {line}.")
    workload = Workload(mended, name=path.stem, header=table.header(), labels=table.labels())
    workload = workload.record("import", file=path.name)
    epoch = int(workload.header["UnixStartTime"][0])
    rows = [details_of(job, extras.get(job["jobid"], {}), epoch) for job in ended]
    return SlurmHistory(workload, _in_order(rows, workload))


def _in_order(rows: Sequence[Mapping[str, Any]], workload: Workload) -> pl.DataFrame:
    """The details of the jobs of the workload, which were numbered from 1 as they came."""
    import polars as pl

    kept = [
        {"job_id": int(number), **rows[int(number) - 1]} for number in workload["job_id"].tolist()
    ]
    return pl.DataFrame(kept, infer_schema_length=None)


def details_of(job: Record, extra: Mapping[str, str], epoch: int) -> dict[str, Any]:
    """What only Slurm knows of a job."""
    line = f" {extra.get('submitline', '')} ".partition(" --wrap")[0]
    asked = re.search(r"\s(?:-N\s*|--nodes[= ])(\d+)", line)
    nice = re.search(r"\s--nice[= ](-?\d+)", line)
    flags = extra.get("flags", "")
    return {
        "slurm_id": job["jobid"],
        "raw_id": int(extra["jobidraw"]) if extra.get("jobidraw", "").isdecimal() else None,
        "submit_s": _since(job.get("queue_time"), epoch),
        "eligible_s": _since(job.get("eligible_time"), epoch),
        "first_start_s": _since(job.get("first_start_time"), epoch),
        "start_s": _since(job.get("start_time"), epoch),
        "end_s": _since(job.get("end_time"), epoch),
        "state": str(job.get("state") or "").upper(),
        "hosts": fold_hosts(each["node_id"] for each in job.get("per_host") or ()) or None,
        "started_by": next((by for flag, by in _STARTERS.items() if flag in flags), None),
        "attempts": job["attempts"],
        "min_nodes": int(asked[1]) if asked else None,
        "dependency": job.get("dependencies") or ",".join(job.get("dependency") or ()) or None,
        "nice": int(nice[1]) if nice else None,
        "held": " -H " in line or " --hold " in line if line.strip() else None,
        "reservation": extra.get("reservation") or None,
        "may_requeue": False if "--no-requeue" in line else True if "--requeue" in line else None,
        "exit_code": job.get("exit_status"),
    }


def read_extras(path: Path) -> dict[str, dict[str, str]]:
    """What sacct prints beside a job's own record: Flags, Reservation, SubmitLine and the like."""
    if path.name.removesuffix(".gz").endswith(".json"):
        return {}
    return {row["jobid"]: row for _, row in read_table(path, "jobid", lenient=True) if row["jobid"]}


def commands_of(path: Path, late_s: float = 0.0) -> tuple[Command, ...]:
    """What was told to Slurm during a run: events.csv."""
    found = []
    for where, row in read_table(path, "offset_s", "command"):
        job = _ABOUT_JOB.search(row["command"])
        try:
            at_s = float(row["offset_s"]) + late_s
        except ValueError:
            raise InputError(
                f"{where}: offset_s is {row['offset_s']!r}; must be a number"
            ) from None
        accepted = row.get("rc", "0") == "0"
        found.append(Command(at_s, row["command"], job[1] if job else None, accepted))
    return tuple(sorted(found, key=lambda command: command.at_s))


def _since(text: str | None, epoch: int) -> int | None:
    return None if text is None else int(datetime.fromisoformat(text).timestamp()) - epoch
