"""Notes about the demands of jobs: which jobs share nodes, and which demands are not used."""

from __future__ import annotations

from collections.abc import Iterator

from schedlab.platform import Platform, demands_of
from schedlab.sim.node_demands import is_plain
from schedlab.workload import Workload
from schedlab.workload.ignored import ignored, pooled


def demand_notes(workload: Workload, platform: Platform, *, whole_nodes: bool) -> Iterator[str]:
    """Yield lines about how jobs use nodes, and about demands that are not used."""
    if is_plain(workload, platform):
        yield from ignored(workload)
        return
    if not len(workload):
        return
    demands = demands_of(workload, platform)
    parts = demands.jobs_on_parts()
    if parts:
        how = "simulated as whole nodes" if whole_nodes else "simulated as shared"
        other = "" if whole_nodes else " (--whole-nodes: each has its nodes to itself)"
        yield f"{parts:,} of {len(workload):,} jobs ask for part of a node; {how}{other}"
    for line in demands.ignored:
        yield f"ignored: {line}"
    described = any(cluster.partitions for cluster in platform.clusters)
    yield from pooled(workload, described=described or "needs" in workload)
