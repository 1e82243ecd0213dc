"""EASY backfilling: nothing may delay the head of the queue."""

from __future__ import annotations

import math

from schedlab.testing.reference.job import Job
from schedlab.testing.reference.orders import Order
from schedlab.testing.reference.simulation import Simulation


class Easy:
    """Starts jobs in queue order, then those that do not delay the first that does not fit.

    Lifka, "The ANL/IBM SP scheduling system", JSSPP 1995; Mu'alem and Feitelson, TPDS 2001. With
    ``candidates`` the jobs behind the head are tried in another order than the queue's, as in
    Tsafrir, Etsion and Feitelson, TPDS 2007. With a ``reach``, jobs whose score in the queue's
    ``order``, when the pass begins, exceeds the head's by more are not tried.
    """

    def __init__(
        self, candidates: Order | None = None, order: Order | None = None, reach: float = math.inf
    ) -> None:
        self.candidates, self.order, self.reach = candidates, order, reach

    def schedule(self, sim: Simulation, considered: list[Job]) -> None:
        """Start what fits in order, promise the head its shadow time, backfill the rest."""
        order = self.order
        scores = [0.0 if order is None else order(job, sim.now) for job in considered]
        for place, job in enumerate(considered):
            if job.nodes > len(sim.free):
                most = scores[place] + self.reach
                behind = zip(considered[place + 1 :], scores[place + 1 :], strict=True)
                self._backfill(sim, job, [other for other, score in behind if score <= most])
                break
            sim.start(job)

    def _backfill(self, sim: Simulation, head: Job, behind: list[Job]) -> None:
        shadow_s, extra = shadow(sim, head)
        if head.promised_s < 0:
            head.promised_s = shadow_s
        order = self.candidates
        if order is not None:
            behind = sorted(behind, key=lambda job: (order(job, sim.now), job.arrival))
        for job in behind:
            if job.nodes > len(sim.free):
                continue
            if sim.now + job.estimate_s <= shadow_s:
                sim.start(job)
            elif job.nodes <= extra:
                extra -= job.nodes
                sim.start(job)


def shadow(sim: Simulation, head: Job) -> tuple[int, int]:
    """When the head can start if every running job uses its request, and the nodes left then."""
    free, shadow_s = len(sim.free), sim.now
    releases = sorted((sim.expected_release(job), job.nodes) for job in sim.running)
    for release_s, nodes in releases:
        if free >= head.nodes and release_s > shadow_s:
            break
        free, shadow_s = free + nodes, release_s
    return shadow_s, free - head.nodes
