"""The records of the job queue, and how they are sorted."""

from __future__ import annotations

from collections.abc import Callable

from schedlab.slurm.plain.jobs import TwinJob

QueueRecord = tuple[TwinJob, str]
"""A pending job, and one of its partitions."""


def merge_sorted(
    records: list[QueueRecord], before: Callable[[QueueRecord, QueueRecord], bool]
) -> list[QueueRecord]:
    """Sort as the C library's qsort does, which Slurm calls: sorted halves are merged.

    So the order is that of Slurm even where the comparison contradicts itself, as it may with
    preemption.
    """
    if len(records) < 2:
        return records
    middle = len(records) // 2
    one, other = (merge_sorted(half, before) for half in (records[:middle], records[middle:]))
    found = []
    while one and other:
        found.append((other if before(other[0], one[0]) else one).pop(0))
    return found + one + other
