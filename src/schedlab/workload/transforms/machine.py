"""Fit the jobs to a machine: whole nodes, none wider than there are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from schedlab.errors import ParameterError, WorkloadError
from schedlab.workload.transforms.select import keep
from schedlab.workload.workload import Workload


def cores_per_node(workload: Workload, cores: int) -> Workload:
    """Turn counts of cores into whole nodes: nodes = ⌈cores / cores per node⌉.

    The column ``cores_per_node`` becomes what each node uses when a job's cores are spread evenly.
    Jobs have their nodes to themselves (``exclusive``).
    """
    if cores < 1:
        raise ParameterError(f"{cores} cores per node; must be >= 1")
    if "cores_per_node" in workload:
        raise WorkloadError(f'workload "{workload.name}" already counts nodes, not cores')
    nodes = -(-workload["nodes"] // cores)
    used = -(-workload["nodes"] // nodes)
    made = workload.replace(nodes=nodes, cores_per_node=used, exclusive=np.ones_like(nodes))
    return made.record("cores_per_node", cores=cores)


def oversize(workload: Workload, what: str, nodes: int | NDArray[np.int64]) -> Workload:
    """Drop, clip or refuse the jobs that are wider than the machine.

    Where partitions differ, ``nodes`` has a number for each job.
    """
    if what not in ("drop", "clip", "error"):
        raise ParameterError(f'"{what}" is not a way to treat wide jobs; use drop, clip or error')
    largest = int(np.max(nodes))
    if largest < 1:
        raise ParameterError(f"a machine of {largest} nodes; must have >= 1")
    wide = workload["nodes"] > nodes
    details = {"what": what, "nodes": largest}
    if what == "drop":
        return keep(workload, ~wide, "oversize", **details)
    if what == "clip":
        clipped = workload.replace(nodes=np.minimum(workload["nodes"], nodes))
        return clipped.record("oversize", **details, clipped=int(wide.sum()))
    _refuse(workload, wide, largest)
    return workload.record("oversize", **details)


def _refuse(workload: Workload, wide: np.ndarray, nodes: int) -> None:
    if wide.any():
        first = int(np.argmax(wide))
        raise WorkloadError(
            f"job {workload['job_id'][first]} needs {workload['nodes'][first]:,} nodes; "
            f"the machine has {nodes:,} ({int(wide.sum()):,} such jobs)"
        )
