"""Policies under which only the head's reservation is sacred: other jobs start in holes."""

from __future__ import annotations

import math
from collections.abc import Generator
from dataclasses import dataclass

from schedlab.audit.explain.instant import Instant
from schedlab.audit.explain.plan import Plan, plan_so_far
from schedlab.audit.explain.sentences import (
    before_frozen_start,
    delayed,
    early,
    late,
    too_few_nodes,
)
from schedlab.audit.verdict import Departure
from schedlab.audit.wording import count_nodes
from schedlab.policies.backfills import ALPHA


@dataclass
class _Holes:
    """The plan with only the head, and the plan with the head and the jobs planned in this pass."""

    instant: Instant
    head: int
    start_s: int

    def __post_init__(self) -> None:
        self.sacred = self.plan = plan_so_far(self.instant, {self.head: self.start_s})
        self.planned: list[int] = []

    @property
    def alpha(self) -> float:
        """How many times as long as its hole a job may be."""
        return float(self.instant.policy.parameters.get("alpha", ALPHA))

    def moves_nobody(self, job: int) -> bool:
        """Return whether the job can start now without touching any plan."""
        return self._lack_s(self.plan, job) is None

    def spares_head(self, job: int) -> bool:
        """Return whether the job can start now without delaying the head."""
        return self._lack_s(self.sacred, job) is None

    def hole_s(self, job: int) -> float:
        """Return how long enough nodes stay free before the next plan."""
        now = self.instant.time_s
        lacks_s, _ = self.plan.first_lack(now, None, self.instant.nodes(job))
        return math.inf if lacks_s is None else lacks_s - now

    def may_push(self, job: int) -> bool:
        """Return whether the job may start in a hole that is too short, and push others back."""
        hole_s, request_s = self.hole_s(job), self.instant.request_s(job)
        return self.spares_head(job) and hole_s > 0 and request_s <= self.alpha * hole_s

    def start(self, job: int) -> None:
        """Start the job, and replan the jobs that were planned in this pass."""
        self.instant.start(job)
        self.sacred = self.plan = self._with(self.sacred, job, self.instant.time_s)
        for other in self.planned:
            self._reserve(other)

    def add(self, job: int) -> None:
        """Plan the job behind those planned before it."""
        self.planned.append(job)
        self._reserve(job)

    def _reserve(self, job: int) -> None:
        now, length_s = self.instant.time_s, self.instant.planned_s(job)
        start_s = self.plan.earliest_start(now, length_s, self.instant.nodes(job))
        self.plan = self._with(self.plan, job, start_s)

    def _with(self, plan: Plan, job: int, start_s: int) -> Plan:
        end_s = start_s + self.instant.planned_s(job)
        return plan.with_job(job, start_s, end_s, self.instant.nodes(job))

    def _lack_s(self, plan: Plan, job: int) -> int | None:
        now, length_s = self.instant.time_s, self.instant.planned_s(job)
        return plan.first_lack(now, now + length_s, self.instant.nodes(job))[0]


def fill_holes(
    instant: Instant, head: int, start_s: int, others: list[int]
) -> Generator[Departure, None, bool]:
    """Start jobs that move no plan or may push others; plan the rest."""
    if head in instant.early:
        yield _head_too_early(instant, head, start_s)
    holes = _Holes(instant, head, start_s)
    for job in others:
        if holes.moves_nobody(job) or holes.may_push(job):
            if job in instant.late:
                yield _missed(holes, job)
            elif job in instant.both:
                holes.start(job)
            else:
                return False
        else:
            if job in instant.early:
                yield _not_allowed(holes, job)
            holes.add(job)
    return True


def _head_too_early(instant: Instant, head: int, start_s: int) -> Departure:
    if not instant.view.fits(head):
        return too_few_nodes(instant, head, instant.view.free_nodes)
    return before_frozen_start(instant, head, start_s)


def _missed(holes: _Holes, job: int) -> Departure:
    instant, free = holes.instant, holes.instant.view.free_nodes
    needed, head_id = instant.nodes(job), instant.job_id(holes.head)
    if holes.moves_nobody(job):
        why = f"moves neither the head, job {head_id}, promised {holes.start_s}, nor other plans"
        more: dict[str, float] = {}
    else:
        more = {"hole_s": holes.hole_s(job), "request_s": instant.request_s(job)}
        why = (
            f"asks for {more['request_s']} s in a hole of {more['hole_s']} s, at most "
            f"{holes.alpha:g} times as long, and does not delay the head, job {head_id}, "
            f"promised {holes.start_s}"
        )
    return late(
        instant,
        job,
        "missed backfill",
        f"{count_nodes(free)} free, needs {needed}; {why}",
        free_nodes=free,
        needed_nodes=needed,
        head_job_id=head_id,
        first_reserved_s=holes.start_s,
        **more,
    )


def _not_allowed(holes: _Holes, job: int) -> Departure:
    instant, now, needed = holes.instant, holes.instant.time_s, holes.instant.nodes(job)
    if not instant.view.fits(job):
        return too_few_nodes(instant, job, instant.view.free_nodes)
    if not holes.spares_head(job):
        lacks_s, spare = holes.sacred.first_lack(now, None, needed)
        assert lacks_s is not None, "it delays the head"
        return delayed(instant, job, holes.head, lacks_s, spare, whom="the head, ")
    hole_s, request_s = int(holes.hole_s(job)), instant.request_s(job)
    next_id = instant.job_id(holes.plan.last_starting_at(now + hole_s))
    what = (
        f"in a hole of {hole_s} s before job {next_id}, planned for {now + hole_s}; "
        f"it asks for {request_s} s, more than {holes.alpha:g} times as long"
    )
    return early(
        instant,
        job,
        "hole too short",
        what,
        hole_s=hole_s,
        request_s=request_s,
        alpha=holes.alpha,
        next_job_id=next_id,
    )
