"""Use of cores, memory and GPUs, and the idle part of them that no job could have had."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from schedlab.errors import WorkloadError
from schedlab.metrics.capacity import makespan
from schedlab.metrics.metric import Values
from schedlab.platform.asked import WHOLE_GPU_MILLI
from schedlab.platform.demand import Demands, demands_of
from schedlab.platform.resources import UNLIMITED
from schedlab.sim import NodeRanges, Schedule
from schedlab.sim.schedule import require_schedules

if TYPE_CHECKING:
    import polars as pl

Integers = NDArray[np.int64]

_BLOCKERS = {"cores": ("memory", "gpu"), "memory": ("cores",), "gpu": ("cores", "memory")}
"""For each resource: the other resources of the node without which its idle rest is stranded."""


def by_resource(schedule: Schedule) -> pl.DataFrame:
    """Return a row per resource: its total over all nodes, its utilisation and its stranded share.

    ``utilisation`` is the share of the resource's time that jobs held, ``stranded`` the share that
    was idle on nodes without enough left of another resource: for cores, memory or GPUs; for GPUs,
    cores or memory; for memory, cores. A resource is used up on a node where less of it is free
    than any job of the workload asks for. Memory is in bytes.
    """
    import polars as pl

    require_schedules([schedule])
    use = ResourceUse.of(schedule)
    return pl.DataFrame(
        {
            "resource": list(use.demands.resources.names),
            "capacity": use.total.astype(np.int64),
            "utilisation": use.shares(use.held_s),
            "stranded": use.shares(use.stranded_s),
        }
    )


def core_utilisation(schedule: Schedule) -> float:
    """Share of the machine's core-seconds that jobs held.

    Σ c·r / (C · makespan), with c the cores of a job on all its nodes; a job that has its nodes to
    itself has all their cores.
    """
    return _share_held(schedule, "cores")


def memory_utilisation(schedule: Schedule) -> float:
    """Share of the machine's memory that jobs held, over time.

    Σ b·r / (B · makespan), with b the bytes of a job on all its nodes.
    """
    return _share_held(schedule, "memory")


def gpu_utilisation(schedule: Schedule) -> float:
    """Share of the machine's GPU-seconds that jobs held.

    Σ g·r / (G · makespan), with g the GPUs of a job on all its nodes, or the part of one.
    """
    return _share_held(schedule, "gpu")


def stranded_cores(schedule: Schedule) -> float:
    """Share of the core-seconds idle on nodes whose memory or GPUs are used up.

    Σ idle cores · Δt / (C · makespan) over such nodes; used up: less is free than any job asks for.
    """
    return _share_stranded(schedule, "cores")


def stranded_gpus(schedule: Schedule) -> float:
    """Share of the GPU-seconds idle on nodes whose cores or memory are used up.

    Σ idle GPUs · Δt / (G · makespan) over such nodes; used up: less is free than any job asks for.
    """
    return _share_stranded(schedule, "gpu")


@dataclass(frozen=True, eq=False)
class ResourceUse:
    """What jobs held of each node, by resource.

    Args:
        schedule: what happened.
        demands: what the jobs asked for.
        ranges: the nodes that they had; None if unknown, as in a log of shared nodes.
    """

    schedule: Schedule
    demands: Demands
    ranges: NodeRanges | None

    @classmethod
    def of(cls, schedule: Schedule) -> ResourceUse:
        """Return the use by the schedule's jobs on the nodes they had, in all attempts."""
        schedule = schedule.by_attempt()
        whole_nodes = bool(schedule.provenance.get("whole_nodes"))
        demands = demands_of(schedule.workload, schedule.platform, whole_nodes=whole_nodes)
        if not demands.resources.names:
            return cls(schedule, demands, None)
        try:
            return cls(schedule, demands, schedule.named_nodes())
        except WorkloadError:
            return cls(schedule, demands, None)

    @cached_property
    def capacity(self) -> Values:
        """What each node has, as (node, resource); 0 where its description does not say."""
        of_group = self.demands.resources.capacity
        told = np.where(of_group >= UNLIMITED, 0, of_group).astype(float)
        return np.repeat(told, [group.nodes for group in self.schedule.platform.groups], axis=0)

    @cached_property
    def total(self) -> Values:
        """What all nodes have of each resource."""
        total: Values = self.capacity.sum(axis=0)
        return total

    def shares(self, amount_s: Values) -> Values:
        """Return amounts over time as shares of the total; NaN where the total is 0."""
        with np.errstate(invalid="ignore", divide="ignore"):
            shares: Values = amount_s / (self.total * makespan(self.schedule))
        return shares

    def _parts(self, ranges: NodeRanges) -> tuple[Integers, Integers, Values]:
        """Return job, node and amounts held, for each node of each job that shares nodes."""
        shares = ~self.demands.whole[ranges.job()]
        job, width = ranges.job()[shares], ranges.width()[shares]
        first = ranges.first[shares].astype(np.int64) - np.cumsum(width) + width
        job, node = np.repeat(job, width), np.repeat(first, width) + np.arange(width.sum())
        asked = self._asked()[job] * (self.capacity[node] > 0)
        self._add_types(asked, node)
        return job, node, asked

    @cached_property
    def held_s(self) -> Values:
        """The amount of each resource that jobs held, over time."""
        if self.ranges is None:
            return self._not_known()
        ran_s = self.schedule.ran_s.astype(float)
        job, _, amounts = self._parts(self.ranges)
        of_range, capacity = self.ranges.job(), self._capacity_of(self.ranges)
        whole = self.demands.whole[of_range]
        held_s: Values = ran_s[job] @ amounts + ran_s[of_range[whole]] @ capacity[whole]
        return held_s

    @cached_property
    def stranded_s(self) -> Values:
        """The idle amount of each resource, over time, without enough of another beside it."""
        if self.ranges is None:
            return self._not_known()
        # Nodes that a job has to itself have nothing idle.
        job, node, amounts = self._parts(self.ranges)
        time_s = np.concatenate([self.schedule.start_s[job], self.schedule.end_s[job]])
        node, change = np.tile(node, 2), np.concatenate([amounts, -amounts])
        order = np.lexsort((time_s, node))
        time_s, node = time_s[order], node[order]
        # The jobs of a node gave back all that they took, so the sums begin at 0 on the next node.
        free = self.capacity[node] - np.cumsum(change[order], axis=0)
        lasts_s = np.where(node[1:] == node[:-1], np.diff(time_s), 0).astype(float)
        stranded = self._stranded(free[:-1], self.capacity[node[:-1]])
        stranded_s: Values = lasts_s @ stranded
        return stranded_s

    def _capacity_of(self, ranges: NodeRanges) -> Values:
        """Return what the nodes of each range have together, as (range, resource)."""
        none = np.zeros((1, self.capacity.shape[1]))
        upto = np.concatenate([none, np.cumsum(self.capacity, axis=0)])
        together: Values = upto[ranges.last + 1] - upto[ranges.first]
        return together

    def _not_known(self) -> Values:
        return np.full(len(self.demands.resources.names), np.nan)

    def _stranded(self, free: Values, capacity: Values) -> Values:
        """Return the stranded part of what is free on nodes, by resource."""
        place = self.demands.resources.place
        least = self._least_asked()
        used_up = (capacity > 0) & (free < least)
        stranded = np.zeros_like(free)
        for name, column in place.items():
            blockers = _BLOCKERS.get(name.partition(":")[0], ())
            blocked = [used_up[:, place[other]] for other in blockers if other in place]
            if blocked:
                idle = np.maximum(free[:, column], 0)
                stranded[:, column] = np.where(np.any(blocked, axis=0), idle, 0)
        return stranded

    def _least_asked(self) -> Values:
        """Return the least of each resource that any job asks for; -infinity if none asks."""
        asked = self._asked()
        least: Values = np.where(asked > 0, asked, np.inf).min(axis=0, initial=np.inf)
        # A resource that no job asks for is never used up.
        return np.where(np.isinf(least), -np.inf, least)

    def _asked(self) -> Values:
        """Return what each job asks for on a node, with parts of GPUs."""
        names = self.demands.resources.names
        of_gpus = np.array([name.partition(":")[0] == "gpu" for name in names], dtype=bool)
        part = self.demands.gpu_milli[:, None] / WHOLE_GPU_MILLI
        return np.where(of_gpus, self.demands.per_node * part, self.demands.per_node.astype(float))

    def _add_types(self, asked: Values, node: Integers) -> None:
        """Count GPUs asked for without a type as of the node's type, if it has only one."""
        place = self.demands.resources.place
        typed = [column for name, column in place.items() if name.startswith("gpu:")]
        if not typed:
            return
        any_type = asked[:, typed].sum(axis=1) == 0
        one_type = (self.capacity[node][:, typed] > 0).sum(axis=1) == 1
        for column in typed:
            only = any_type & one_type & (self.capacity[node, column] > 0)
            asked[:, column] = np.where(only, asked[:, place["gpu"]], asked[:, column])


def _share_held(schedule: Schedule, resource: str) -> float:
    use = ResourceUse.of(schedule)
    return _one(use.shares(use.held_s), use, resource)


def _share_stranded(schedule: Schedule, resource: str) -> float:
    use = ResourceUse.of(schedule)
    return _one(use.shares(use.stranded_s), use, resource)


def _one(shares: Values, use: ResourceUse, resource: str) -> float:
    """Return the resource's share; NaN if the platform does not describe the resource."""
    place = use.demands.resources.place
    return float(shares[place[resource]]) if resource in place else float("nan")
