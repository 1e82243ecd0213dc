"""EASY backfilling: nothing may delay the head of the queue."""

from __future__ import annotations

import math

from schedlab.testing.reference.job import Job
from schedlab.testing.reference.machine import Held, NodesAsked, Vector, less, more, nodes_of
from schedlab.testing.reference.orders import Order
from schedlab.testing.reference.simulation import ReferenceSimulation


class Easy:
    """Starts jobs in queue order, then those that do not delay the first that does not fit.

    Lifka, "The ANL/IBM SP scheduling system", JSSPP 1995; Mu'alem and Feitelson, TPDS 2001. With
    ``candidates`` the jobs behind the head are tried in another order than the queue's, as in
    Tsafrir, Etsion and Feitelson, TPDS 2007. With a ``max_priority_gap``, jobs whose score in the
    queue's ``order``, when the pass begins, exceeds the head's by more are not tried.

    A job that does not fit and shares no node with an earlier head is a head, too: jobs that do
    not compete for nodes do not wait for each other.
    """

    def __init__(
        self,
        candidates: Order | None = None,
        order: Order | None = None,
        max_priority_gap: float = math.inf,
    ) -> None:
        self.candidates, self.order, self.max_priority_gap = candidates, order, max_priority_gap

    def schedule(self, sim: ReferenceSimulation, considered: list[Job]) -> None:
        """Start what fits in order, promise each head its shadow time, backfill the rest."""
        order = self.order
        scores = {job: 0.0 if order is None else order(job, sim.now) for job in considered}
        guards: list[GuardedHead] = []
        behind: list[Job] = []
        for job in considered:
            rivals = [guard for guard in guards if guard.competes_with(job)]
            if any(scores[job] > scores[guard.head] + self.max_priority_gap for guard in rivals):
                continue
            if not rivals and sim.fits(job):
                sim.start(job)
            elif not rivals:
                guards.append(GuardedHead(sim, job))
            elif self.candidates is None:
                backfill(sim, job, guards)
            else:
                behind.append(job)
        tries = self.candidates
        if tries is not None:
            behind.sort(key=lambda job: (tries(job, sim.now), job.arrival))
        for job in behind:
            backfill(sim, job, guards)


class GuardedHead:
    """A head, its shadow time, and what will be free then."""

    def __init__(self, sim: ReferenceSimulation, head: Job) -> None:
        """Promise the head its shadow time."""
        self.head = head
        self.nodes = nodes_of(head.demand)
        self.machine = sim.machine
        self.shadow_s, self.free = shadow(sim, head)
        if head.first_reserved_s < 0:
            head.first_reserved_s = self.shadow_s
        able = [len(self.machine.able(part, self.free)) for part in head.demand]
        self.spare = [has - part.count for has, part in zip(able, head.demand, strict=True)]

    def competes_with(self, job: Job) -> bool:
        """Return whether both may use the same node."""
        return not self.nodes.isdisjoint(nodes_of(job.demand))

    def spoils(self, node: int, taken: Vector) -> int | None:
        """Return which part of the head loses the node if this is taken from it; else None."""
        for place, part in enumerate(self.head.demand):
            if node in part.allowed and self._fits(node, part):
                left = less(self.free[node], taken)
                still = min(left) >= 0 and self.machine.fits(node, left, part)
                return None if still else place
        return None

    def take(self, node: int, taken: Vector) -> None:
        """Take these resources of the node for a job that runs beyond the shadow time."""
        spoilt = self.spoils(node, taken)
        if spoilt is not None:
            self.spare[spoilt] -= 1
        self.free[node] = less(self.free[node], taken)

    def _fits(self, node: int, part: NodesAsked) -> bool:
        return self.machine.fits(node, self.free[node], part)


def backfill(sim: ReferenceSimulation, job: Job, guards: list[GuardedHead]) -> None:
    """Start the job if it fits beside all heads.

    It takes the first nodes with room. If it would run beyond a head's shadow time, it takes at
    most the number that the head can spare of the nodes that the head could use then.
    """
    room = sim.room(job)
    if not sim.machine.has_room(job.demand, room):
        return
    late = [guard for guard in guards if sim.now + job.estimate_s > guard.shadow_s]
    spare = {id(guard): list(guard.spare) for guard in late}
    chosen: list[Held] = []
    for part in job.demand:
        own: list[Held] = []
        able = sim.machine.able(part, room)
        for node in sim.machine.ranked(part, able, room, job.position):
            if len(own) == part.count:
                break
            taken = sim.machine.taken(node, part, room[node], job.position)
            spoilt = [(spare[id(g)], p) for g in late if (p := g.spoils(node, taken)) is not None]
            if all(left[place] > 0 for left, place in spoilt):
                for left, place in spoilt:
                    left[place] -= 1
                own.append(Held(node, taken, part.site_wide))
        if len(own) < part.count:
            return
        chosen += sorted(own, key=lambda each: each.node)
    sim.start(job, chosen)
    for guard in late:
        for each in chosen:
            guard.take(each.node, each.resources)


def shadow(sim: ReferenceSimulation, head: Job) -> tuple[int, list[Vector]]:
    """Return when the head fits if every running job ends as expected, and what it may use then.

    Room comes when a job ends and when the machine changes.
    """
    free, shadow_s = list(sim.free), sim.now
    releases = [(sim.expected_release(job), job.position, job.held) for job in sim.running]
    changes: list[tuple[int, int, list[Held]]] = [(time_s, -1, []) for time_s in sim.changes_s()]
    for time_s, _, held in sorted(releases + changes):
        if time_s > shadow_s and sim.machine.has_room(head.demand, sim.room(head, shadow_s, free)):
            break
        for each in held:
            free[each.node] = more(free[each.node], each.resources)
        shadow_s = time_s
    return shadow_s, sim.room(head, shadow_s, free)
