"""What the machine drew."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from schedlab.metrics.capacity import makespan, node_seconds
from schedlab.metrics.metric import Values
from schedlab.platform import Cluster
from schedlab.sim import Schedule


def energy(schedule: Schedule) -> float:
    """Energy of all nodes from the first submission to the last completion.

    Σ over clusters of busy_w · b + idle_w · (N · makespan − b), with b the node-seconds used there;
    not defined where no cluster has a power, or where several have and nodes are not named.
    """
    clusters = schedule.platform.clusters
    if not any(cluster.power.busy_w for cluster in clusters):
        return float("nan")
    busy = _busy_node_seconds(schedule, clusters)
    available = np.array([cluster.nodes for cluster in clusters]) * makespan(schedule)
    busy_w = np.array([cluster.power.busy_w for cluster in clusters])
    idle_w = np.array([cluster.power.idle_w for cluster in clusters])
    return float(np.dot(busy_w, busy) + np.dot(idle_w, available - busy))


def _busy_node_seconds(schedule: Schedule, clusters: tuple[Cluster, ...]) -> Values:
    """Node-seconds used on each cluster; nodes are numbered through the clusters in order."""
    if len(clusters) == 1:
        return np.array([node_seconds(schedule).sum()])
    ranges = schedule.node_ranges
    if ranges is None:
        return np.full(len(clusters), np.nan)
    ran = schedule.ran_s[ranges.job()].astype(float)
    bounds = np.cumsum([0, *(cluster.nodes for cluster in clusters)])
    shares = (
        np.minimum(ranges.last + 1, end) - np.maximum(ranges.first, begin)
        for begin, end in pairwise(bounds)
    )
    return np.array([np.dot(ran, np.maximum(share, 0)) for share in shares])
