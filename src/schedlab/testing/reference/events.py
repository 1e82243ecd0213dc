"""The events that will happen to jobs, and when."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heapify, heappop, heappush

from schedlab.testing.reference.job import Job
from schedlab.testing.reference.machine import Machine

Event = tuple[int, int, int]
"""When the event is seen, when it happens, and the position of its job."""


class Events:
    """Events of one kind, in the order in which they are seen."""

    def __init__(self, jobs: list[Job], machine: Machine) -> None:
        self.jobs, self.machine = jobs, machine
        self.heap: list[Event] = []

    def push(self, time_s: int, job: Job) -> None:
        """Add an event of the job at this time."""
        heappush(self.heap, self._event(time_s, job))

    def drop(self, time_s: int, job: Job) -> None:
        """Remove the event of the job at this time."""
        self.heap.remove(self._event(time_s, job))
        heapify(self.heap)

    def due(self, now: int) -> Iterator[tuple[int, Job]]:
        """Remove and yield the events of this instant, and those they cause, in order of time."""
        while self.heap and self.heap[0][0] == now:
            _, time_s, position = heappop(self.heap)
            yield time_s, self.jobs[position]

    def _event(self, time_s: int, job: Job) -> Event:
        return self.machine.seen(time_s), time_s, job.position
