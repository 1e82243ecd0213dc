"""The machine that a window is simulated on, and the jobs that it can hold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from schedlab.errors import SchedlabError, WorkloadError
from schedlab.history.site import Site
from schedlab.platform import Cluster, Platform, demands_of
from schedlab.sim.node_demands import demands_if_any
from schedlab.workload import Workload
from schedlab.workload.header import header_int

Mask = NDArray[np.bool_]

_ASKED = (
    *("nodes", "max_nodes", "cores_per_node", "cores", "tasks", "tasks_per_node"),
    *("cores_per_task", "memory_per_node_kb", "requested_memory_kb", "gpus_per_node", "gpus"),
    *("gpu_type", "gpu_milli", "resources", "licences", "exclusive", "partition", "constraint"),
    "request_s",
)
"""Columns that say what a job asks for."""


@dataclass(frozen=True)
class SiteMachines:
    """The machines of the site, as far as its file describes them."""

    site: Site | None = None

    def described(self, cluster: str) -> Cluster | None:
        """Return the cluster; None if the file does not describe its nodes."""
        clusters = () if self.site is None else self.site.clusters
        return next((each for each in clusters if each.name == cluster and each.groups), None)

    def platform(self, cluster: str, workload: Workload) -> Platform:
        """Return the machine that the file describes, else the nodes that jobs ran on.

        Outages, drains, reservations and changes of capacity are left out.
        """
        described = self.described(cluster)
        if described is not None and self.site is not None:
            # Their times are on the clock of a workload, which begins at another moment here.
            always = replace(described, outages=(), drains=(), reservations=())
            consumables = tuple(replace(each, steps=()) for each in self.site.consumables)
            return Platform((always,), cluster, consumables)
        nodes = max(header_int(workload.header, "MaxNodes") or 0, int(workload["nodes"].max()))
        cores = max(1, int(workload["cores_per_node"].max(initial=1)))
        return Platform.homogeneous(nodes, name=cluster, cores=cores)


def fitting(workload: Workload, platform: Platform) -> Mask:
    """Return which jobs the machine can hold when it is empty.

    A machine changes over the years: a history may have jobs of nodes or partitions that are gone.
    """
    columns = [workload[name] for name in _ASKED if name in workload]
    _, first, kind = np.unique(
        np.column_stack(columns), axis=0, return_index=True, return_inverse=True
    )
    bad = np.zeros(len(first), dtype=bool)
    bad[_unfit(workload, platform, first)] = True
    return ~bad[kind.reshape(-1)]


def _unfit(workload: Workload, platform: Platform, jobs: NDArray[np.int64]) -> list[int]:
    """Return the places in ``jobs`` of the jobs that fit nowhere; search by halving."""
    chosen = np.zeros(len(workload), dtype=bool)
    chosen[jobs] = True
    try:
        demands_if_any(workload.take(chosen), platform, whole_nodes=False)
    except WorkloadError:
        if len(jobs) == 1:
            return [0]
        half = len(jobs) // 2
        later = _unfit(workload, platform, jobs[half:])
        return [*_unfit(workload, platform, jobs[:half]), *(half + place for place in later)]
    return []


def machine_notes(
    workload: Workload, platform: Platform, *, is_described: bool, left_out: int, whole_nodes: bool
) -> Iterator[str]:
    """Yield sentences on the machine that was simulated."""
    if not is_described:
        yield "The site file does not describe the nodes; the simulation has those jobs ran on."
    yield from _sharing(workload, platform, whole_nodes=whole_nodes)
    names = [each.name for cluster in platform.clusters for each in cluster.partitions]
    if names:
        yield f"Jobs had the nodes of their partitions ({', '.join(names)})."
    if left_out:
        jobs = "1 job is" if left_out == 1 else f"{left_out:,} jobs are"
        yield f"{jobs} left out: no node of the described machine can hold them."


def _sharing(workload: Workload, platform: Platform, *, whole_nodes: bool) -> Iterator[str]:
    try:
        demands = demands_of(workload, platform)
    except SchedlabError:  # the machine is a number of nodes, of which nothing else is known
        return
    parts = demands.jobs_on_parts()
    how = "as whole nodes" if whole_nodes else "as shared"
    if parts:
        yield f"{parts:,} of {len(workload):,} jobs asked for part of a node; simulated {how}."
    else:
        yield "Every job asked for whole nodes."
    for line in demands.ignored:
        yield f"Not simulated: {line}."
