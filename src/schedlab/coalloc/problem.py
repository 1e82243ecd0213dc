"""The co-allocation problem: jobs that need several resources at the same time."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

from schedlab.errors import ProblemError

MAX_SLOTS = 1 << 20
"""A longer time domain is taken for a mistake."""


@dataclass(frozen=True)
class CoallocJob:
    """A job that needs all of its resources at once, for consecutive slots."""

    name: str
    resources: tuple[int, ...]
    """Indices of the problem's resources."""
    slots: int
    value: float = 1.0
    release: int = 1
    """The first slot it may use."""
    deadline: int | None = None
    """The last slot it may use; None: that of the problem."""


@dataclass(frozen=True)
class Problem:
    """Resources that serve one job at a time in slots 1 to ``slots``, and jobs that want them.

    One variable per job, whose domain is its first slot (events as variables, EAV); two jobs are
    in conflict if they share a resource. Solvers find out which jobs fit together: a job
    whose domain is empty is no error, but cannot be scheduled.
    """

    resources: tuple[str, ...]
    jobs: tuple[CoallocJob, ...]
    slots: int
    name: str = "problem"
    origin: str = ""
    """How it was made, for the record."""

    def __post_init__(self) -> None:
        _require_whole("the problem", "slots", self.slots)
        if self.slots > MAX_SLOTS:
            raise ProblemError(f"{self.slots:,} slots; at most {MAX_SLOTS:,} are supported")
        _require_distinct("resource", self.resources)
        _require_distinct("job", [job.name for job in self.jobs])
        for job in self.jobs:
            self._check(job)

    def domain(self, job: int) -> range:
        """Return the first slots that the job may have."""
        wanted = self.jobs[job]
        last = self.slots if wanted.deadline is None else min(wanted.deadline, self.slots)
        return range(wanted.release, max(wanted.release, last - wanted.slots + 2))

    def conflicts(self) -> tuple[frozenset[int], ...]:
        """Return each job's neighbours in the constraint graph: those it shares a resource with."""
        users = self.users()
        return tuple(
            frozenset(other for resource in job.resources for other in users[resource]) - {place}
            for place, job in enumerate(self.jobs)
        )

    def users(self) -> tuple[tuple[int, ...], ...]:
        """Return for each resource the jobs that need it."""
        of: list[list[int]] = [[] for _ in self.resources]
        for place, job in enumerate(self.jobs):
            for resource in job.resources:
                of[resource].append(place)
        return tuple(map(tuple, of))

    def _check(self, job: CoallocJob) -> None:
        where = f'job "{job.name}"'
        _require_whole(where, "slots", job.slots)
        _require_whole(where, "release", job.release)
        if job.deadline is not None:
            _require_whole(where, "deadline", job.deadline, least=job.release)
        if not math.isfinite(job.value) or job.value < 0:
            raise ProblemError(f"{where}: value is {job.value!r}; must be a number >= 0")
        if not job.resources:
            raise ProblemError(f"{where}: needs no resource; must need at least one")
        if len(set(job.resources)) < len(job.resources):
            raise ProblemError(f"{where}: names a resource twice")
        outside = [place for place in job.resources if not 0 <= place < len(self.resources)]
        if outside:
            count = len(self.resources)
            raise ProblemError(f"{where}: resource {outside[0]}; there are 0 to {count - 1}")


def _require_whole(where: str, what: str, value: object, least: int = 1) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise ProblemError(f"{where}: {what} is {value!r}; must be an integer >= {least}")


def _require_distinct(kind: str, names: tuple[str, ...] | list[str]) -> None:
    if not names:
        raise ProblemError(f"the problem has no {kind}")
    name, times = Counter(names).most_common(1)[0]
    if times > 1:
        raise ProblemError(f'{times} {kind}s are named "{name}"; names must differ')
