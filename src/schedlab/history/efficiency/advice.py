"""What to ask for instead: one plain sentence for each kind of waste."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from schedlab.history.efficiency.job import EndedJob
from schedlab.history.efficiency.uses import UsedShare
from schedlab.history.schema.job import JobRecord, JobState
from schedlab.units import short_bytes, short_duration

_GIB = 2**30
_TIMES_S = (600, 1800, 3600, 7200, 14_400, 28_800, 43_200, 86_400, 172_800, 345_600, 604_800)


@dataclass(frozen=True)
class Change:
    """What a job should ask for instead.

    Args:
        kind: ``memory`` in bytes, ``cpu`` or ``gpu``, each on a node, or ``time`` in seconds.
        amount: how much of it.
    """

    kind: str
    amount: int


Advised = tuple[str, Change | None]
"""A sentence of advice, and the change that it recommends."""


def _advise_gpu(job: EndedJob, use: UsedShare) -> Advised:
    idle, held, waits = job.idle_gpus, len(job.gpu_percents), job.and_waits_if_shared
    hosts = max(1, len(job.record.per_host or ()))
    if idle == held:
        used = "asked for a GPU and did not use it" if held == 1 else f"did not use its {held} GPUs"
        return f"It {used}: ask for none{waits}.", Change("gpu", 0)
    if idle:
        needed, was = held - idle, "was" if idle == 1 else "were"
        text = f"{idle} of its {held} GPUs {was} idle: ask for {needed}{waits}."
        return text, Change("gpu", math.ceil(needed / hosts))
    return (
        f"Its GPUs were busy {100 * use.share:.0f} % of the time: "
        "see whether data reach them fast enough, or ask for fewer.",
        None,
    )


def _advise_memory(job: EndedJob, use: UsedShare) -> Advised | None:
    used, asked = job.memory_bytes, job.record.resource_req.mem_perhost_bytes
    if used is None or asked is None:
        return None
    better = _GIB * 2 ** max(0, math.ceil(math.log2(max(1.3 * used / _GIB, 1))))
    if better >= asked:
        return None
    figures = f"It asked for {short_bytes(asked)} on a node and used {short_bytes(used)}"
    text = f"{figures}: ask for {better // _GIB:,} GiB{job.and_waits_if_shared}."
    return text, Change("memory", better)


def _advise_time(job: EndedJob, use: UsedShare) -> Advised | None:
    asked = job.record.req_walltime_sec
    better = next((each for each in _TIMES_S if each >= 1.5 * job.run_s), None)
    if asked is None or better is None or better >= asked or _was_stopped(job.record):
        return None
    figures = f"It asked for {short_duration(asked)} and ran {short_duration(job.run_s)}"
    return f"{figures}: ask for {short_duration(better)}{job.and_waits}.", Change("time", better)


def _was_stopped(record: JobRecord) -> bool:
    """Return whether the job did not complete: how much time it needs is then unknown."""
    return record.state is not JobState.COMPLETED


def _advise_cpu(job: EndedJob, use: UsedShare) -> Advised | None:
    cpus = job.cpus
    if not cpus or (job.record.resource_req.accelerator or job.record.exclusive):
        return None
    have = job.node.cores if job.node is not None and job.node.cores else cpus
    busy = use.share * have
    better = max(1, math.ceil(1.25 * busy))
    if better >= cpus:
        return None
    figures = f"It asked for {cpus:g} CPUs on a node and kept {busy:.2g} busy"
    return f"{figures}: ask for {better}{job.and_waits}.", Change("cpu", better)


ADVICE: dict[str, Callable[[EndedJob, UsedShare], Advised | None]] = {
    "gpu": _advise_gpu,
    "memory": _advise_memory,
    "time": _advise_time,
    "cpu": _advise_cpu,
    "gpu_memory": lambda job, use: None,
    "energy": lambda job, use: None,
}
