"""Records of jobs in archives that count processors: SWF, and GWF, which builds on it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from schedlab.history.ingest.records import SHARED_PARTS
from schedlab.history.schema.job import (
    JobRecord,
    JobState,
    ResourceAllocation,
    ResourceRequest,
    validate_record,
)
from schedlab.history.schema.times import from_epoch

NUMBERS = 11
"""Fields 1 to 11 are numbers in both formats; later fields are names or stand for names."""

# Looked up once: Python 3.11 finds members of an enumeration slowly.
_COMPLETED, _CANCELLED = JobState.COMPLETED, JobState.CANCELLED
_STATES = {0: JobState.FAILED, 1: _COMPLETED, 5: _CANCELLED}
_PARTS = frozenset({2, 3, 4})
_KIB = 1024

Document = dict[str, Any]


def add_numbers(document: Document, numbers: Sequence[float], epoch_s: int) -> JobRecord | None:
    """Return the record made of a document of names and of fields 1 to 11, -1 where unknown.

    Times count from ``epoch_s``. The formats know only processors: each becomes a host of one CPU.
    Return ``None`` for a part of a job that was swapped or checkpointed, since such a job has a
    line for all its parts.
    """
    _, submit_s, wait_s, run_s, procs, cpu_s, used_kb, asked, limit_s, asked_kb, status = numbers
    if status in _PARTS:
        return None
    procs, state, queued_s = int(procs), _STATES.get(int(status)), epoch_s + submit_s
    document["queue_time"] = queued = from_epoch(queued_s)
    document["req_walltime_sec"] = limit_s if limit_s > 0 else None
    document["resource_req"] = _request(int(asked) if asked > 0 else max(procs, 0), asked_kb)
    if run_s < 0 or (state is _CANCELLED and run_s == 0 and procs <= 0):
        _add_withdrawal(document, state, queued_s, wait_s)
        return validate_record(document)
    started_s = queued_s if wait_s <= 0 else queued_s + wait_s
    document["start_time"] = queued if wait_s <= 0 else from_epoch(started_s)
    document["end_time"] = from_epoch(started_s + run_s)
    document["per_host"] = []  # the archives do not say where
    if state is not None:
        document["state"] = state
        document["exit_status"] = 0 if state is _COMPLETED else -1
    if procs > 0:
        document["resource_alloc"] = _allocation(procs)
        if cpu_s >= 0 or used_kb >= 0:
            document["usage"] = _usage(cpu_s, used_kb, procs)
    return validate_record(document)


@lru_cache(maxsize=SHARED_PARTS)
def _request(procs: int, asked_kb: float) -> ResourceRequest:
    memory = int(asked_kb * _KIB) if asked_kb > 0 else None
    return ResourceRequest(num_host=procs, num_cpu_perhost=1, mem_perhost_bytes=memory)


@lru_cache(maxsize=SHARED_PARTS)
def _allocation(procs: int) -> ResourceAllocation:
    return ResourceAllocation(num_host=procs, num_cpu=procs)


def _add_withdrawal(
    document: Document, state: JobState | None, queued_s: float, wait_s: float
) -> None:
    """Add what is known of a job that never ran."""
    if state is _COMPLETED:
        raise ValueError("the job completed, but its run time is unknown")
    document["state"] = state or _CANCELLED
    if wait_s >= 0:
        document["end_time"] = from_epoch(queued_s + wait_s)


def _usage(cpu_s: float, used_kb: float, procs: int) -> Document:
    """Return CPU time and memory, which the archives give for the average processor."""
    usage: Document = {}
    if cpu_s >= 0:
        usage["cpu_sec"] = cpu_s * procs
    if used_kb >= 0:
        usage["maxrss_bytes"] = int(used_kb * _KIB * procs)
    return usage
