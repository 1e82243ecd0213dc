"""A plan of the future: how many nodes of each cluster are free from when on."""

from __future__ import annotations

import math
from bisect import bisect_left

from schedlab.testing.reference.job import Job
from schedlab.testing.reference.simulation import Simulation


class Plan:
    """Free nodes of each cluster: ``free[i]`` from ``times[i]`` until ``times[i + 1]``."""

    def __init__(self, sim: Simulation) -> None:
        """Nothing planned yet: only running jobs hold nodes, each until its expected release."""
        self.seen = sim.machine.seen
        self.times = [sim.now]
        self.free = [list(sim.machine.clusters)]
        for job in sim.running:
            self._change(job, -1, sim.now, sim.expected_release(job))

    def earliest_start(self, job: Job) -> int:
        """The first time from which enough nodes stay free for the whole request."""
        start_s = None
        for time_s, free in zip(self.times, self.free, strict=True):
            if start_s is not None and self.seen(start_s + job.estimate_s) <= time_s:
                break
            if any(free[cluster] < nodes for cluster, nodes in job.needs.items()):
                start_s = None
            elif start_s is None:
                start_s = time_s
        assert start_s is not None, "all nodes are free in the end"
        return start_s

    def free_for_s(self, nodes: int) -> float:
        """For how long so many nodes of one cluster stay free from now on."""
        for time_s, (free,) in zip(self.times, self.free, strict=True):
            if free < nodes:
                return time_s - self.times[0]
        return math.inf

    def reserve(self, job: Job, start_s: int) -> None:
        """Keep nodes for the job from this time for the whole request."""
        self._change(job, -1, start_s, self.seen(start_s + job.estimate_s))

    def release(self, job: Job, start_s: int) -> None:
        """Take the job's reservation out again."""
        self._change(job, 1, start_s, self.seen(start_s + job.estimate_s))

    def _change(self, job: Job, sign: int, start_s: int, end_s: int) -> None:
        first, last = self._step_at(start_s), self._step_at(end_s)
        for step in range(first, last):
            for cluster, nodes in job.needs.items():
                self.free[step][cluster] += sign * nodes
                assert self.free[step][cluster] >= 0, "a plan holds no node twice"

    def _step_at(self, time_s: int) -> int:
        """The step that begins at this time, made if there is none."""
        step = bisect_left(self.times, time_s)
        if step == len(self.times) or self.times[step] != time_s:
            self.times.insert(step, time_s)
            self.free.insert(step, list(self.free[step - 1]))
        return step
