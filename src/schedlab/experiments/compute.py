"""Computing what is missing: each outcome is kept as it comes, so nothing is computed twice."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from typing import TypeVar

from schedlab.experiments.engine import Engine, Task
from schedlab.experiments.run_folder import RunFolder

T = TypeVar("T", bound=Task)

Progress = Callable[[int, int], None]
"""Called with the number of finished cells and the number of all cells."""


def missing(tasks: Iterable[T], folder: RunFolder) -> list[T]:
    """Return the tasks whose outcomes are not kept yet, each key once."""
    return list({task.key: task for task in tasks if folder.kept(task.key) is None}.values())


def compute(
    tasks: Sequence[Task], engine: Engine, folder: RunFolder, progress: Progress | None = None
) -> dict[str, str]:
    """Compute cells, and keep each as it finishes; return the failures by the cells' names."""
    failures = {}
    with closing(engine.run(tasks)) as outcomes:
        for done, outcome in enumerate(outcomes, 1):
            if outcome.error is None:
                folder.keep(outcome)
            else:
                failures[outcome.name] = outcome.error
            if progress is not None:
                progress(done, len(tasks))
    return dict(sorted(failures.items()))
