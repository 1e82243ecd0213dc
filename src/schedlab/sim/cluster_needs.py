"""Which nodes of which clusters each job needs, checked against the platform."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schedlab.platform import Platform
from schedlab.platform.cluster_parts import cluster_parts
from schedlab.workload import Workload


@dataclass(frozen=True, eq=False)
class ClusterNeeds:
    """Each job's needs as columns; job i has those at ``offset[i]:offset[i+1]``."""

    clusters: tuple[int, ...]
    """Nodes of each cluster."""
    offset: NDArray[np.int64]
    cluster: NDArray[np.int32]
    nodes: NDArray[np.int32]

    def job(self) -> NDArray[np.int64]:
        """Return for each need the position of the job it belongs to."""
        return np.repeat(np.arange(len(self.offset) - 1), np.diff(self.offset))

    def by_cluster(self) -> NDArray[np.int64]:
        """Return nodes needed, as (cluster, job)."""
        table = np.zeros((len(self.clusters), len(self.offset) - 1), dtype=np.int64)
        table[self.cluster, self.job()] = self.nodes
        return table


def cluster_needs(workload: Workload, platform: Platform) -> ClusterNeeds | None:
    """Return what the jobs need of each cluster of the platform; None where any nodes will do.

    Raises WorkloadError for a job that could never run: it needs a cluster that is not there, or
    more nodes than the cluster has, or does not say which.
    """
    if "needs" not in workload:
        return None
    rows = cluster_parts(workload, platform)
    flat = [need for row in rows for need in row]
    return ClusterNeeds(
        tuple(cluster.nodes for cluster in platform.clusters),
        np.concatenate([[0], np.cumsum([len(row) for row in rows], dtype=np.int64)]),
        np.array([cluster for cluster, _ in flat], dtype=np.int32),
        np.array([nodes for _, nodes in flat], dtype=np.int32),
    )
