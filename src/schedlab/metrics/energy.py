"""What the machine drew."""

from __future__ import annotations

import numpy as np

from schedlab.metrics.capacity import makespan
from schedlab.metrics.clusters import busy_node_seconds
from schedlab.sim import Schedule


def energy(schedule: Schedule) -> float:
    """Energy of all nodes from the first submission to the last completion.

    Σ over clusters of busy_w · b + idle_w · (N · makespan − b), with b the node-seconds used there;
    not defined where no cluster has a power, or where several have and nodes are not named.
    """
    clusters = schedule.platform.clusters
    if not any(cluster.power.busy_w for cluster in clusters):
        return float("nan")
    busy = busy_node_seconds(schedule)
    available = np.array([cluster.nodes for cluster in clusters]) * makespan(schedule)
    busy_w = np.array([cluster.power.busy_w for cluster in clusters])
    idle_w = np.array([cluster.power.idle_w for cluster in clusters])
    return float(np.dot(busy_w, busy) + np.dot(idle_w, available - busy))
