"""What was submitted to a Slurm, and when: submitted.csv, the table that a replay writes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from schedlab.errors import InputError
from schedlab.slurm.dump.findings import ImportReport
from schedlab.slurm.dump.history import Record, details_of, merged_attempts
from schedlab.slurm.dump.shown import read_table
from schedlab.slurm.job_rows import history_of_rows, task_numbers
from schedlab.slurm.site import SlurmHistory

Row = dict[str, str]


def submitted_history(
    path: Path,
    truth: Mapping[str, Mapping[str, Any]],
    epoch_s: int | None,
    report: ImportReport,
    late_s: float = 0.0,
) -> SlurmHistory:
    """Return the jobs as they were submitted, with their real outcome where it is known.

    Args:
        path: the table; one line for a job, or for an array of jobs.
        truth: real details of jobs by ``slurm_id``.
        epoch_s: the whole second of offset 0.
        report: receives the remarks.
        late_s: how long after that second offset 0 is.
    """
    rows = [_job(where, row, truth, late_s) for where, row in _tasks(path)]
    if not rows:
        raise InputError(f"{path}: has no jobs")
    made, vague = history_of_rows(rows, path.name.partition(".")[0], epoch_s)
    if vague:
        report.note(
            f"{vague:,} jobs wait for one of several jobs, for tasks of an array one by one, or "
            "for jobs that are not known; only details.parquet has that."
        )
    lost = sum(detail.get("state") is None for _, detail in rows)
    if truth and lost:
        report.note(f"{path.name}: {lost:,} of {len(rows):,} jobs are not in the accounting.")
    return made


def _tasks(path: Path) -> Iterator[tuple[str, Row]]:
    """Yield a row for each job; an array has one for each task."""
    for number, (where, row) in enumerate(read_table(path, "submit_offset_s", "limit_s"), 1):
        row.setdefault("jobid", str(number))
        array, _, most = row.get("array", "").partition("%")
        if not array:
            yield where, row
            continue
        for task in task_numbers(array):
            yield where, row | {"task": str(task), "array_limit": most}


def _job(
    where: str, row: Row, truth: Mapping[str, Mapping[str, Any]], late_s: float
) -> tuple[dict[str, Any], dict[str, Any]]:
    try:
        return _columns(row, truth, late_s)
    except ValueError as error:
        raise InputError(f"{where}: {error}") from None


def _columns(
    row: Row, truth: Mapping[str, Mapping[str, Any]], late_s: float
) -> tuple[dict[str, Any], dict[str, Any]]:
    task = row.get("task")
    slurm_id = row["jobid"] if task is None else f"{row['jobid']}_{task}"
    known = truth.get(slurm_id, {})
    offset = float(row["submit_offset_s"]) + late_s
    true_run = float(row["true_run_s"]) + float(row.get("array_step_s") or 0) * int(task or 0)
    limit_s = max(int(float(row["limit_s"])), 1)
    tasks = int(row.get("cores") or row.get("tasks") or 1)
    per_node = int(row.get("tasks_per_node") or 0)
    per_task = int(row.get("cpus_per_task") or 1)
    asked = int(row["nodes"]) if row.get("nodes") else None
    needed = -(-tasks // per_node) if per_node else None
    nodes = max(asked or 1, needed or 1)
    memory = float(row["memory_mb"]) if row.get("memory_mb") else None
    gpus, kind = _gpus(row)
    start = known.get("start_s")
    job = {
        "submit_s": int(offset),
        "nodes": nodes,
        "request_s": limit_s,
        "run_s": limit_s if math.isinf(true_run) else math.ceil(true_run),
        "tasks": tasks,
        "tasks_per_node": per_node or -1,
        "cores_per_task": per_task,
        "cores_per_node": -(-tasks * per_task // nodes),
        "memory_per_node_kb": -1.0 if memory is None else memory * 1024,
        "gpus_per_node": gpus,
        "gpu_type": kind,
        "exclusive": int(row.get("exclusive") or -1),
        "user": row.get("user", ""),
        "account": row.get("account", ""),
        "qos": row.get("qos", ""),
        "partition": row.get("partition", ""),
        "constraint": row.get("constraint", ""),
        "licences": row.get("licenses", "").replace(",", "+"),
        "job_name": row.get("name") or row.get("job", ""),
        "array": int(row["jobid"]) if task is not None else -1,
        "array_index": int(task) if task is not None else -1,
        "array_limit": int(row.get("array_limit") or -1),
        "begin_after_s": int(row.get("begin_s") or -1),
        "requeue": 0 if row.get("requeue") == "no" else -1,
        "wait_s": -1 if start is None else max(int(start - int(offset)), 0),
    }
    details = {
        **{key: known.get(key) for key in ("eligible_s", "first_start_s", "start_s", "end_s")},
        **{key: known.get(key) for key in ("state", "hosts", "started_by", "attempts", "raw_id")},
        "suspended_s": known.get("suspended_s"),
        "slurm_id": slurm_id,
        "submit_s": offset,
        "true_run_s": true_run,
        # Without --nodes the table has the number of nodes that the tasks need.
        "min_nodes": None if asked == needed else asked,
        "dependency": row.get("dependency_ids") or row.get("dependency") or None,
        "kill_invalid_dependency": {"yes": True, "no": False}.get(row.get("kill_invalid_dep", "")),
        "nice": int(row["nice"]) if row.get("nice") else None,
        "held": bool(row.get("hold")),
        "reservation": row.get("reservation") or None,
        "may_requeue": {"no": False, "yes": True}.get(row.get("requeue", "")),
        "exit_code": int(row.get("exit_code") or 0),
    }
    return job, details


def _gpus(row: Row) -> tuple[int, str]:
    if row.get("gpus") and row["gpus"] != "0":
        return int(row["gpus"]), ""
    parts = row.get("gres", "").split(":")
    if parts[0] != "gpu":
        return -1, ""
    return int(parts[-1]) if parts[-1].isdecimal() else 1, ":".join(parts[1:-1])


def exact_starts(path: Path, late_s: float = 0.0) -> dict[str, dict[str, Any]]:
    """Read starts.csv of a run: starts and ends to the millisecond, and the starting scheduler."""
    found: dict[str, dict[str, Any]] = {}
    for _, row in read_table(path, "jobid", "start_offset_s"):
        name = row["jobid"] + (f"_{row['task']}" if row.get("task") else "")
        start_s = float(row["start_offset_s"]) + late_s
        found[name] = {
            "first_start_s": found.get(name, {}).get("first_start_s", start_s),
            "start_s": start_s,
            "end_s": float(row["end_offset_s"]) + late_s if row.get("end_offset_s") else None,
            "started_by": row.get("started_by") or None,
            "hosts": row.get("nodes") or None,
            "attempts": found.get(name, {}).get("attempts", 0) + 1,
        }
    return found


def truth_of(records: Sequence[Record], extras: Mapping[str, Row], epoch_s: int) -> dict[str, Any]:
    """Return the details of each job in the accounting, by its ``slurm_id``."""
    return {
        job["jobid"]: details_of(job, extras.get(job["jobid"], {}), epoch_s)
        for job in merged_attempts(records)
    }
