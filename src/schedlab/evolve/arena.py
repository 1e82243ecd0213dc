"""Where policies are measured: many episodes side by side."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import product

import numpy as np

from schedlab import _core
from schedlab.errors import ParameterError
from schedlab.evolve.objective import Objective, Values
from schedlab.platform import Platform
from schedlab.policies import choose_policy
from schedlab.sim import simulate
from schedlab.workload import Workload

MakePolicy = Callable[[], _core.Policy]
"""A new policy: each simulation needs its own."""


@dataclass(frozen=True, kw_only=True)
class Arena:
    """The machine, what is measured on it, and by which rules.

    Args:
        platform: the machine.
        objective: whose metrics are measured.
        tick: 0, or events are seen only at multiples of so many seconds.
        kill_at_request: a job that exceeds its request is killed then.
        predict: who says how long jobs run.
        threads: simulations side by side; by default as many as there are processors.
    """

    platform: Platform
    objective: Objective
    tick: int = 0
    kill_at_request: bool = True
    predict: str = "request"
    threads: int | None = None

    def __post_init__(self) -> None:
        if self.threads is not None and self.threads < 1:
            raise ParameterError(f"threads is {self.threads}; must be >= 1")

    def measure(self, policies: Sequence[MakePolicy], jobs: Sequence[Workload]) -> list[Values]:
        """For each policy its values in every episode; the machine is empty at each start."""
        games = product(policies, jobs)
        with ThreadPoolExecutor(self.threads or len(os.sched_getaffinity(0))) as pool:
            values = list(pool.map(lambda game: self._play(*game), games))
        return list(np.array(values).reshape(len(policies), len(jobs), -1))

    def measure_named(self, names: Sequence[str], jobs: Sequence[Workload]) -> list[Values]:
        """The same for policies of the table."""
        return self.measure([partial(_named, name) for name in names], jobs)

    def _play(self, make: MakePolicy, workload: Workload) -> list[float]:
        schedule = simulate(
            workload,
            self.platform,
            make(),
            tick=self.tick,
            kill_at_request=self.kill_at_request,
            predict=self.predict,
        )
        return [goal.metric.value(schedule) for goal in self.objective.goals]


def _named(name: str) -> _core.Policy:
    return choose_policy(name).core
