"""A job as Slurm knows it, whichever form it was read from, and the record made of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from typing import Any

from schedlab.history.ingest.records import SHARED_PARTS, Part, part
from schedlab.history.ingest.slurm.states import PUT_BACK
from schedlab.history.ingest.slurm.submit_line import submission_of
from schedlab.history.ingest.slurm.tres import NOTHING, Tres
from schedlab.history.ingest.source import AttemptCounter
from schedlab.history.schema.job import (
    HostUse,
    JobRecord,
    JobState,
    ResourceAllocation,
    ResourceRequest,
    validate_record,
)
from schedlab.platform.hostlist import expand_hosts

NO_HOSTS = frozenset({"", "None assigned", "(null)", "None"})

_SHARED_LISTS = 4096  # of hosts; they may be long

_TASKS = re.compile(r"(\d+)(?:-(\d+)(?::(\d+))?)?")


@dataclass(slots=True)
class SlurmJob:
    """One row of Slurm's accounting, with its steps folded in; times are moments."""

    jobid: str
    state: JobState
    cluster: str = ""
    name: str = ""
    user: str = ""
    account: str = ""
    partition: str = ""
    qos: str = ""
    submit: datetime | None = None
    eligible: datetime | None = None
    start: datetime | None = None
    end: datetime | None = None
    limit_s: int | None = None
    exit_code: int = 0
    signal: int = 0
    requested: Tres = NOTHING
    allocated: Tres = NOTHING
    hosts: str = ""
    priority: int | None = None
    frequency_policy: str = ""
    submit_line: str = ""
    comment: str = ""
    admin_comment: str = ""
    has_batch_step: bool | None = None
    cpu_s: float = 0
    maxrss_bytes: int = 0
    energy_j: int = 0
    attempt: int | None = None
    evaluated: datetime | None = None
    """When the scheduler last looked at it."""
    reason: str = ""
    """Why it waits, in Slurm's words."""
    constraint: str = ""
    array_limit: int | None = None


def records_of(job: SlurmJob, attempts: AttemptCounter) -> list[JobRecord]:
    """Return the record of a job, or of each task of a block of array tasks that did not start."""
    jobs = _tasks(job) if "_[" in job.jobid else (job,)
    return [validate_record(_document(each, attempts)) for each in jobs]


def _tasks(job: SlurmJob) -> Iterator[SlurmJob]:
    array, _, tasks = job.jobid.partition("_[")
    for piece in tasks.rstrip("]").partition("%")[0].split(","):
        match = _TASKS.fullmatch(piece)
        if match is None:
            raise ValueError(f"JobID {job.jobid!r} does not name all its tasks")
        first, last, step = int(match[1]), int(match[2] or match[1]), int(match[3] or 1)
        for number in range(first, last + 1, step):
            yield replace(job, jobid=f"{array}_{number}")


def _document(job: SlurmJob, attempts: AttemptCounter) -> dict[str, Any]:
    hosts = () if job.hosts in NO_HOSTS else expand_hosts(job.hosts)
    never_ran = job.start is None or (not hosts and job.state in (JobState.CANCELLED, *PUT_BACK))
    attempt = job.attempt or _attempt(job, attempts)
    array, _, task = job.jobid.partition("_")
    submission = submission_of(job.submit_line)
    document: dict[str, Any] = {
        "jobid": job.jobid if attempt == 1 else f"{job.jobid}.r{attempt}",
        "cluster": job.cluster or None,
        "attempt": attempt,
        "queue_time": job.submit,
        "eligible_time": job.eligible,
        "end_time": job.end,
        "req_walltime_sec": job.limit_s,
        "resource_req": _request(
            job.requested, job.allocated.nodes, job.frequency_policy, submission.mem_percpu_bytes
        ),
        "state": job.state,
        "job_type": _job_type(job, is_array=bool(task)),
        "job_name": job.name or None,
        "user_identifier": job.user or None,
        "accounting_group": job.account or None,
        "partition": job.partition or None,
        "qos": job.qos or None,
        "native_priority": job.priority,
    }
    # Items that few jobs have are set only where needed: each one in a million records takes time.
    if submission.items:
        document |= submission.items
    if job.constraint:
        document["constraint"] = job.constraint
    if job.requested.licences:
        document["licences"] = job.requested.licences
    if job.state is JobState.PREEMPTED:
        document["preemptible"] = True
    if job.comment:
        document["comment"] = job.comment
    if job.admin_comment:
        document["admin_comment"] = job.admin_comment
    if job.evaluated:
        document["last_sched_eval_time"] = job.evaluated
    if job.reason and job.state is JobState.PENDING:
        document["wait_reason"] = job.reason
    if task:
        document["array_job_id"], document["array_task_id"] = array, int(task)
        if job.array_limit:
            document["array_limit"] = job.array_limit
    if not never_ran:
        document |= _run(job, hosts)
    return document


def _attempt(job: SlurmJob, attempts: AttemptCounter) -> int:
    put_back = job.state in PUT_BACK
    if job.submit is None or not (put_back or attempts):
        return 1
    key = f"{job.cluster}/{job.jobid}"
    if not (put_back or key in attempts):
        return 1
    return attempts.number(key, int(job.submit.timestamp()), put_back=put_back)


@lru_cache(maxsize=SHARED_PARTS)
def _request(
    wanted: Tres, given_nodes: int | None, frequency_policy: str, per_core: int | None
) -> Part:
    nodes = wanted.nodes or given_nodes or 1
    request: dict[str, Any] = {"num_host": nodes}
    if wanted.cpus is not None:
        request["num_cpu_perhost"] = -(-wanted.cpus // nodes)
    if wanted.mem_bytes:
        request["mem_perhost_bytes"] = wanted.mem_bytes // nodes
    if per_core:
        request["mem_percpu_bytes"] = per_core
    if frequency_policy:
        request["frequency_policy"] = frequency_policy
    if wanted.gpus:
        request["accelerator"] = {"type": wanted.gpu_type, "num_perhost": -(-wanted.gpus // nodes)}
    return part(ResourceRequest, request)


def _run(job: SlurmJob, hosts: tuple[str, ...]) -> dict[str, Any]:
    """Return the items that only a started job has."""
    run: dict[str, Any] = {
        "start_time": job.start,
        "per_host": _hosts(job.allocated.cpus, hosts),
        "resource_alloc": _allocation(job.allocated, len(hosts)),
    }
    if job.end is not None:
        run["exit_status"] = _exit_status(job)
        run["exit_signal"] = job.signal or None
    if job.cpu_s or job.maxrss_bytes:
        run["usage"] = {"cpu_sec": job.cpu_s, "maxrss_bytes": job.maxrss_bytes or None}
    if job.energy_j:
        run["energy"] = {"total_joule": job.energy_j, "source": "slurm"}
    return run


@lru_cache(maxsize=SHARED_PARTS)
def _allocation(given: Tres, hosts: int) -> Part:
    allocation = {
        "num_host": given.nodes or hosts or None,
        "num_cpu": given.cpus,
        "mem_bytes": given.mem_bytes or None,
        "num_accelerator": given.gpus,
    }
    return part(ResourceAllocation, allocation)


@lru_cache(maxsize=_SHARED_LISTS)
def _hosts(cpus: int | None, hosts: tuple[str, ...]) -> list[Part]:
    """Return the job's hosts, in a list that must not be changed.

    Slurm's accounting gives a job's share of a host only if all its shares are equal.
    """
    share = None
    if cpus and hosts and cpus % len(hosts) == 0:
        share = cpus // len(hosts)
    return [_host(host, share) for host in hosts]


@lru_cache(maxsize=SHARED_PARTS)
def _host(node_id: str, num_cpu: int | None) -> Part:
    return part(HostUse, {"node_id": node_id, "num_cpu": num_cpu})


def _exit_status(job: SlurmJob) -> int:
    """Return the script's code, or 128 + signal, or -1 if Slurm ended the job without either."""
    if job.exit_code:
        return job.exit_code
    if job.signal:
        return 128 + job.signal
    return 0 if job.state is JobState.COMPLETED else -1


def _job_type(job: SlurmJob, *, is_array: bool) -> str | None:
    if job.submit_line:
        batch = submission_of(job.submit_line).is_batch
    elif is_array or job.has_batch_step:
        batch = True
    elif job.has_batch_step is None or "+" in job.jobid:
        return None  # of a job of several components only the first has a batch step
    else:
        batch = False
    return ("batch" if batch else "interactive") + (" array" if is_array else "")
