"""When a job of the reference simulator becomes eligible: dependencies, begin times and arrays."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from schedlab.sim import JobOutcome
from schedlab.workload import Workload
from schedlab.workload.dependencies import KINDS
from schedlab.workload.eligibility import Eligibility

if TYPE_CHECKING:
    from schedlab.testing.reference.job import Job

NEVER_S = -1
"""The time of a condition that cannot be fulfilled any more."""


@dataclass(slots=True, eq=False)
class Array:
    """Tasks of which only some may be eligible or run at a time."""

    limit: int
    inside: set[int] = field(default_factory=set)
    waiting: list[int] = field(default_factory=list)

    def let_in(self, position: int) -> bool:
        """Return whether the task may be eligible now; if not it waits for others to end."""
        if position in self.inside:
            return True
        if len(self.inside) < self.limit:
            self.inside.add(position)
            return True
        self.waiting.append(position)
        return False

    def leave(self, position: int) -> int | None:
        """The task has ended for good. Return the one that comes in for it."""
        if position in self.waiting:
            self.waiting.remove(position)
        if position not in self.inside:
            return None
        self.inside.remove(position)
        if not self.waiting:
            return None
        following = min(self.waiting)
        self.waiting.remove(following)
        self.inside.add(following)
        return following


@dataclass(frozen=True, slots=True)
class Condition:
    """What other jobs must have done before a job is eligible; they are several for singleton."""

    kind: str
    others: list[Job]
    delay_s: int

    def fulfilled_s(self) -> int | None:
        """Return when it was fulfilled, None if it is not yet, NEVER_S if it cannot be any more."""
        if self.kind == "singleton":
            ends_s = [other.gone_s for other in self.others]
            return None if None in ends_s else max([0, *(s for s in ends_s if s is not None)])
        (other,) = self.others
        if self.kind == "after" and other.first_start_s >= 0:
            return other.first_start_s + self.delay_s
        if other.gone_s is None:
            return None
        well = other.state is JobOutcome.COMPLETED and not other.ends_badly
        if (self.kind == "afterok" and not well) or (self.kind == "afternotok" and well):
            return NEVER_S
        return other.gone_s + self.delay_s


def ready_s(job: Job) -> int | None:
    """Return when the job is ready for its array, None if not yet, NEVER_S if it cannot start."""
    times_s = [condition.fulfilled_s() for condition in job.conditions]
    if NEVER_S in times_s:
        return NEVER_S
    if None in times_s:
        return None
    return max([job.begin_s, *(time_s for time_s in times_s if time_s is not None)])


def failed_by(job: Job, other: Job) -> bool:
    """Return whether a condition of the job on the other cannot be fulfilled any more."""
    on_other = (condition for condition in job.conditions if other in condition.others)
    return any(condition.fulfilled_s() == NEVER_S for condition in on_other)


def link(jobs: list[Job], workload: Workload) -> None:
    """Tell the jobs what they wait for, and which jobs wait for them."""
    for job in jobs:
        job.begin_s = job.submit_s
    asked = Eligibility.of(workload)
    if asked is None:
        return
    arrays = [Array(limit) for limit in asked.array_limit.tolist()]
    for job in jobs:
        job.begin_s = int(asked.begin_s[job.position])
        job.ends_badly = bool(asked.ends_badly[job.position])
        array = asked.array[job.position]
        job.array = arrays[array] if array >= 0 else None
    table, names = asked.conditions, asked.namesakes.tolist()
    columns = (each.tolist() for each in (table.job, table.on, table.kind, table.delay_s))
    for position, on, kind, delay_s in zip(*columns, strict=True):
        job = jobs[position]
        others = [jobs[on]]
        if KINDS[kind] == "singleton":
            others = [jobs[at] for at in range(position) if names[at] == names[position]]
        job.conditions.append(Condition(KINDS[kind], others, delay_s))
        for other in others:
            if job not in other.dependants:
                other.dependants.append(job)
    for job in jobs:
        job.dependants.sort(key=lambda each: each.position)
