"""The load that jobs offer to a machine whose nodes they share, by resource."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from schedlab.units import require_whole
from schedlab.workload.per_node import cores_on_each, gpus_on_each, least_nodes, memory_on_each
from schedlab.workload.workload import Array, Workload

_MOST = 10**24
"""Bytes of the memory of all nodes together may be more than a double can count."""
_COUNTED = ("cores", "memory_bytes", "gpus")
_WHOLE_GPU_MILLI = 1000


@dataclass(frozen=True)
class Capacity:
    """What a machine has in total; ``None``: not counted.

    With nothing but ``nodes`` every job has its nodes to itself.
    """

    nodes: int
    cores: int | None = None
    memory_bytes: int | None = None
    gpus: int | None = None

    def __post_init__(self) -> None:
        for name in ("nodes", *_COUNTED):
            if getattr(self, name) is not None:
                require_whole(name, getattr(self, name), 1, _MOST)


def offered_loads(workload: Workload, capacity: Capacity) -> dict[str, float]:
    """Return Σ(run · asked) / (capacity · span) of each resource that is counted."""
    span_s = workload.span_s()
    work_s = offered_work_s(workload, capacity)
    return {name: amount / span_s if span_s > 0 else math.inf for name, amount in work_s.items()}


def offered_work_s(workload: Workload, capacity: Capacity) -> dict[str, float]:
    """Return how long the whole machine would work for the jobs, by each resource that is counted.

    A job that asks for cores, memory or GPUs counts with these. Any other job, and one that must
    have its nodes to itself, counts with all that its share of the nodes has.
    """
    counted = {name: getattr(capacity, name) for name in _COUNTED if getattr(capacity, name)}
    of_nodes = workload["nodes"] / capacity.nodes
    shares = {"nodes": of_nodes}
    if counted:
        asked, whole = _asked(workload)
        shares = {
            name: np.where(whole, of_nodes, asked[name] / total) for name, total in counted.items()
        }
    run_s = workload["run_s"].astype(float)
    return {name: float(np.dot(run_s, share)) for name, share in shares.items()}


def _asked(workload: Workload) -> tuple[dict[str, Array], Array]:
    """Return what each job asks for in total, and whether it has whole nodes."""
    nodes = least_nodes(workload)
    cores, gpus = cores_on_each(workload, nodes), gpus_on_each(workload, nodes)
    memory = memory_on_each(workload, cores)
    says = (cores > 0) | (memory > 0) | (gpus > 0)
    milli = workload["gpu_milli"]
    of_gpus = np.where(milli > 0, gpus * milli / _WHOLE_GPU_MILLI, gpus)
    on_each = {"cores": np.maximum(cores, says), "memory_bytes": memory, "gpus": of_gpus}
    asked = {name: nodes * amount.astype(float) for name, amount in on_each.items()}
    return asked, ~says | (workload["exclusive"] == 1)
