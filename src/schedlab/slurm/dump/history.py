"""The jobs of a dump: accounting, what was submitted, and the commands given meanwhile."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from schedlab.errors import InputError, ParameterError
from schedlab.platform.hostlist import fold_hosts
from schedlab.slurm.commands import Command
from schedlab.slurm.dump.findings import ImportReport
from schedlab.slurm.dump.sacct_extras import is_json, read_json_extras
from schedlab.slurm.dump.shown import read_table
from schedlab.slurm.dump.values import minutes
from schedlab.slurm.site import SlurmHistory
from schedlab.workload.job_history import HistoryTable
from schedlab.workload.readers.reader import ReadOptions
from schedlab.workload.readers.records import Records
from schedlab.workload.readers.repair import repair
from schedlab.workload.workload import Workload

if TYPE_CHECKING:
    import polars as pl

Record = Mapping[str, Any]
_ATTEMPT = re.compile(r"\.r\d+$")
_UNFINISHED = ("pending", "running", "suspended")
_ABOUT_JOB = re.compile(
    r"(?:scancel |release |hold |requeue |suspend |resume |top |JobId=)(\d+(?:_\d+)?)"
)
_TASK_OPTIONS = {
    "tasks": re.compile(r"\s(?:-n\s*|--ntasks[= ])(\d+)\s"),
    "cores_per_task": re.compile(r"\s(?:-c\s*|--cpus-per-task[= ])(\d+)\s"),
    "tasks_per_node": re.compile(r"\s--ntasks-per-node[= ](\d+)\s"),
}
_STARTERS = {"SchedMain": "main", "SchedBackfill": "backfill"}


def base_id(jobid: str) -> str:
    """Return the id without the number of the attempt."""
    return _ATTEMPT.sub("", jobid)


def merged_attempts(records: Iterable[Record]) -> list[dict[str, Any]]:
    """Return one record for each job: its last attempt, submitted when the first was."""
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
    report: ImportReport,
) -> SlurmHistory:
    """Return the history of the jobs in the accounting.

    Jobs that still ran run up to their limit. Jobs that were cancelled while they waited are
    cancelled at the same time, if they wait then.
    """
    jobs = merged_attempts(records)
    if jobs and all(job.get("req_walltime_sec") is None for job in jobs):
        raise InputError(
            f"{path}: no job has a time limit; the history needs the column Timelimit or "
            "TimelimitRaw of sacct"
        )
    table = HistoryTable()
    columns = table.columns([_as_ended(job) for job in jobs])
    if not columns:
        raise InputError(f"{path}: has no jobs")
    tasks = [_tasks_of(job, extras.get(job["jobid"], {})) for job in jobs]
    columns |= {name: np.array([row[name] for row in tasks]) for name in tasks[0]}
    waited = [job.get("state") in _UNFINISHED and not job.get("start_time") for job in jobs]
    columns["wait_s"] = np.where(waited, -1, columns["wait_s"])
    repaired, told = repair(Records(path, columns), ReadOptions(cancelled="replay"))
    for line in told.lines():
        report.note(f"{path.name}: {line}.")
    workload = Workload(repaired, name=path.stem, header=table.header(), labels=table.labels())
    workload = workload.record("import", file=path.name)
    epoch = int(workload.header["UnixStartTime"][0])
    rows = [details_of(job, extras.get(job["jobid"], {}), epoch) for job in jobs]
    details = _in_order(rows, workload)
    _tell_unfinished(details, path, report)
    return SlurmHistory(workload, _with_begin(details, path, report), _withdrawals(details))


def _as_ended(job: Record) -> Record:
    """Return a job that has not ended as one that runs up to its limit."""
    if job.get("state") not in _UNFINISHED:
        return job
    start = job.get("start_time") or job["queue_time"]
    end = datetime.fromisoformat(start) + timedelta(seconds=job.get("req_walltime_sec") or 1)
    return dict(job) | {"state": "completed", "start_time": start, "end_time": end.isoformat()}


def _tell_unfinished(details: pl.DataFrame, path: Path, report: ImportReport) -> None:
    states = details["state"].to_list()
    waited, ran = states.count("PENDING"), states.count("RUNNING") + states.count("SUSPENDED")
    if waited or ran:
        report.note(
            f"{path.name}: {ran:,} of {len(states):,} jobs ran when it was written, and {waited:,} "
            "waited; the twin lets them run up to their limits."
        )


def _with_begin(details: pl.DataFrame, path: Path, report: ImportReport) -> pl.DataFrame:
    """Mark the jobs that ran when the history begins.

    Accounting does not have jobs that had ended before. So the state of the machine is known from
    the first end on, and jobs that had started before it start as they did.
    """
    import polars as pl

    first = details["end_s"].min()
    ran = (pl.col("start_s") < first) & (pl.col("attempts") == 1) & pl.col("hosts").is_not_null()
    ran = ran.fill_null(value=False)
    later = details.filter(~ran & pl.col("start_s").is_not_null())
    if first is None or later.is_empty():
        return details
    marked = details.with_columns(ran.alias("ran_before"))
    if count := marked["ran_before"].sum():
        report.note(
            f"{path.name}: {count:,} jobs had started before the first one ended; they start as "
            "they did, and the twin decides from then on."
        )
    return marked


def _withdrawals(details: pl.DataFrame) -> tuple[Command, ...]:
    """Return the commands that cancelled jobs before they started."""
    import polars as pl

    gone = details.filter(
        pl.col("state") == "CANCELLED", pl.col("start_s").is_null(), pl.col("end_s").is_not_null()
    )
    found = gone.sort("end_s").select("end_s", "slurm_id").iter_rows()
    return tuple(Command(float(end_s), f"scancel {name}", name) for end_s, name in found)


def _in_order(rows: Sequence[Mapping[str, Any]], workload: Workload) -> pl.DataFrame:
    """Return the details in the order of the workload; job ids count the rows from 1."""
    import polars as pl

    kept = [
        {"job_id": int(number), **rows[int(number) - 1]} for number in workload["job_id"].tolist()
    ]
    return pl.DataFrame(kept, infer_schema_length=None)


def details_of(job: Record, extra: Mapping[str, str], epoch: int) -> dict[str, Any]:
    """Return what only Slurm knows of a job."""
    line = _submit_line(extra)
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
        "memory_per_cpu_kb": _memory_per_cpu_kb(job, extra),
        "dependency": job.get("dependencies") or ",".join(job.get("dependency") or ()) or None,
        "nice": int(nice[1]) if nice else None,
        "held": " -H " in line or " --hold " in line if line.strip() else None,
        "reservation": extra.get("reservation") or None,
        "may_requeue": False if "--no-requeue" in line else True if "--requeue" in line else None,
        "exit_code": job.get("exit_status"),
        "suspended_s": _suspended_s(extra.get("suspended", "")),
    }


def _suspended_s(text: str) -> int | None:
    """Read sacct's 00:01:30; None if it is not readable, or if the job was not suspended."""
    try:
        return minutes(text) or None
    except ParameterError:
        return None


def _submit_line(extra: Mapping[str, str]) -> str:
    return f" {extra.get('submitline', '')} ".partition(" --wrap")[0]


def _tasks_of(job: Record, extra: Mapping[str, str]) -> dict[str, int]:
    """Return how the CPUs of a job are cut into tasks, as its submission says.

    If that does not say it, a job on no more nodes than it asked for has its CPUs spread evenly
    over them; a job that got more nodes than it asked for may have its CPUs anywhere.
    """
    asked, line = job["resource_req"], _submit_line(extra)
    nodes = max(int(asked["num_host"]), 1)
    cpus = _cpus_of(job, extra)
    told = {
        name: int(found[1])
        for name, option in _TASK_OPTIONS.items()
        if (found := option.search(line)) and int(found[1])
    }
    per_task = told.get("cores_per_task") or cpus // told.get("tasks", cpus)
    tasks = told.get("tasks") or max(cpus // max(per_task, 1), 1)
    if tasks * per_task != cpus:  # the options were those of the job's own program
        told, tasks, per_task = {}, cpus, 1
    per_node = told.get("tasks_per_node", -1)
    if not told and 0 < len(job.get("per_host") or ()) <= nodes:
        per_node = -(-tasks // nodes)
    return {"tasks": tasks, "cores_per_task": per_task, "tasks_per_node": per_node}


def _cpus_of(job: Record, extra: Mapping[str, str]) -> int:
    asked, given = job["resource_req"], job.get("resource_alloc") or {}
    if found := re.search(r"\bcpu=(\d+)", extra.get("reqtres", "")):
        return max(int(found[1]), 1)
    by_host = int(asked.get("num_cpu_perhost") or 0) * int(asked["num_host"])
    return max(by_host or int(given.get("num_cpu") or 1), 1)


def _memory_per_cpu_kb(job: Record, extra: Mapping[str, str]) -> float | None:
    """Return the memory of each CPU, if the submission asks for it by CPU or the job shows it.

    A job that got more nodes than it asked for, and no more memory, had asked for it by CPU.
    """
    asked, given = job["resource_req"], job.get("resource_alloc") or {}
    nodes, by_node = max(int(asked["num_host"]), 1), asked.get("mem_perhost_bytes")
    if asked.get("mem_percpu_bytes"):
        return float(asked["mem_percpu_bytes"]) / 1024
    if not by_node:
        return None
    is_spread = len(job.get("per_host") or ()) > nodes
    is_by_cpu = is_spread and (given.get("mem_bytes") or math.inf) <= by_node * nodes
    if is_by_cpu or " --mem-per-cpu" in _submit_line(extra):
        return float(by_node) * nodes / _cpus_of(job, extra) / 1024
    return None


def read_extras(path: Path) -> dict[str, dict[str, str]]:
    """Read what sacct prints besides a job's own record: Flags, Reservation and the like."""
    if is_json(path):
        return read_json_extras(path)
    return {row["jobid"]: row for _, row in read_table(path, "jobid", lenient=True) if row["jobid"]}


def commands_of(path: Path, late_s: float = 0.0) -> tuple[Command, ...]:
    """Read the commands given to Slurm during a run from events.csv."""
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
