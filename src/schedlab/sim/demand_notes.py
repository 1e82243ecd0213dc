"""Notes about the demands of jobs: which share nodes, and what is not used."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from schedlab.platform import Demands, Platform, demands_of
from schedlab.sim.node_demands import is_plain
from schedlab.workload import Workload
from schedlab.workload.ignored import ignored, pooled


def demand_notes(workload: Workload, platform: Platform, *, whole_nodes: bool) -> Iterator[str]:
    """Tell how jobs use nodes, and what of their demands is not used; one line each."""
    if is_plain(workload, platform):
        yield from ignored(workload)
        return
    if not len(workload):
        return
    demands = demands_of(workload, platform)
    parts = int(np.count_nonzero(~demands.whole & _part_of_cores(demands)))
    if parts:
        how = "simulated as whole nodes" if whole_nodes else "simulated as shared"
        other = "" if whole_nodes else " (--whole-nodes: each has its nodes to itself)"
        yield f"{parts:,} of {len(workload):,} jobs ask for part of a node; {how}{other}"
    for line in demands.ignored:
        yield f"ignored: {line}"
    described = any(cluster.partitions for cluster in platform.clusters)
    yield from pooled(workload, described=described or "needs" in workload)


def _part_of_cores(demands: Demands) -> NDArray[np.bool_]:
    """Return whether each job takes fewer cores than the largest node has."""
    if "cores" not in demands.resources.place:
        return np.ones(len(demands.whole), dtype=bool)
    place = demands.resources.place["cores"]
    less: NDArray[np.bool_] = (
        demands.per_node[:, place] < demands.resources.capacity[:, place].max()
    )
    return less
