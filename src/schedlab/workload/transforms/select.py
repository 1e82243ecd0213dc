"""Keep some of the jobs.

A kept job whose predecessor was not kept waits for nothing: a ``depends_on`` that names no job of
the workload counts as none. Submission times stay as they are; ``rebase`` moves them to 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schedlab.errors import ParameterError, UnknownNameError, WorkloadError
from schedlab.workload.workload import Workload


def keep(
    workload: Workload, which: NDArray[np.bool_] | slice, step: str, **details: Any
) -> Workload:
    """Return the chosen jobs, with the step and the number of jobs it dropped recorded."""
    kept = workload.take(np.arange(len(workload))[which])
    return kept.record(step, **details, dropped=len(workload) - len(kept))


def head(workload: Workload, jobs: int) -> Workload:
    """Return the first jobs."""
    return keep(workload, slice(_count(jobs)), "head", jobs=jobs)


def tail(workload: Workload, jobs: int) -> Workload:
    """Return the last jobs."""
    first = max(len(workload) - _count(jobs), 0)
    return keep(workload, slice(first, None), "tail", jobs=jobs)


def slice_jobs(workload: Workload, start: int = 0, stop: int | None = None) -> Workload:
    """Return the jobs from position ``start`` up to, not including, ``stop``.

    Positions count from 0.
    """
    _ordered(start, stop)
    return keep(workload, slice(start, stop), "slice", start=start, stop=stop)


def window(workload: Workload, start_s: int = 0, end_s: int | None = None) -> Workload:
    """Return the jobs submitted from ``start_s`` to before ``end_s`` after the first submission."""
    _ordered(start_s, end_s)
    since_s = workload["submit_s"] - workload["submit_s"][:1]
    inside = since_s >= start_s
    if end_s is not None:
        inside &= since_s < end_s
    return keep(workload, inside, "window", start_s=start_s, end_s=end_s)


def min_run(workload: Workload, run_s: int) -> Workload:
    """Return the jobs that run at least this long."""
    return keep(workload, workload["run_s"] >= run_s, "min_run", run_s=run_s)


def overrun(workload: Workload, at_most_s: int) -> Workload:
    """Return the jobs that ran at most this long beyond their request."""
    beyond_s = workload["run_s"] - workload["request_s"]
    return keep(workload, beyond_s <= at_most_s, "overrun", at_most_s=at_most_s)


def status(workload: Workload, codes: Sequence[int]) -> Workload:
    """Return the jobs with these status codes: 1 completed, 0 failed, 5 cancelled."""
    _needs(workload, "status")
    return keep(workload, np.isin(workload["status"], codes), "status", codes=list(codes))


def users(workload: Workload, names: Sequence[str | int]) -> Workload:
    """Keep the jobs of these users, given as the workload's labels or else as numbers."""
    return _named(workload, "user", names, "users")


def partition(workload: Workload, names: Sequence[str | int]) -> Workload:
    """Return the jobs that ran in these partitions, named as the users are."""
    return _named(workload, "partition", names, "partition")


def queue(workload: Workload, names: Sequence[str | int]) -> Workload:
    """Return the jobs that were submitted to these queues, named as the users are."""
    return _named(workload, "queue", names, "queue")


def _named(workload: Workload, column: str, names: Sequence[str | int], step: str) -> Workload:
    _needs(workload, column)
    found = workload.labelled(column).astype(str)
    wanted = [str(name) for name in names]
    known = np.unique(found).tolist()
    for name in wanted:
        if name not in known:
            raise UnknownNameError(column, name, known)
    return keep(workload, np.isin(found, wanted), step, names=wanted)


def _count(jobs: int) -> int:
    if jobs < 0:
        raise ParameterError(f"{jobs} jobs; must be >= 0")
    return jobs


def _ordered(start: int, stop: int | None) -> None:
    if start < 0 or (stop is not None and stop < start):
        raise ParameterError(f"range {start}:{stop}; must be 0 <= start <= stop")


def _needs(workload: Workload, column: str) -> None:
    if column not in workload:
        raise WorkloadError(f'workload "{workload.name}" has no column {column}')
