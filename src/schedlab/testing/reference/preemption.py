"""Preemption: a waiting job takes the nodes of running ones."""

from __future__ import annotations

from typing import Protocol

from schedlab.testing.reference.job import Job
from schedlab.testing.reference.machine import Held, Vector, less, nodes_of
from schedlab.testing.reference.room import Holder
from schedlab.testing.reference.simulation import ReferenceSimulation

Holding = dict[Job, Holder]
"""What jobs hold, and until when by their estimates."""


class Rule(Protocol):
    """Says which waiting job may take the nodes of which running job."""

    def may_take(self, sim: ReferenceSimulation, job: Job, other: Job) -> bool:
        """Return whether the waiting job may preempt the running one."""

    def rank(self, sim: ReferenceSimulation, other: Job) -> int:
        """Return a number for a running job; the smallest is preempted first."""


class ByTier:
    """Jobs of a higher tier preempt those of a lower one, the lowest first."""

    def may_take(self, sim: ReferenceSimulation, job: Job, other: Job) -> bool:
        """Return whether the tier of the waiting job is higher."""
        return job.tier > other.tier

    def rank(self, sim: ReferenceSimulation, other: Job) -> int:
        """Return the tier."""
        return other.tier


class ShorterPreempts:
    """Jobs preempt those that are expected to run longer than themselves, the longest first.

    With the order ``sjf`` this is SRPT, the shortest remaining processing time first.
    """

    def may_take(self, sim: ReferenceSimulation, job: Job, other: Job) -> bool:
        """Return whether the waiting job is expected to take less than the other has left."""
        planned_s = sim.machine.seen(job.estimate_s)  # as plans count it; see the semantics
        return planned_s < sim.expected_release(other) - sim.now

    def rank(self, sim: ReferenceSimulation, other: Job) -> int:
        """Return what is left, the most first."""
        return -sim.expected_release(other)


class PreemptionStep:
    """Before a pass, starts jobs that fit only in place of others, in the order of the queue."""

    def __init__(self, rule: Rule) -> None:
        self.rule = rule

    def preempt(self, sim: ReferenceSimulation, considered: list[Job]) -> None:
        """Start jobs that may take the nodes of others.

        A job that fits is left to the policy, and its nodes are set aside for it. Behind a job that
        does not fit even with preemption, no job that may use the same nodes preempts another.
        """
        holding: Holding = {job: (job.held, sim.expected_release(job)) for job in sim.running}
        blocked = frozenset[int]()
        for job in considered:
            nodes = nodes_of(job.demand)
            if not nodes.isdisjoint(blocked):
                continue
            victims = self._victims(sim, job, holding)
            if victims is None:
                blocked |= nodes
                continue
            for victim in victims:
                del holding[victim]
            held = choose_beside(sim, job, holding)
            assert held is not None, "it fits without the victims"
            for victim in victims:
                sim.preempt(victim)
            if victims:
                sim.start(job, held)
            holding[job] = held, sim.machine.seen(sim.now + job.estimate_s)

    def _victims(self, sim: ReferenceSimulation, job: Job, holding: Holding) -> list[Job] | None:
        """Return the jobs in whose place the job fits; None if it does not fit even so."""
        ranked = sorted(
            (other for other in sim.running if self._may_take(sim, job, other)),
            key=lambda other: (self.rule.rank(sim, other), -other.start_s, -other.position),
        )
        taken: list[Job] = []
        while not fits_without(sim, job, holding, taken):
            if not ranked:
                return None
            taken.append(ranked.pop(0))
        for other in list(taken):
            rest = [each for each in taken if each is not other]
            if fits_without(sim, job, holding, rest):
                taken = rest
        return taken

    def _may_take(self, sim: ReferenceSimulation, job: Job, other: Job) -> bool:
        """Return whether the other may be preempted: never a job that has just started."""
        if other.when_preempted == "no" or other.start_s == sim.now:
            return False
        return self.rule.may_take(sim, job, other)


def fits_without(sim: ReferenceSimulation, job: Job, holding: Holding, gone: list[Job]) -> bool:
    """Return whether the job fits if these jobs give back what they hold."""
    rest = {other: held for other, held in holding.items() if other not in gone}
    return choose_beside(sim, job, rest) is not None


def choose_beside(sim: ReferenceSimulation, job: Job, holding: Holding) -> list[Held] | None:
    """Return the nodes for the job beside these, chosen by the place; None if too few."""
    free: list[Vector] = sim.machine.capacity_at(sim.now)
    for all_held, _ in holding.values():
        for each in all_held:
            free[each.node] = less(free[each.node], each.resources)
    room = sim.room(job, sim.now, free, list(holding.values()))
    return sim.machine.choose(job.demand, room, job=job.position)


RULES: dict[str, type[ByTier] | type[ShorterPreempts]] = {
    "tier": ByTier,
    "qos": ByTier,
    "srpt": ShorterPreempts,
}
