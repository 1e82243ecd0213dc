"""A simulation as a task of an engine."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from statistics import fmean

from schedlab.experiments.engine import Outcome
from schedlab.metrics import find_metric
from schedlab.platform import Platform, platform_from_header
from schedlab.sim import Schedule, simulate
from schedlab.workload import Workload, read_workload


@dataclass(frozen=True, kw_only=True)
class SimulationTask:
    """Simulate a workload under a policy, and measure the schedule.

    With ``runs``, which a learned policy may have, its actions are drawn in so many runs, and the
    metrics are means over them.
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
    runs: int = 0

    @property
    def outside(self) -> tuple[str, ...]:
        """The policy and the metrics."""
        return (self.policy, *self.metrics)

    def compute(self, workload: Workload | None = None) -> Outcome:
        """The metrics of the schedule."""
        jobs = _load(self.workload) if workload is None else workload
        drawn = [f"{self.policy},sample={run}" for run in range(self.runs)]
        schedules = [self._schedule(jobs, policy) for policy in drawn or [self.policy]]
        values = {
            name: fmean(find_metric(name).value(each) for each in schedules)
            for name in self.metrics
        }
        return Outcome(
            key=self.key,
            name=self.name,
            values={name: each if math.isfinite(each) else None for name, each in values.items()},
            jobs=len(jobs),
            wall_s=sum(each.wall_s for each in schedules),
        )

    def _schedule(self, jobs: Workload, policy: str) -> Schedule:
        return simulate(
            jobs,
            self.platform or platform_from_header(jobs),
            policy,
            tick=self.tick,
            depth=self.depth,
            kill_at_request=self.kill_at_request,
            seed=self.seed,
        )


@lru_cache(maxsize=1)
def _load(path: Path) -> Workload:
    """The workload, kept for the next policy."""
    return read_workload(path)
