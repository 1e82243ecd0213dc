"""Columns of a trace that a simulation does not use."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from schedlab.workload.workload import Workload


def ignored(workload: Workload) -> Iterator[str]:
    """Yield one line for each thing that has no effect on one pool of whole nodes."""
    yield from pooled(workload)
    asked = int(np.count_nonzero(workload["requested_memory_kb"] > 0))
    if asked:
        yield f"ignored: the requested memory of {asked:,} jobs; every job has whole nodes"


def pooled(workload: Workload, *, described: bool = False) -> Iterator[str]:
    """Yield a line if partitions or queues of the trace became one pool.

    Args:
        workload: the jobs.
        described: whether the platform has the partitions, so that only queues are lost.
    """
    counts = {each: count_of(workload, each) for each in ("partition", "queue")}
    several = [f"{count} {column}s" for column, count in counts.items() if count > 1]
    if described:
        if counts["queue"] > 1 and _finer(workload):
            yield f"ignored: the {counts['queue']} queues of the trace; partitions are kept apart"
    elif several:
        them = "the partitions" if len(several) > 1 else "them"
        yield (
            f"the trace has {' and '.join(several)}; they were one pool: --partitions trace keeps "
            f"{them} apart"
        )


def count_of(workload: Workload, column: str) -> int:
    """Return how many different values the column has."""
    return len(np.unique(workload[column][workload[column] >= 0]))


def _finer(workload: Workload) -> bool:
    """Return whether jobs of one partition were in several queues."""
    pairs = np.column_stack([workload["partition"], workload["queue"]])
    return len(np.unique(pairs, axis=0)) > len(np.unique(pairs[:, 0]))
