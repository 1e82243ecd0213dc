"""A job as the reference simulator sees it: what was asked, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from schedlab.sim import JobOutcome, WhyEnded
from schedlab.testing.reference.attempts import Attempt
from schedlab.testing.reference.calendar import ClosedTime
from schedlab.testing.reference.machine import Held, NodesAsked

Mode = Literal["no", "cancel", "requeue", "suspend"]
"""What preemption does to a job; by default the job may not be preempted."""

NEVER_S = -1
"""The time of a condition that cannot be fulfilled any more."""


@dataclass(slots=True, eq=False)
class Array:
    """Tasks of which only a limited number may be eligible or run at a time."""

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
        """End the task for good; return the task that takes its place, or None."""
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
    """What another job, or several for ``singleton``, must have done before a job is eligible."""

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


@dataclass(slots=True)
class ReferenceUser:
    """A user who submits jobs, and the accuracy of the user's requests so far (WRSA)."""

    code: int
    wrsa: float = 1.0


@dataclass(slots=True, eq=False)
class Job:
    """One rigid job; the simulation writes everything from ``eligible_s`` on."""

    position: int
    submit_s: int
    nodes: int
    request_s: int
    run_s: int
    cancel_after_s: int
    demand: tuple[NodesAsked, ...] = ()
    submitter: ReferenceUser = field(default_factory=lambda: ReferenceUser(-1))
    begin_s: int = 0  # not eligible before
    conditions: list[Condition] = field(default_factory=list)
    dependants: list[Job] = field(default_factory=list)
    array: Array | None = None
    ends_badly: bool = False  # the trace says that it failed
    predicted_s: int = -1
    estimate_s: int = -1  # the same, corrected since: how long plans expect it to run
    corrections: int = 0
    eligible_s: int = -1
    arrival: int = -1
    start_s: int = -1
    end_s: int = -1
    first_start_s: int = -1
    gone_s: int | None = None  # when it ended for good or was withdrawn
    first_reserved_s: int = -1
    state: JobOutcome = JobOutcome.WAITING
    held: list[Held] = field(default_factory=list)
    job_id: int = -1
    requeue: bool = True  # whether it runs again after an outage or a failure
    checkpoint_s: int = 0  # how often its work is saved; 0 for never
    tier: int = 0
    when_preempted: Mode = "no"
    attempts: list[Attempt] = field(default_factory=list)
    done_s: int = 0  # its work when its last attempt ended
    saved_s: int = 0  # of this, what its next attempt need not repeat
    asked: tuple[NodesAsked, ...] | None = (
        None  # while it is suspended: the demand that it had before
    )

    @property
    def limit_s(self) -> int:
        """What is left of its request."""
        return self.request_s - self.saved_s

    def record(self, why: WhyEnded) -> None:
        """Write down the attempt that has ended."""
        self.done_s = self.saved_s + self.end_s - self.start_s
        number, nodes = len(self.attempts) + 1, tuple(self.node_numbers)
        attempt = Attempt(self.position, number, self.start_s, self.end_s, why, 0, nodes)
        self.attempts.append(attempt)

    def suspend(self) -> None:
        """Make the job wait for the same shares of the same nodes."""
        self.asked = self.demand
        self.demand = tuple(
            NodesAsked(frozenset({each.node}), 1, each.resources, site_wide=each.site_wide)
            for each in self.held
        )

    def unbind(self) -> None:
        """End the suspension: the job has again the demand that it had before."""
        self.demand, self.asked = self.asked or self.demand, None

    def barred_from(self, blocks: list[ClosedTime], start_s: int, end_s: int) -> frozenset[int]:
        """Return the nodes that it may not hold from start to end; none while it is suspended."""
        if not blocks or self.asked is not None:
            return frozenset()
        closed = [block.nodes for block in blocks if block.bars(self.position, start_s, end_s)]
        return frozenset[int]().union(*closed)

    @property
    def node_numbers(self) -> list[int]:
        """The nodes that it holds or held."""
        return [each.node for each in self.held if not each.site_wide]
