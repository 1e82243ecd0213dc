"""A simulation as a task of an engine."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from statistics import fmean

from schedlab.experiments.engine import TaskOutcome
from schedlab.experiments.other_simulators import is_elsewhere, schedule_elsewhere
from schedlab.metrics import find_metric
from schedlab.platform import Platform, platform_from_header
from schedlab.sim import Schedule, simulate
from schedlab.workload import Workload, read_workload


@dataclass(frozen=True, kw_only=True)
class SampledRuns:
    """Simulations of a learned policy whose actions are drawn, independently for each run."""

    model: Path
    predict: str | None
    runs: int


@dataclass(frozen=True, kw_only=True)
class SimulationTask:
    """Simulate a workload under a policy, and measure the schedule.

    With ``sampled`` the metrics are means over its runs.
    """

    key: str
    name: str
    workload: Path
    platform: Platform | None
    policy: str
    tick: int
    depth: int | None
    kill_at_request: bool
    metrics: tuple[str, ...]
    seed: int
    sampled: SampledRuns | None = None
    place: str = "lowest"

    @property
    def outside(self) -> tuple[str, ...]:
        """The policy and the metrics."""
        return (self.policy, *self.metrics)

    def compute(self, workload: Workload | None = None) -> TaskOutcome:
        """Return the metrics of the schedule."""
        jobs = _load(self.workload) if workload is None else workload
        began = time.perf_counter()
        schedules = self._schedules(jobs)
        wall_s = time.perf_counter() - began
        values = {
            name: fmean(find_metric(name).value(each) for each in schedules)
            for name in self.metrics
        }
        return TaskOutcome(
            key=self.key,
            name=self.name,
            values={name: each if math.isfinite(each) else None for name, each in values.items()},
            jobs=len(jobs),
            wall_s=wall_s,
        )

    def _schedules(self, jobs: Workload) -> list[Schedule]:
        platform = self.platform or platform_from_header(jobs)
        if self.sampled is not None:
            from schedlab.rl.sampled_runs import sampled_schedules

            return sampled_schedules(
                self.sampled.model,
                jobs,
                platform.nodes,
                self.sampled.runs,
                predict=self.sampled.predict,
                kill_at_request=self.kill_at_request,
            )
        if is_elsewhere(self.policy):
            return [schedule_elsewhere(self.policy, jobs, platform.nodes, self.seed)]
        schedule = simulate(
            jobs,
            platform,
            self.policy,
            tick=self.tick,
            depth=self.depth,
            kill_at_request=self.kill_at_request,
            place=self.place,
            seed=self.seed,
        )
        return [schedule]


@lru_cache(maxsize=1)
def _load(path: Path) -> Workload:
    """Return the workload, kept for the next policy."""
    return read_workload(path)
