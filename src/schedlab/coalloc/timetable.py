"""Which slots of each resource are taken, as bits: bit s stands for slot s."""

from __future__ import annotations

from schedlab.coalloc.problem import Problem


class Timetable:
    """The slots in use while a schedule is built; jobs are placed and removed one by one."""

    def __init__(self, problem: Problem) -> None:
        self._taken = [0] * len(problem.resources)
        self._needs = [(job.resources, job.slots) for job in problem.jobs]
        self._domains = [_bits(problem.domain(job)) for job in range(len(problem.jobs))]

    def free_starts(self, job: int) -> int:
        """Return the starts of the job's domain at which all its resources are free, as bits."""
        resources, slots = self._needs[job]
        taken = 0
        for resource in resources:
            taken |= self._taken[resource]
        for _ in range(slots - 1):
            # A taken slot also rules out the starts shortly before it.
            taken |= taken >> 1
        return self._domains[job] & ~taken

    def earliest(self, job: int) -> int | None:
        """Return the first of the free starts; None if there is none."""
        free = self.free_starts(job)
        return (free & -free).bit_length() - 1 if free else None

    def place(self, job: int, start: int) -> None:
        """Take the slots of the job, which must be free."""
        self._flip(job, start)

    def remove(self, job: int, start: int) -> None:
        """Give back the slots of a job placed there."""
        self._flip(job, start)

    def _flip(self, job: int, start: int) -> None:
        resources, slots = self._needs[job]
        used = ((1 << slots) - 1) << start
        for resource in resources:
            self._taken[resource] ^= used


def starts_of(bits: int) -> list[int]:
    """Return the starts that the bits stand for, ascending."""
    starts = []
    while bits:
        lowest = bits & -bits
        starts.append(lowest.bit_length() - 1)
        bits ^= lowest
    return starts


def _bits(domain: range) -> int:
    return ((1 << len(domain)) - 1) << domain.start
