"""Plans that name nodes and are kept, as seems to be done in Takizawa and Takano's simulator.

A planned job starts at its time on its nodes, even if other nodes become free earlier.
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

from schedlab.sim import JobOutcome
from schedlab.testing.reference.job import Job
from schedlab.testing.reference.simulation import ReferenceSimulation

Push = Literal["cascade", "hole"]


class PinnedJob(NamedTuple):
    """A job, running or planned, and when it holds which nodes."""

    job: Job
    start_s: int
    end_s: int
    nodes: frozenset[int]

    def in_the_way_of(self, other: PinnedJob) -> bool:
        """Return whether both hold a node at the same time."""
        together = self.start_s < other.end_s and other.start_s < self.end_s
        return together and bool(self.nodes & other.nodes)

    def moved_to(self, start_s: int) -> PinnedJob:
        """Return the same job and nodes at another time."""
        return self._replace(start_s=start_s, end_s=start_s + self.end_s - self.start_s)


class Pinned:
    """Plans the oldest job, the head, then the others; keeps all plans until a job is submitted.

    The head's plan is kept even then. With ``push`` a job may start in a hole if its estimate is
    at most ``alpha`` times the length of the hole; plans in its way, except the head's, wait for
    their own nodes.
    """

    def __init__(self, push: Push | None = None, alpha: float = 1.5) -> None:
        self.push = push
        self.alpha = alpha
        self.plans: dict[Job, PinnedJob] = {}
        self.head: Job | None = None
        self.overrun = False

    def schedule(self, sim: ReferenceSimulation, considered: list[Job]) -> None:
        """Start the jobs that are due, then plan if anything else has happened."""
        void = self.overrun or sim.plans_are_void()
        self.overrun = sim.overrun()
        self._keep_plans([] if void else sim.queue)
        for plan in self.plans.values():
            if plan.start_s == sim.now:
                self._start(sim, plan)
        self._keep_plans(waiting(sim))
        if sim.arrived:
            self._keep_plans([job for job in self.plans if job is self.head])
        if void or sim.arrived or sim.left:
            self._plan(sim, depth=len(considered))
        if self.plans and not self.overrun:
            sim.wake_up_s = min(plan.start_s for plan in self.plans.values())

    def _keep_plans(self, jobs: list[Job]) -> None:
        """Keep the plans of these jobs only."""
        self.plans = {job: plan for job, plan in self.plans.items() if job in jobs}
        self.head = self.head if self.head in self.plans else None

    def _plan(self, sim: ReferenceSimulation, depth: int) -> None:
        window = [job for job in waiting(sim)[:depth] if job not in self.plans]
        left = max(1, len(window))
        while queue := waiting(sim):
            oldest = min(queue, key=lambda job: job.arrival)
            if oldest in self.plans:
                self.head = oldest
            window = [job for job in window if job in queue and job not in self.plans]
            if left == 0 or (self.head is not None and not window):
                break
            self._place(sim, oldest if self.head is None else window[0])
            left -= 1

    def _place(self, sim: ReferenceSimulation, job: Job) -> None:
        place = earliest(sim, job, [*running(sim), *self.plans.values()])
        pusher = self._pusher(sim, job) if place.start_s > sim.now else None
        if pusher is not None:
            self._push_back(sim, pusher)
            place = pusher
        if job.first_reserved_s < 0:
            job.first_reserved_s = place.start_s
        if place.start_s == sim.now:
            self._start(sim, place)
        else:
            self.plans[job] = place
            self.head = self.head or job

    def _start(self, sim: ReferenceSimulation, place: PinnedJob) -> None:
        sim.start(place.job, avoid=frozenset(range(sim.machine.nodes)) - place.nodes)

    def _pusher(self, sim: ReferenceSimulation, job: Job) -> PinnedJob | None:
        """Return a place for the job that starts now, if pushing others back makes room for it."""
        if self.push is None or self.head is None:
            return None
        hole_s = max(1, math.ceil(job.estimate_s / self.alpha))
        free = free_nodes(sim, sim.now, sim.now + hole_s, [*running(sim), *self.plans.values()])
        end_s = sim.machine.seen(sim.now + job.estimate_s)
        sacred = [*running(sim), self.plans[self.head]]
        nodes = free & free_nodes(sim, sim.now, end_s, sacred)
        if len(nodes) < job.nodes:
            return None
        return PinnedJob(job, sim.now, end_s, lowest(nodes, job.nodes))

    def _push_back(self, sim: ReferenceSimulation, pusher: PinnedJob) -> None:
        assert self.head is not None
        sacred = [*running(sim), self.plans[self.head], pusher]
        pushed, moved = self._take_out(pusher), list[PinnedJob]()
        while pushed:
            pushed.sort(key=lambda plan: (plan.start_s, plan.job.position))
            others = self.plans.values() if self.push == "hole" else []
            plan = clear_of(pushed.pop(0), [*sacred, *moved, *others])
            pushed += self._take_out(plan)
            moved.append(plan)
        self.plans.update({plan.job: plan for plan in moved})

    def _take_out(self, place: PinnedJob) -> list[PinnedJob]:
        """Remove and return overlapping plans, except the head's."""
        out = [
            plan
            for job, plan in self.plans.items()
            if job is not self.head and plan.in_the_way_of(place)
        ]
        for plan in out:
            del self.plans[plan.job]
        return out


def waiting(sim: ReferenceSimulation) -> list[Job]:
    """Return the jobs of the queue that have not been started in this pass."""
    return [job for job in sim.queue if job.state is JobOutcome.WAITING]


def running(sim: ReferenceSimulation) -> list[PinnedJob]:
    """Return what running jobs hold, until their expected release."""
    return [
        PinnedJob(job, sim.now, sim.expected_release(job), frozenset(job.node_numbers))
        for job in sim.running
    ]


def earliest(sim: ReferenceSimulation, job: Job, places: list[PinnedJob]) -> PinnedJob:
    """Return the earliest place where enough nodes stay free for the job, on the lowest of them."""
    for start_s in sorted({sim.now, *(place.end_s for place in places)}):
        end_s = sim.machine.seen(start_s + job.estimate_s)
        free = free_nodes(sim, start_s, end_s, places)
        if len(free) >= job.nodes:
            return PinnedJob(job, start_s, end_s, lowest(free, job.nodes))
    raise AssertionError("all nodes are free in the end")


def free_nodes(
    sim: ReferenceSimulation, start_s: int, end_s: int, places: list[PinnedJob]
) -> frozenset[int]:
    """Return the nodes that no job holds at any time from start to end."""
    held = [place.nodes for place in places if place.start_s < end_s and start_s < place.end_s]
    return frozenset(range(sim.machine.nodes)).difference(*held)


def lowest(nodes: frozenset[int], count: int) -> frozenset[int]:
    """Return this number of nodes with the lowest numbers."""
    return frozenset(sorted(nodes)[:count])


def clear_of(plan: PinnedJob, others: list[PinnedJob]) -> PinnedJob:
    """Return the plan at the first time, not before its own, at which no other is in its way."""
    while blockers := [other for other in others if other.in_the_way_of(plan)]:
        plan = plan.moved_to(blockers[0].end_s)
    return plan
