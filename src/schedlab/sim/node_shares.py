"""How much of its nodes a job holds: all, or the share of their cores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schedlab.errors import SchedlabError
from schedlab.platform import Demands, demands_of
from schedlab.sim.node_ranges import NodeRanges
from schedlab.sim.schedule import Schedule
from schedlab.sim.step_series import StepSeries

Values = NDArray[np.float64]

_SAYING = (
    "cores_per_node",
    "cores",
    "tasks",
    "tasks_per_node",
    "cores_per_task",
    "memory_per_node_kb",
    "requested_memory_kb",
    "gpus_per_node",
    "gpus",
    "resources",
)
"""If a workload has none of these columns, all jobs have whole nodes."""


def shared_demands(schedule: Schedule) -> Demands | None:
    """Return what the jobs asked for, if some of them shared nodes; None if all had whole nodes."""
    if schedule.provenance.get("whole_nodes"):
        return None
    described = all(group.type.cores for group in schedule.platform.groups)
    if not described or not any(column in schedule.workload for column in _SAYING):
        return None
    try:
        demands = demands_of(schedule.workload, schedule.platform)
    except SchedlabError:  # it was made elsewhere, for another machine
        return None
    return None if demands.whole.all() else demands


@dataclass(frozen=True, eq=False)
class NodeShares:
    """The nodes that jobs hold, each counted by the share of its cores."""

    schedule: Schedule
    demands: Demands | None

    @classmethod
    def of(cls, schedule: Schedule) -> NodeShares:
        """Return the shares by what the jobs asked for."""
        return cls(schedule, shared_demands(schedule))

    def of_jobs(self) -> Values:
        """Return how many nodes each job holds, parts of nodes counted as such."""
        nodes = self.schedule.workload["nodes"].astype(float)
        if self.demands is None:
            return nodes
        ranges = self.schedule.node_ranges
        if ranges is None:
            mean = np.mean(self._cores_of_nodes())
            return np.where(self.demands.whole, nodes, nodes * self._cores(self.demands) / mean)
        held = self.of_ranges(ranges, 0, self.schedule.platform.nodes)
        together = np.bincount(ranges.job(), weights=held, minlength=len(nodes))
        return together.astype(float)

    def of_ranges(self, ranges: NodeRanges, begin: int, end: int) -> Values:
        """Return the same for each range, counting nodes from ``begin`` to before ``end`` only."""
        first = np.clip(ranges.first, begin, end)
        after = np.clip(ranges.last + 1, begin, end)
        if self.demands is None:
            return (after - first).astype(float)
        job = ranges.job()
        per_core = np.concatenate([[0.0], np.cumsum(1 / self._cores_of_nodes())])
        part = self._cores(self.demands)[job] * (per_core[after] - per_core[first])
        return np.where(self.demands.whole[job], after - first, part)

    def _cores(self, demands: Demands) -> Values:
        return demands.per_node[:, demands.resources.place["cores"]].astype(float)

    def _cores_of_nodes(self) -> Values:
        groups = self.schedule.platform.groups
        cores = [float(group.type.cores or 1) for group in groups]
        return np.repeat(cores, [group.nodes for group in groups])


def busy_nodes(schedule: Schedule) -> StepSeries:
    """Return nodes in use over time; a part of a node counts as such."""
    shares = NodeShares.of(schedule)
    if shares.demands is None:
        return schedule.used_nodes()
    ran: Any = schedule.started
    held: Any = shares.of_jobs()[ran]
    return StepSeries.from_changes((schedule.start_s[ran], held), (schedule.end_s[ran], -held))
