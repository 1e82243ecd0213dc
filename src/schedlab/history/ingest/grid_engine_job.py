"""The record of a Grid Engine job, from the rows of its tasks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from schedlab.history.schema.job import JobRecord, JobState
from schedlab.workload.readers.grid_engine_row import Row, bytes_in, requests_in, seconds_in

RESCHEDULED = frozenset({24, 25})
"""Values of ``failed`` for a run that was put back: migrating, or rescheduling."""

_ENFORCED_LIMIT = 37
_CUT_S = 2  # start and end are written in whole seconds
_INTERACTIVE = frozenset({"QLOGIN", "QRLOGIN", "QRSH", "INTERACTIVE"})
_MEMORY = ("h_vmem", "s_vmem", "mem_free", "m_mem_free", "h_rss")


def record_of(
    row: Row, slaves: Sequence[Row], cluster: str | None, attempt: int, gpus: Sequence[str]
) -> JobRecord:
    """Return the record of one run: of a job, or of one task of an array."""
    wanted = requests_in(row.category)
    hosts = list(dict.fromkeys(each.hostname for each in (row, *slaves)))
    limit_s = seconds_in(wanted.get("h_rt")) or seconds_in(wanted.get("s_rt"))
    state = _state(row, wanted, limit_s)
    document: dict[str, Any] = {
        "jobid": _jobid(row, attempt),
        "cluster": cluster,
        "attempt": attempt,
        "queue_time": row.submitted,
        "end_time": row.ended,
        "req_walltime_sec": limit_s,
        "resource_req": _request(row, wanted, len(hosts), gpus),
        "state": state,
        "job_type": _job_type(row),
        "job_name": row.job_name,
        "user_identifier": row.owner,
        "accounting_group": row.project or row.account,
        "partition": row.qname,
        "native_priority": row.priority,
    }
    if row.task:
        document |= {"array_job_id": str(row.job), "array_task_id": row.task}
    if row.started is not None:
        document |= _run(row, slaves, hosts)
    return JobRecord.model_validate(document)


def _jobid(row: Row, attempt: int) -> str:
    """Return the job id as ``qacct -j`` takes it: ``12``, or ``10.3`` for a task of an array."""
    jobid = f"{row.job}.{row.task}" if row.task else f"{row.job}"
    return jobid if attempt == 1 else f"{jobid}.r{attempt}"


def _request(row: Row, wanted: dict[str, str], hosts: int, gpus: Sequence[str]) -> dict[str, Any]:
    """Return the request; users ask for slots, so its hosts are those that the job got."""
    slots_perhost = -(-row.slots // hosts)
    request: dict[str, Any] = {"num_host": hosts, "num_cpu_perhost": slots_perhost}
    memory = next((found for name in _MEMORY if (found := bytes_in(wanted.get(name)))), None)
    if memory is not None:
        request["mem_perhost_bytes"] = memory * slots_perhost  # these are per slot
    kind = next((name for name in gpus if name in wanted), None)
    if kind is not None:
        request["accelerator"] = {"num_perhost": int(float(wanted[kind]))}
    return request


def _state(row: Row, wanted: dict[str, str], limit_s: int | None) -> JobState:
    if row.failed in RESCHEDULED:
        return JobState.REQUEUED
    if row.deleted:
        return JobState.CANCELLED
    # A shell whose child is killed first ends by itself: failed is 0, only the exit code tells.
    was_stopped = bool(row.failed) or row.exit_status > 128
    if was_stopped and limit_s and row.started and row.ended:
        ran_s = (row.ended - row.started).total_seconds()
        if ran_s >= limit_s - _CUT_S:
            return JobState.TIMEOUT
    if row.failed == _ENFORCED_LIMIT:
        return JobState.OUT_OF_MEMORY if _filled_memory(row, wanted) else JobState.TIMEOUT
    return JobState.FAILED if row.failed or row.exit_status else JobState.COMPLETED


def _filled_memory(row: Row, wanted: dict[str, str]) -> bool:
    """Return whether the limit that was enforced is that of memory, which is per slot."""
    limit = bytes_in(wanted.get("h_vmem"))
    return limit is not None and row.maxvmem_bytes >= limit * row.slots


def _job_type(row: Row) -> str:
    kind = "interactive" if row.job_name in _INTERACTIVE else "batch"
    return f"{kind} array" if row.task else kind


def _run(row: Row, slaves: Sequence[Row], hosts: list[str]) -> dict[str, Any]:
    """Return the items that only a started run has."""
    every = (row, *slaves)
    even = row.slots % len(hosts) == 0
    share = {"num_cpu": row.slots // len(hosts)} if even else {}
    signal = row.exit_status - 128 if 128 < row.exit_status < 192 else None
    return {
        "start_time": row.started,
        "exit_status": row.exit_status or (-1 if row.failed else 0),
        "exit_signal": signal,
        "per_host": [{"node_id": host, **share} for host in hosts],
        "resource_alloc": {"num_host": len(hosts), "num_cpu": row.slots},
        "usage": {
            "cpu_sec": round(sum(each.cpu_s for each in every), 6),
            "maxrss_bytes": max(each.maxrss_bytes for each in every),
            "maxvmem_bytes": max(each.maxvmem_bytes for each in every),
            "io_bytes": sum(each.io_bytes for each in every),
        },
    }
