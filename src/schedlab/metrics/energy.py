"""What the machine drew."""

from __future__ import annotations

import numpy as np

from schedlab.metrics.capacity import makespan
from schedlab.metrics.clusters import busy_node_seconds
from schedlab.sim import Schedule


def energy(schedule: Schedule) -> float:
    """Energy of all nodes from the first submission to the last completion.

    Σ over groups of nodes of busy_w · b + idle_w · (N · makespan − b), with b the node-seconds used
    there; not defined where no group has a power, or where there are several and nodes are not
    named.
    """
    groups = schedule.platform.groups
    if not any(group.type.power.busy_w for group in groups):
        return float("nan")
    sizes = [group.nodes for group in groups]
    busy = busy_node_seconds(schedule, sizes)
    available = np.array(sizes) * makespan(schedule)
    busy_w = np.array([group.type.power.busy_w for group in groups])
    idle_w = np.array([group.type.power.idle_w for group in groups])
    return float(np.dot(busy_w, busy) + np.dot(idle_w, available - busy))
