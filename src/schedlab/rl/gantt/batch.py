"""A batch of grids that are stepped together, with their jobs and results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schedlab import _core
from schedlab.errors import ParameterError, WorkloadError
from schedlab.platform import Platform
from schedlab.rl.gantt.episodes import GridEpisodes, grid_workload
from schedlab.rl.gantt.settings import GanttSettings
from schedlab.rl.native_batch import NativeBatch, check_playable, thread_count
from schedlab.sim import JobOutcome, NodeRanges, Schedule
from schedlab.sim.feasibility import check_feasible
from schedlab.workload import Workload
from schedlab.workload.eligibility import gated
from schedlab.workload.episodes import Episodes


class GanttBatch(NativeBatch):
    """Environments ``schedlab/Gantt-v0`` with the arrays they write into.

    ``observation`` and ``mask`` hold one row per environment. After ``reset``, the row of a
    finished episode is that of the next one.
    """

    core: _core.GanttBatch

    def __init__(
        self,
        settings: GanttSettings,
        episodes: Episodes,
        size: int,
        *,
        threads: int | None = None,
        observation: NDArray[np.float32] | None = None,
    ) -> None:
        """Prepare the environments.

        Args:
            settings: their rules.
            episodes: where their jobs come from; the core draws those of ``GridEpisodes`` itself.
            size: number of environments.
            threads: number of threads that step them. Default: the number of processors.
            observation: an array to write observations into, such as a view of pinned memory.
        """
        super().__init__(
            _core.GanttBatch(settings.options(), size, thread_count(size, threads)),
            size,
            shape=settings.observation_shape,
            largest=1.0,
            observation=observation,
        )
        if isinstance(episodes, GridEpisodes):
            _check_grid(episodes, settings)
        self.settings, self.episodes = settings, episodes
        self.platform = Platform.homogeneous(settings.resources)
        self._given: list[Workload | None] = [None] * size

    def reset(self, place: int, sequence: Workload | None = None) -> None:
        """Begin an episode of one environment, with these jobs or else with its next ones."""
        if sequence is None and isinstance(self.episodes, GridEpisodes):
            law, seed = self.episodes.choose(self.random[place])
            self._given[place] = None
            self.core.draw(place, law, seed, self.rows, self.mask)
        else:
            workload = self.episodes.draw(self.random[place]) if sequence is None else sequence
            check_reservable(workload, self.platform, self.settings.window)
            self._given[place] = workload
            nodes = workload["nodes"].astype(np.int32)
            self.core.reset(
                place, workload["submit_s"], nodes, workload["run_s"], self.rows, self.mask
            )
        self._not_begun.discard(place)

    def workload(self, place: int) -> Workload:
        """Return the jobs of one environment's episode."""
        if place in self._not_begun:
            raise ParameterError("no episode has begun; call reset() first")
        given = self._given[place]
        if given is not None:
            return given
        return grid_workload(self.core.jobs(place), self.settings.resources)

    def result(self, place: int) -> Mapping[str, Any]:
        """Return the results of this environment's episode up to now."""
        submit, _, run = self.core.jobs(place)
        start = self.core.starts(place)
        started = start >= 0
        return {
            "steps": self.core.steps(place),
            "started": self.core.started(place),
            "completed": self.core.completed(place),
            "mean_slowdown": self.core.mean_slowdown(place),
            "mean_wait_s": float((start - submit)[started].mean()) if started.any() else 0.0,
            "makespan_s": int(np.where(started, start + run, submit[0]).max() - submit[0]),
        }

    def schedule(self, place: int) -> Schedule:
        """Return the schedule of this environment's episode; reserved starts may lie ahead."""
        workload, start_s = self.workload(place), self.core.starts(place)
        started = start_s >= 0
        state = np.where(started, JobOutcome.COMPLETED, JobOutcome.WAITING).astype(np.int8)
        return Schedule(
            workload=workload,
            platform=self.platform,
            policy="agent:gantt",
            start_s=start_s,
            end_s=np.where(started, start_s + workload["run_s"], -1),
            eligible_s=workload["submit_s"],
            first_reserved_s=np.full(len(workload), -1),
            state=state,
            node_ranges=NodeRanges(*self.core.ranges(place)),
            provenance={
                "environment": asdict(self.settings),
                "workload": {"name": workload.name, "steps": list(workload.provenance)},
            },
        )


def check_reservable(workload: Workload, platform: Platform, window: int) -> None:
    """Raise WorkloadError for jobs that the chart cannot hold, or that it would show wrongly."""
    check_playable(workload)
    check_feasible(workload, platform.clusters[0])
    request_s, run_s = workload["request_s"], workload["run_s"]
    long, other = np.flatnonzero(request_s > window), np.flatnonzero(request_s != run_s)
    dependent = np.flatnonzero(gated(workload))
    if len(long):
        raise WorkloadError(
            f"job {workload['job_id'][long[0]]} requests {request_s[long[0]]:,} time units but "
            f"the window has {window:,} ({len(long):,} such jobs); make the window longer"
        )
    if len(other):
        raise WorkloadError(
            f"job {workload['job_id'][other[0]]} requests {request_s[other[0]]:,} time units and "
            f"runs {run_s[other[0]]:,} ({len(other):,} such jobs); reservations are kept to their "
            f"end, so the two must be equal: set_run=1"
        )
    if len(dependent):
        raise WorkloadError(
            f"job {workload['job_id'][dependent[0]]} waits for more than its submission "
            f"({len(dependent):,} such jobs); here jobs arrive when they are submitted"
        )


def _check_grid(episodes: GridEpisodes, settings: GanttSettings) -> None:
    widest = max(episodes.model.narrow_nodes[1], episodes.model.wide_nodes[1])
    if widest > settings.resources:
        raise ParameterError(
            f"episodes have jobs of {widest} resources; the grid has {settings.resources}"
        )
    if episodes.longest_request_s > settings.window:
        raise ParameterError(
            f"episodes have jobs of {episodes.longest_request_s} time units; "
            f"the window has {settings.window}"
        )
