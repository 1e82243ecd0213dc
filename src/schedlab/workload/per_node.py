"""What jobs ask for on each node, from columns that give it by node, by task or in total."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from schedlab.units import LARGEST
from schedlab.workload.workload import Workload

Counts = NDArray[np.int64]

_KIB = 1024


def least_nodes(workload: Workload) -> Counts:
    """Return the fewest nodes of each job; a limit of tasks per node may raise ``nodes``."""
    tasks, on_each = workload["tasks"], workload["tasks_per_node"]
    wanted = np.where((tasks > 0) & (on_each > 0), -(-tasks // np.maximum(on_each, 1)), 0)
    return np.maximum(workload["nodes"], wanted)


def cores_on_each(workload: Workload, least: Counts) -> Counts:
    """Return cores on each of ``least`` nodes; 0 where the job gives no number."""
    tasks = np.where(
        workload["tasks_per_node"] > 0, workload["tasks_per_node"], _share(workload["tasks"], least)
    )
    by_task = workload["cores_per_task"]
    of_tasks = np.maximum(tasks, by_task > 0) * np.maximum(by_task, 1)
    said = _said(workload, "cores", least)
    return np.where(said > 0, said, of_tasks)


def gpus_on_each(workload: Workload, least: Counts) -> Counts:
    """Return GPUs on each of ``least`` nodes; 0 where the job gives no number."""
    return _said(workload, "gpus", least)


def memory_on_each(workload: Workload, cores: Counts) -> Counts:
    """Return bytes of memory on each node, of which a job has these cores; 0 if unknown."""
    by_node, by_core = workload["memory_per_node_kb"], workload["requested_memory_kb"]
    shared = np.where(by_core > 0, by_core * np.maximum(cores, 1), 0.0)
    asked = np.where(by_node > 0, by_node, shared) * _KIB
    in_bytes: Counts = np.rint(np.minimum(asked, LARGEST)).astype(np.int64)
    return in_bytes


def _said(workload: Workload, column: str, least: Counts) -> Counts:
    """Return the number by node, else an equal share of the total; 0 if neither is given."""
    own = workload[f"{column}_per_node"]
    counts: Counts = np.where(own > 0, own, _share(workload[column], least))
    return counts


def _share(total: Counts, least: Counts) -> Counts:
    shares: Counts = np.where(total > 0, -(-total // least), 0)
    return shares
