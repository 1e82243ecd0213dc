"""Which nodes of which clusters each job needs, checked against the platform."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schedlab.errors import UnknownNameError, WorkloadError
from schedlab.platform import Platform
from schedlab.workload import Workload
from schedlab.workload.needs import parse_needs

Needs = list[tuple[int, int]]
"""The clusters by their number, each with the nodes needed of it."""


@dataclass(frozen=True, eq=False)
class ClusterNeeds:
    """Each job's needs as columns; job i has those at ``offset[i]:offset[i+1]``."""

    clusters: tuple[int, ...]
    """Nodes of each cluster."""
    offset: NDArray[np.int64]
    cluster: NDArray[np.int32]
    nodes: NDArray[np.int32]

    def job(self) -> NDArray[np.int64]:
        """For each need the position of the job it belongs to."""
        return np.repeat(np.arange(len(self.offset) - 1), np.diff(self.offset))

    def by_cluster(self) -> NDArray[np.int64]:
        """Nodes needed, as (cluster, job)."""
        table = np.zeros((len(self.clusters), len(self.offset) - 1), dtype=np.int64)
        table[self.cluster, self.job()] = self.nodes
        return table


def cluster_needs(workload: Workload, platform: Platform) -> ClusterNeeds | None:
    """What the jobs need of each cluster of the platform; None where any nodes will do.

    Raises WorkloadError for a job that could never run: it needs a cluster that is not there, or
    more nodes than the cluster has, or does not say which.
    """
    if "needs" not in workload:
        return None
    codes, first = np.unique(workload["needs"], return_index=True)
    of_code = {
        code: _needs_of(workload, platform, code, job)
        for code, job in zip(codes.tolist(), first.tolist(), strict=True)
    }
    rows = [of_code[code] for code in workload["needs"].tolist()]
    _check_totals(workload, rows)
    flat = [need for row in rows for need in row]
    return ClusterNeeds(
        tuple(cluster.nodes for cluster in platform.clusters),
        np.concatenate([[0], np.cumsum([len(row) for row in rows], dtype=np.int64)]),
        np.array([cluster for cluster, _ in flat], dtype=np.int32),
        np.array([nodes for _, nodes in flat], dtype=np.int32),
    )


def _needs_of(workload: Workload, platform: Platform, code: int, job: int) -> Needs:
    """The needs that a code stands for; ``job`` is the first that has it."""
    labels = workload.labels.get("needs", ())
    if not 0 <= code < len(labels):
        what = "does not say which clusters it needs" if code < 0 else f"needs is {code}"
        raise _error(workload, job, f"{what}; must be such as north:4+south:2")
    places, needs = platform.cluster_places(), []
    try:
        for name, nodes in parse_needs(labels[code]).items():
            if name not in places:
                raise UnknownNameError("cluster", name, places)
            has = platform.clusters[places[name]].nodes
            if nodes > has:
                raise WorkloadError(f'needs {nodes:,} nodes of cluster "{name}", which has {has:,}')
            needs.append((places[name], nodes))
    except (UnknownNameError, WorkloadError) as error:
        raise _error(workload, job, str(error)) from None
    if len({cluster for cluster, _ in needs}) < len(needs):
        raise _error(workload, job, f'needs is "{labels[code]}": a cluster comes twice')
    return sorted(needs)


def _check_totals(workload: Workload, rows: list[Needs]) -> None:
    totals = np.array([sum(nodes for _, nodes in row) for row in rows], dtype=np.int64)
    wrong = np.flatnonzero(totals != workload["nodes"])
    if len(wrong):
        job, nodes = int(wrong[0]), workload["nodes"][wrong[0]]
        raise _error(workload, job, f"nodes is {nodes} but its needs add up to {totals[job]}")


def _error(workload: Workload, job: int, reason: str) -> WorkloadError:
    return WorkloadError(f"job {workload['job_id'][job]}: {reason}")
