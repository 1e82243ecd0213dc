"""Properties of a trace that a simulation does not use are reported in one line."""

from __future__ import annotations

from typing import Any

import pytest

from schedlab.workload import Workload
from schedlab.workload.ignored import ignored, pooled

POOL = "they were one pool: --partitions trace keeps"


def three_jobs(**columns: Any) -> Workload:
    """Return jobs with these columns besides the usual ones."""
    same = {"submit_s": [0, 0, 0], "nodes": [1, 1, 1], "request_s": [9, 9, 9], "run_s": [1, 1, 1]}
    return Workload({"job_id": [1, 2, 3], **same, **columns})


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({}, []),
        ({"partition": [1, 1, -1], "queue": [2, 2, 2], "requested_memory_kb": [-1, 0, -1]}, []),
        ({"partition": [1, 2, -1]}, [f"the trace has 2 partitions; {POOL} them apart"]),
        ({"queue": [1, 2, 3]}, [f"the trace has 3 queues; {POOL} them apart"]),
        (
            {"requested_memory_kb": [-1, 9, 9]},
            ["ignored: the requested memory of 2 jobs; every job has whole nodes"],
        ),
        (
            {"partition": [1, 2, 3], "queue": [0, 1, 1], "requested_memory_kb": [9, 9, 9]},
            [
                f"the trace has 3 partitions and 2 queues; {POOL} the partitions apart",
                "ignored: the requested memory of 3 jobs; every job has whole nodes",
            ],
        ),
    ],
)
def test_partitions_queues_and_memory_are_told(columns: dict[str, Any], said: list[str]) -> None:
    """A trace of one partition and one queue loses nothing, so no line is printed."""
    assert list(ignored(three_jobs(**columns))) == said


def test_queues_within_partitions_are_told() -> None:
    """Queues with the same jobs as partitions are kept apart with them."""
    finer = three_jobs(partition=[1, 2, 2], queue=[0, 1, 2])
    said = ["ignored: the 3 queues of the trace; partitions are kept apart"]
    assert list(pooled(finer, described=True)) == said
    same = three_jobs(partition=[1, 2, 2], queue=[0, 1, 1])
    assert list(pooled(same, described=True)) == []
