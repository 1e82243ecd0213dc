"""The contract of an engine: it is given tasks and yields their outcomes as they finish."""

from __future__ import annotations

import math
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Protocol

from schedlab.errors import ParameterError, SchedlabError
from schedlab.metrics import find_metric
from schedlab.platform import Platform, platform_from_header
from schedlab.sim import simulate
from schedlab.workload import Workload, read_workload


@dataclass(frozen=True, kw_only=True)
class Task:
    """Everything another process needs to compute one cell."""

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


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """The metrics of one cell (None where one is not defined), or why it failed."""

    key: str
    name: str
    values: Mapping[str, float | None] = field(default_factory=dict)
    jobs: int = 0
    wall_s: float = 0.0
    error: str | None = None


class Engine(Protocol):
    """Computes tasks, here or elsewhere."""

    def run(self, tasks: Sequence[Task]) -> Generator[Outcome, None, None]:
        """One outcome per task, in any order; when closed early, nothing goes on running."""
        ...


DIED = "its process died (was there enough memory?)"


def check_workers(workers: int | None) -> None:
    """Refuse a number of workers that could compute nothing."""
    if workers is not None and workers < 1:
        raise ParameterError(f"{workers} workers; must be >= 1")


def run_task(task: Task, workload: Workload | None = None) -> Outcome:
    """Simulate the cell and measure the schedule; a failure is an outcome too.

    The workload is read from the task's file, unless it is given.
    """
    try:
        return _measured(task, _load(task.workload) if workload is None else workload)
    except SchedlabError as error:
        return Outcome(key=task.key, name=task.name, error=str(error))
    except Exception as error:
        # A policy of the user's own may raise anything; the other cells must go on.
        return Outcome(key=task.key, name=task.name, error=f"{type(error).__name__}: {error}")


def _measured(task: Task, workload: Workload) -> Outcome:
    schedule = simulate(
        workload,
        task.platform or platform_from_header(workload),
        task.policy,
        tick=task.tick,
        depth=task.depth,
        kill_at_request=task.kill_at_request,
        seed=task.seed,
    )
    values = {name: find_metric(name).value(schedule) for name in task.metrics}
    return Outcome(
        key=task.key,
        name=task.name,
        values={name: each if math.isfinite(each) else None for name, each in values.items()},
        jobs=len(schedule),
        wall_s=schedule.wall_s,
    )


@lru_cache(maxsize=1)
def _load(path: Path) -> Workload:
    """The workload, kept for the next policy."""
    return read_workload(path)
