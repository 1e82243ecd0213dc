"""Jobs that need nodes of several clusters at the same time."""

from __future__ import annotations

import numpy as np

from schedlab.errors import UnknownNameError, WorkloadError
from schedlab.platform.node_sets import PlacedPartition
from schedlab.platform.partition import Partition
from schedlab.platform.platform import Platform
from schedlab.workload import Workload
from schedlab.workload.labels import parsed_labels
from schedlab.workload.needs import parse_needs


def whole_clusters(platform: Platform) -> tuple[PlacedPartition, ...]:
    """Return each cluster as a partition of all its nodes."""
    return tuple(
        PlacedPartition(each.name, Partition("all"), first + np.arange(each.nodes))
        for first, each in zip(platform.first_nodes(), platform.clusters, strict=True)
    )


def cluster_parts(workload: Workload, platform: Platform) -> list[list[tuple[int, int]]]:
    """Return for each job the clusters that it needs, by their place, with the number of nodes.

    Raises WorkloadError for a job that names no cluster, or needs nodes that do not exist.
    """
    places = platform.cluster_places()
    made = []
    for job, needs in enumerate(parsed_labels(workload, "needs", parse_needs)):
        try:
            made.append(_parts(needs, platform, places, int(workload["nodes"][job])))
        except (UnknownNameError, WorkloadError) as error:
            raise WorkloadError(f"job {workload['job_id'][job]}: {error}") from None
    return made


def _parts(
    needs: dict[str, int] | None, platform: Platform, places: dict[str, int], nodes: int
) -> list[tuple[int, int]]:
    if needs is None:
        raise WorkloadError("does not say which clusters it needs; must look like north:4+south:2")
    for name, count in needs.items():
        if name not in places:
            raise UnknownNameError("cluster", name, places)
        has = platform.clusters[places[name]].nodes
        if count > has:
            raise WorkloadError(f'needs {count:,} nodes of cluster "{name}", which has {has:,}')
    if len({places[name] for name in needs}) < len(needs):
        raise WorkloadError("needs a cluster under two names")
    if sum(needs.values()) != nodes:
        raise WorkloadError(f"nodes is {nodes} but its needs add up to {sum(needs.values())}")
    return sorted((places[name], count) for name, count in needs.items())
