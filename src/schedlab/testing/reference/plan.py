"""Plans of the future: what is free at which time, if running jobs end as expected."""

from __future__ import annotations

import math
from bisect import bisect_left
from copy import copy
from typing import Literal, NamedTuple, Protocol

from schedlab.testing.reference.calendar import ClosedTime
from schedlab.testing.reference.job import Job
from schedlab.testing.reference.machine import Held, NodesAsked, Vector, less, without
from schedlab.testing.reference.simulation import ReferenceSimulation

Hold = Literal["shares", "nodes"]
"""What a reservation holds of its nodes: the shares that its job needs, or whole nodes."""


class Slot(NamedTuple):
    """When a job is planned to hold nodes, and which; None where the plan only counts them."""

    job: Job
    start_s: int
    end_s: int
    held: tuple[Held, ...] | None = None

    @property
    def on(self) -> list[Held] | None:
        """The nodes to start on; None for the lowest-numbered."""
        return None if self.held is None else list(self.held)


class ReferencePlan(Protocol):
    """A plan, as policies use it."""

    def earliest(self, job: Job) -> Slot:
        """Return the first slot that the plan leaves for the whole estimate of the job."""

    def reserve(self, slot: Slot) -> None:
        """Keep the slot for its job."""

    def release(self, slot: Slot) -> None:
        """Take the slot out again."""

    def free_for_s(self, job: Job) -> float:
        """Return for how long there is room for the job from now on."""

    def copy(self) -> ReferencePlan:
        """Return another with the same slots."""


def plan_of(sim: ReferenceSimulation, reserve: Hold = "shares") -> ReferencePlan:
    """Return a plan in which only running jobs hold nodes, each until its expected release.

    If jobs take whole nodes of separate pools, the plan counts nodes. Otherwise, and with
    consumables, a calendar or suspended jobs, it names nodes.
    """
    return NodePlan(sim, reserve) if sim.pools is None else CountPlan(sim, sim.pools)


class CountPlan:
    """The number of free nodes of each pool over time.

    It is ``free[i]`` from ``times[i]`` until ``times[i + 1]``.
    """

    def __init__(self, sim: ReferenceSimulation, pools: list[frozenset[int]]) -> None:
        """Nothing is planned yet."""
        self.seen = sim.machine.seen
        self.pools = pools
        self.times = [sim.now]
        self.free = [[len(pool) for pool in pools]]
        for job in sim.running:
            self._change(job, -1, sim.now, sim.expected_release(job))
        for block in sim.blocks:
            self._close(block)

    def earliest(self, job: Job) -> Slot:
        """Return the first slot in which enough nodes of every pool stay free."""
        start_s, end_s, wanted = None, -1, self._wanted(job)
        for time_s, free in zip(self.times, self.free, strict=True):
            if start_s is not None and end_s <= time_s:
                break
            for pool, count in wanted:
                if free[pool] < count:
                    start_s = None
                    break
            else:
                if start_s is None:
                    start_s, end_s = time_s, self.seen(time_s + job.estimate_s)
        assert start_s is not None, "all nodes are free in the end"
        return Slot(job, start_s, end_s)

    def free_for_s(self, job: Job) -> float:
        """Return for how long enough nodes for the job stay free from now on."""
        wanted = self._wanted(job)
        for time_s, free in zip(self.times, self.free, strict=True):
            for pool, count in wanted:
                if free[pool] < count:
                    return time_s - self.times[0]
        return math.inf

    def reserve(self, slot: Slot) -> None:
        """Keep nodes for the job of the slot."""
        self._change(slot.job, -1, slot.start_s, slot.end_s)

    def release(self, slot: Slot) -> None:
        """Take the slot out again."""
        self._change(slot.job, 1, slot.start_s, slot.end_s)

    def copy(self) -> CountPlan:
        """Return another with the same slots."""
        other = copy(self)
        other.times, other.free = list(self.times), [list(free) for free in self.free]
        return other

    def _wanted(self, job: Job) -> list[tuple[int, int]]:
        """Return how many nodes of which pools the job needs."""
        return [(self._pool(part), part.count) for part in job.demand]

    def _pool(self, part: NodesAsked) -> int:
        return 0 if len(self.pools) == 1 else self.pools.index(part.allowed)

    def _change(self, job: Job, sign: int, start_s: int, end_s: int) -> None:
        first, last = self._step_at(start_s), self._step_at(end_s)
        for pool, count in self._wanted(job):
            for free in self.free[first:last]:
                free[pool] += sign * count
                assert free[pool] >= 0, "a plan holds no node twice"

    def _close(self, block: ClosedTime) -> None:
        """Take out nodes that are down until the end of their repair."""
        for free in self.free[: self._step_at(int(block.end_s))]:
            for place, pool in enumerate(self.pools):
                free[place] -= len(pool & block.nodes)

    def _step_at(self, time_s: int) -> int:
        """Return the step that begins at this time; insert it if there is none."""
        step = bisect_left(self.times, time_s)
        if step == len(self.times) or self.times[step] != time_s:
            self.times.insert(step, time_s)
            self.free.insert(step, list(self.free[step - 1]))
        return step


class NodePlan:
    """Slots on named nodes: a job keeps the same nodes from its start to its end.

    With ``reserve="nodes"`` a job that is to start later holds its nodes whole, as in Slurm.
    """

    def __init__(self, sim: ReferenceSimulation, reserve: Hold = "shares") -> None:
        """Nothing is planned yet."""
        self.whole = reserve == "nodes"
        self.machine = sim.machine
        self.now = sim.now
        self.changes_s = sim.changes_s()
        self.blocks = sim.blocks
        self.slots = [
            Slot(job, sim.now, sim.expected_release(job), tuple(job.held)) for job in sim.running
        ]

    def earliest(self, job: Job) -> Slot:
        """Return the first slot in which enough nodes have room all the time, the lowest of them.

        Room comes only when a slot ends or the machine changes.
        """
        ends_s = (slot.end_s for slot in self.slots)
        for start_s in sorted({self.now, *ends_s, *self.changes_s}):
            end_s = self.machine.seen(start_s + job.estimate_s)
            held = self._choose(job, start_s, end_s)
            if held is not None:
                return Slot(job, start_s, end_s, tuple(held))
        raise AssertionError("all nodes are free in the end")

    def free_for_s(self, job: Job) -> float:
        """Return the longest time from now on for which the same nodes have room for the job."""
        starts = {slot.start_s for slot in self.slots if slot.start_s > self.now}
        ends = sorted(starts.union(self.changes_s))
        for end_s, later_s in zip([self.now, *ends], [*ends, math.inf], strict=True):
            if self._choose(job, self.now, end_s + 1) is None:
                return end_s - self.now
            if later_s == math.inf:
                return math.inf
        return math.inf

    def reserve(self, slot: Slot) -> None:
        """Keep the nodes of the slot for its job."""
        if self.whole and slot.start_s > self.now:
            held = [self._whole(each) for each in slot.held or ()]
            self.slots.append(slot._replace(held=tuple(held)))
            return
        self.slots.append(slot)
        free = self._least_free(slot.start_s, slot.end_s)
        assert all(min(free[each.node]) >= 0 for each in slot.held or ())

    def release(self, slot: Slot) -> None:
        """Take the slot out again."""
        self.slots.remove(slot)

    def copy(self) -> NodePlan:
        """Return another with the same slots."""
        other = copy(self)
        other.slots = list(self.slots)
        return other

    def _whole(self, held: Held) -> Held:
        """Return a hold on the whole node; one on an amount of a consumable stays as it is."""
        return held if held.site_wide else held._replace(resources=self.machine.capacity[held.node])

    def _choose(self, job: Job, start_s: int, end_s: int) -> list[Held] | None:
        closed = job.barred_from(self.blocks, start_s, end_s)
        room = without(self._least_free(start_s, end_s), closed)
        return self.machine.choose(job.demand, room, job=job.position)

    def _least_free(self, start_s: int, end_s: int) -> list[Vector]:
        """Return what each node has free throughout this time, resource by resource."""
        between = {slot.start_s for slot in self.slots if start_s < slot.start_s < end_s}
        between.update(time_s for time_s in self.changes_s if start_s < time_s < end_s)
        moments = [self._free_at(time_s) for time_s in (start_s, *between)]
        if len(moments) == 1:
            return moments[0]
        return [
            tuple(min(values) for values in zip(*of_node, strict=True))
            for of_node in zip(*moments, strict=True)
        ]

    def _free_at(self, time_s: int) -> list[Vector]:
        free = self.machine.capacity_at(time_s)
        for slot in self.slots:
            if slot.start_s <= time_s < slot.end_s:
                for each in slot.held or ():
                    free[each.node] = less(free[each.node], each.resources)
        return free
