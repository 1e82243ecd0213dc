"""The result of an audit, for programs and in sentences for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

Rule = Literal[
    "duration",
    "width",
    "submission",
    "dependency",
    "nodes",
    "named nodes",
    "named clusters",
    "allowed nodes",
    "unknown nodes",
    "shared nodes",
]
"""The rules that every feasible schedule keeps."""

Reason = Literal[
    "next in queue",
    "missed backfill",
    "broken promise",
    "late",
    "delayed a promise",
    "before its promise",
    "hole too short",
    "overtook",
    "too few nodes",
    "beyond depth",
    "no decision",
    "between ticks",
    "not eligible",
    "withdrawn",
    "early",
]
"""Why a start is not the policy's; the first four are for starts that the policy would make."""


@dataclass(frozen=True)
class Violation:
    """A rule of every feasible schedule that this one breaks: how often, and where first."""

    rule: Rule
    job_id: int
    time_s: int
    count: int
    sentence: str


@dataclass(frozen=True)
class Departure:
    """The first decision that the policy would have taken otherwise.

    ``observed_s`` and ``policy_s`` are the job's start in the schedule and under the policy, None
    where it never starts; ``time_s`` is the earlier one. ``details`` holds the numbers of the
    sentence.
    """

    reason: Reason
    job_id: int
    time_s: int
    observed_s: int | None
    policy_s: int | None
    sentence: str
    details: Mapping[str, float] = field(default_factory=dict)

    @property
    def late(self) -> bool:
        """Whether the policy starts the job at that time and the schedule does not."""
        return self.policy_s == self.time_s


@dataclass(frozen=True)
class ScheduleComparison:
    """How far the whole schedule is from the policy's: for information, not for the verdict."""

    jobs: int
    jobs_elsewhere: int
    mean_wait_s: float
    policy_mean_wait_s: float


@dataclass(frozen=True)
class Verdict:
    """Whether a schedule is feasible, and whether it is the named policy's."""

    schedule: str
    policy: str
    nodes: int
    jobs: int
    tick_s: int
    tolerance_s: int
    violations: tuple[Violation, ...]
    departure: Departure | None
    comparison: ScheduleComparison | None
    notes: tuple[str, ...] = ()

    @property
    def feasible(self) -> bool:
        """No node is over-used and no job starts before it may."""
        return not self.violations

    @property
    def faithful(self) -> bool:
        """Every job starts when the policy starts it."""
        return self.comparison is not None and self.departure is None

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {"feasible": self.feasible, "faithful": self.faithful, **asdict(self)}

    def lines(self) -> Iterator[str]:
        """Yield the verdict in sentences; ``notes`` are not included."""
        yield f"{self.schedule}: {self.jobs:,} jobs on {self.nodes:,} nodes against {self.policy}"
        yield "feasible: yes" if self.feasible else "feasible: no"
        for violation in self.violations:
            yield f"  {violation.sentence}"
        yield from self._faithfulness()

    def _faithfulness(self) -> Iterator[str]:
        if self.comparison is None:
            yield "faithful: not asked, since such jobs cannot be replayed"
            return
        if self.departure is None:
            yield "faithful: yes"
            return
        yield f"faithful: no, first at {self.departure.time_s}"
        yield f"  {self.departure.sentence}"
        found = self.comparison
        yield (
            f"  in all {found.jobs_elsewhere:,} of {found.jobs:,} jobs start elsewhere than under "
            f"{self.policy}; mean wait {found.mean_wait_s:,.1f} s instead of "
            f"{found.policy_mean_wait_s:,.1f} s"
        )
