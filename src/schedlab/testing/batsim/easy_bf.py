"""EASY as in batsched, the scheduler of Batsim, which calls it ``easy_bf``."""

from __future__ import annotations

from dataclasses import dataclass

from schedlab.testing.batsim.job import BatsimJob


@dataclass(frozen=True)
class Hold:
    """Named nodes that a job holds from a start to an end."""

    nodes: frozenset[int]
    start_us: int
    end_us: int


class EasyBf:
    """Running jobs and the head of the queue hold named nodes; others start where they fit.

    A call replans the head if another job has become the head or a job has ended; if none has
    ended, only newly submitted jobs are tried.
    """

    def __init__(self, nodes: int) -> None:
        self.nodes = frozenset(range(nodes))
        self.holds: dict[BatsimJob, Hold] = {}
        self.queue: list[BatsimJob] = []

    def decide(
        self, now_us: int, submitted: list[BatsimJob], ended: list[BatsimJob]
    ) -> list[BatsimJob]:
        """Return the jobs that start now, in order."""
        head_before = self._head()
        for job in ended:
            del self.holds[job]
        self.queue.extend(submitted)
        started = [] if self._head() is head_before else self._plan_new_head(now_us, head_before)
        busy = [hold.nodes for hold in self.holds.values() if hold.start_us <= now_us]
        if len(frozenset().union(*busy)) == len(self.nodes):
            return started
        tried = list(self.queue) if ended else [job for job in submitted if job in self.queue]
        return started + [job for job in tried if self._try(now_us, job, again=bool(ended))]

    def _head(self) -> BatsimJob | None:
        return self.queue[0] if self.queue else None

    def _plan_new_head(self, now_us: int, head_before: BatsimJob | None) -> list[BatsimJob]:
        """Start jobs from the front until one has to wait; that one gets a hold in the future."""
        started: list[BatsimJob] = []
        if head_before is not None:
            self.holds.pop(head_before, None)
        while self.queue and self._hold(now_us, self.queue[0]):
            started.append(self.queue.pop(0))
        return started

    def _try(self, now_us: int, job: BatsimJob, *, again: bool) -> bool:
        """Start the job if it fits now; try the head, and replan its hold, only if ``again``."""
        is_head = job is self._head()
        if is_head and not again:
            return False
        self.holds.pop(job, None)
        if self._hold(now_us, job):
            self.queue.remove(job)
            return True
        if not is_head:
            del self.holds[job]
        return False

    def _hold(self, now_us: int, job: BatsimJob) -> bool:
        """Hold the lowest nodes at the earliest time they are free; return whether that is now."""
        ends = {hold.end_us for hold in self.holds.values() if hold.end_us > now_us}
        for start_us in sorted({now_us, *ends}):
            end_us = start_us + job.planned_us
            free = self.nodes.difference(
                *(
                    hold.nodes
                    for hold in self.holds.values()
                    if hold.start_us < end_us and hold.end_us > start_us
                )
            )
            if len(free) >= job.nodes:
                break
        self.holds[job] = Hold(frozenset(sorted(free)[: job.nodes]), start_us, end_us)
        return start_us == now_us
