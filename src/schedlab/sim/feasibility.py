"""Check before a simulation that every job can run at all."""

from __future__ import annotations

import numpy as np

from schedlab.errors import WorkloadError
from schedlab.platform import Cluster
from schedlab.workload import Workload
from schedlab.workload.dependencies import dependency_table

# 35,000 years: sums of such times still fit into 64 bits.
LONGEST_S = 1 << 40


def check_feasible(workload: Workload, cluster: Cluster) -> None:
    """Raise WorkloadError for jobs that cannot all run on one pool of nodes."""
    if "needs" in workload:
        raise WorkloadError(
            f'workload "{workload.name}" has jobs that need nodes of named clusters; '
            "here all nodes are one pool"
        )
    nodes = workload["nodes"]
    wide = np.flatnonzero(nodes > cluster.nodes)
    if len(wide):
        raise WorkloadError(
            f"job {workload['job_id'][wide[0]]} needs {nodes[wide[0]]:,} nodes but the cluster has "
            f"{cluster.nodes:,} ({len(wide):,} such jobs); "
            f"leave them out or clip them with oversize=drop|clip"
        )
    check_times(workload)


def check_times(workload: Workload) -> None:
    """Raise WorkloadError for jobs that are too long, or wait for each other."""
    workload.once(_check_times)


def _check_times(workload: Workload) -> None:
    for column in ("submit_s", "request_s", "run_s"):
        late = np.flatnonzero(workload[column] > LONGEST_S)
        if len(late):
            raise WorkloadError(
                f"job {workload['job_id'][late[0]]}: {column} is {workload[column][late[0]]}; "
                f"must be <= {LONGEST_S}"
            )
    _check_no_cycle(workload)


def _check_no_cycle(workload: Workload) -> None:
    """Follow dependencies by doubling steps: a job that reaches no free one is in a cycle."""
    if "dependencies" in workload:
        dependency_table(workload)  # several dependencies per job; it refuses cycles itself
        return
    ancestor = workload.dependency_index()
    if not np.any(ancestor >= 0):
        return
    for _ in range(len(workload).bit_length() + 1):
        ancestor = np.where(ancestor >= 0, ancestor[ancestor], -1)
    stuck = np.flatnonzero(ancestor >= 0)
    if len(stuck):
        raise WorkloadError(
            f"job {workload['job_id'][stuck[0]]} can never start: its dependencies form a cycle"
        )
