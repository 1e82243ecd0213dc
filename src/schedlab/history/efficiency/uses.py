"""How much a job used of each kind of resource."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from schedlab.history.efficiency.job import EndedJob
from schedlab.history.efficiency_section import Level
from schedlab.units import short_bytes, short_duration, three_digits

_WH = 3_600.0


@dataclass(frozen=True)
class UsedShare:
    """How much a job used of one kind of resource.

    Args:
        kind: the key of ``[efficiency]`` that judges it.
        label: name of the kind to be shown.
        share: share of what was asked for, or of what the nodes have.
        note: the amounts used and asked for, as text.
        level: how good the share is; None if it is not judged.
    """

    kind: str
    label: str
    share: float
    note: str
    level: Level | None


Known = tuple[float, str]


def _time(job: EndedJob) -> Known | None:
    asked = job.record.req_walltime_sec
    if not asked:
        return None
    return job.run_s / asked, f"{short_duration(job.run_s)} of {short_duration(asked)}"


def _cpu(job: EndedJob) -> Known | None:
    """Return the use of a node's CPUs by sensors, else that of the job's CPUs by accounting."""
    measured = [t.avg for t in job.on_hosts("used_cpu_percent") if t.avg is not None]
    if measured:
        share = sum(measured) / len(measured) / 100
        if job.node is not None and job.node.cores:
            return share, f"{share * job.node.cores:.3g} of {job.node.cores:,} CPUs of a node"
        return share, "of a node"
    usage, cpus = job.record.usage, job.cpus
    if usage is None or usage.cpu_sec is None or not cpus:
        return None
    busy = usage.cpu_sec / job.run_s / max(1, job.record.resource_req.num_host)
    return busy / cpus, f"{busy:.3g} of {cpus:g} CPUs of a node"


def _memory(job: EndedJob) -> Known | None:
    asked = job.record.resource_req.mem_perhost_bytes
    used = job.memory_bytes
    if not asked or used is None:
        return None
    return used / asked, f"{short_bytes(used)} of {short_bytes(asked)} on a node"


def _gpu(job: EndedJob) -> Known | None:
    percents = job.gpu_percents
    if not percents:
        return None
    busy = sum(percents) / 100
    return busy / len(percents), f"{busy:.2g} of {len(percents):,} GPUs"


def _gpu_memory(job: EndedJob) -> Known | None:
    peaks = [each.max for each in job.on_gpus("usedmem_bytes") if each.max is not None]
    have = job.node.gpu_memory_bytes if job.node is not None else None
    if not peaks or not have:
        return None
    return max(peaks) / have, f"{short_bytes(max(peaks))} of {short_bytes(have)} on a GPU"


def _energy(job: EndedJob) -> Known | None:
    """Return the energy as a share of what the nodes draw when they are busy.

    For a job that shares nodes, only its share of a node's CPUs counts.
    """
    energy = job.record.energy
    used = None if energy is None else energy.total_joule
    busy_w = job.node.power.busy_w if job.node is not None else 0.0
    if used is None or not busy_w or job.node is None:
        return None
    share = 1.0
    if not job.record.exclusive and job.cpus and job.node.cores:
        share = min(1.0, job.cpus / job.node.cores)
    busy = share * busy_w * job.record.resource_req.num_host * job.run_s
    factor, unit = (_WH * 1_000, "kWh") if busy >= _WH * 1_000 else (_WH, "Wh")
    note = f"{three_digits(used / factor)} of {three_digits(busy / factor)} {unit} of busy nodes"
    return used / busy, note


KINDS: tuple[tuple[str, str, Callable[[EndedJob], Known | None]], ...] = (
    ("time", "Time", _time),
    ("cpu", "CPU", _cpu),
    ("memory", "Memory", _memory),
    ("gpu", "GPU", _gpu),
    ("gpu_memory", "GPU memory", _gpu_memory),
    ("energy", "Energy", _energy),
)
