"""A plain version of the grid environment: slow, and written straight from its description."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schedlab.rl.gantt.settings import GanttSettings
from schedlab.workload import Workload

Image = NDArray[np.float32]


@dataclass(eq=False)
class GridJob:
    """A job and what was decided about it."""

    submit: int
    resources: int
    time: int
    start: int | None = None
    allocated: tuple[int, ...] = ()

    def time_in_system(self, now: int) -> int:
        """Return the time from the submission until now, or until its end."""
        end = now if self.start is None else min(now, self.start + self.time)
        return end - self.submit


class GanttReference:
    """One episode of ``schedlab/Gantt-v0``, to compare the native environment with."""

    def __init__(self, settings: GanttSettings, workload: Workload) -> None:
        """Begin at the first arrival."""
        columns = (workload[name].tolist() for name in ("submit_s", "nodes", "request_s"))
        self.settings = settings
        self.jobs = [GridJob(*row) for row in zip(*columns, strict=True)]
        self.now = self.jobs[0].submit
        self.steps = self.placed = 0
        self.slots: list[GridJob | None] = [None] * settings.slots
        self.backlog: list[GridJob] = []
        self.colour_at: dict[tuple[int, int], float] = {}
        """The colour of each reserved cell, by time and resource."""
        self._arrive()

    def step(self, action: int) -> tuple[float, bool, bool]:
        """Return the reward, and whether the episode is terminated or truncated."""
        before = self.mean_slowdown()
        self.steps += 1
        if not self._place(action):
            self.now += 1
            self._arrive()
        terminated = all(self._ended(job) for job in self.jobs)
        truncated = not terminated and self.steps >= self.settings.max_steps
        return before - self.mean_slowdown(), terminated, truncated

    def mean_slowdown(self) -> float:
        """Average, over jobs submitted so far, time in the system so far over requested time."""
        here = [job for job in self.jobs if job.submit <= self.now]
        return sum(job.time_in_system(self.now) / job.time for job in here) / max(len(here), 1)

    def mask(self) -> list[int]:
        """Allow slots with a job for which there is room, and always the last action."""
        room = [job is not None and self._earliest(job) is not None for job in self.slots]
        return [*map(int, room), 1]

    def image(self) -> Image:
        """Put the chart, slots, backlog and time since the last arrival side by side."""
        rules = self.settings
        image = np.zeros(rules.image_shape, np.float32)
        for row in range(rules.window):
            for resource in range(rules.resources):
                image[row, resource] = self.colour_at.get((self.now + row, resource), 0)
        for slot, job in enumerate(self.slots):
            if job is not None:
                left = rules.resources * (1 + slot)
                image[: job.time, left : left + job.resources] = 1
        left = rules.resources * (1 + rules.slots)
        for place in range(min(len(self.backlog), rules.backlog_columns * rules.window)):
            image[place // rules.backlog_columns, left + place % rules.backlog_columns] = 1
        image[:, -1] = self._since_arrival()
        return image

    def vector(self) -> Image:
        """Return free resources per row, four numbers per slot, the backlog and last arrival."""
        rules = self.settings
        rows = range(self.now, self.now + rules.window)
        numbers = [len(self._free(time, 1)) / rules.resources for time in rows]
        for job in self.slots:
            numbers += [0, 0, 0, 0] if job is None else self._features(job)
        cells = rules.backlog_columns * rules.window
        numbers += [min(len(self.backlog), cells) / max(cells, 1), self._since_arrival()]
        return np.array(numbers, np.float32)

    def _features(self, job: GridJob) -> list[float]:
        start, rules = self._earliest(job), self.settings
        ahead = 1 if start is None else (start - self.now) / rules.window
        return [job.resources / rules.resources, job.time / rules.window, 1 / job.time, ahead]

    def _since_arrival(self) -> float:
        last = max(job.submit for job in self.jobs if job.submit <= self.now)
        return min(self.now - last, self.settings.arrival_memory) / self.settings.arrival_memory

    def _ended(self, job: GridJob) -> bool:
        return job.start is not None and job.start + job.time <= self.now

    def _arrive(self) -> None:
        for job in self.jobs:
            if job.submit != self.now:
                continue
            if None in self.slots:
                self.slots[self.slots.index(None)] = job
            else:
                self.backlog.append(job)

    def _free(self, start: int, length: int) -> list[int]:
        """Return the resources that are free from ``start`` for the whole ``length``."""
        times = range(start, start + length)
        return [
            resource
            for resource in range(self.settings.resources)
            if not any((time, resource) in self.colour_at for time in times)
        ]

    def _earliest(self, job: GridJob) -> int | None:
        for start in range(self.now, self.now + self.settings.window - job.time + 1):
            if len(self._free(start, job.time)) >= job.resources:
                return start
        return None

    def _place(self, action: int) -> bool:
        job = self.slots[action] if action < self.settings.slots else None
        start = None if job is None else self._earliest(job)
        if job is None or start is None:
            return False
        colour = self._colour()
        job.start, job.allocated = start, tuple(self._free(start, job.time)[: job.resources])
        for resource in job.allocated:
            for time in range(start, start + job.time):
                self.colour_at[time, resource] = colour
        self.placed += 1
        self.slots[action] = self.backlog.pop(0) if self.backlog else None
        return True

    def _colour(self) -> float:
        colours = self.settings.colours
        return (self.placed % colours + 1) / (colours + 1) if colours else 1.0
