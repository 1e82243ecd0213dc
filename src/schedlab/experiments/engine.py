"""The contract of an engine: it is given tasks and yields their outcomes as they finish."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from schedlab.errors import SchedlabError
from schedlab.units import require_whole
from schedlab.workload import Workload


class Task(Protocol):
    """Everything another process needs to compute one cell."""

    @property
    def key(self) -> str:
        """A key of everything that determines the outcome."""
        ...

    @property
    def name(self) -> str:
        """Its name for people."""
        ...

    @property
    def workload(self) -> Path | None:
        """The file of its jobs, if it reads one; other machines may not see this file."""
        ...

    @property
    def outside(self) -> Sequence[str]:
        """Texts that may name code or files outside schedlab."""
        ...

    def compute(self, workload: Workload | None = None) -> TaskOutcome:
        """Return the outcome; the workload is read from the task's file, unless it is given."""
        ...


@dataclass(frozen=True, kw_only=True)
class TaskOutcome:
    """The metrics of one cell (None where one is not defined), or why it failed."""

    key: str
    name: str
    values: Mapping[str, float | None] = field(default_factory=dict)
    jobs: int = 0
    wall_s: float = 0.0
    error: str | None = None


class Engine(Protocol):
    """Computes tasks, here or elsewhere."""

    def run(self, tasks: Sequence[Task]) -> Generator[TaskOutcome, None, None]:
        """Return one outcome per task, in any order; when closed early, nothing goes on running."""
        ...


DIED = "its process died (was there enough memory?)"


def check_workers(workers: int | None) -> None:
    """Refuse a number of workers that could compute nothing."""
    if workers is not None:
        require_whole("workers", workers, 1)


def run_task(task: Task, workload: Workload | None = None) -> TaskOutcome:
    """Compute the cell; a failure is an outcome too."""
    try:
        return task.compute(workload)
    except SchedlabError as error:
        return TaskOutcome(key=task.key, name=task.name, error=str(error))
    except Exception as error:
        # A policy of the user's own may raise anything; the other cells must go on.
        return TaskOutcome(key=task.key, name=task.name, error=f"{type(error).__name__}: {error}")
