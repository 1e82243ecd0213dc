"""What a simulation has no use for is said in one line."""

from __future__ import annotations

from typing import Any

import pytest

from schedlab.workload import Workload
from schedlab.workload.ignored import ignored

PICK = "; the transforms partition and queue pick jobs"


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({}, []),
        ({"partition": [1, 1, -1], "queue": [2, 2, 2], "requested_memory_kb": [-1, 0, -1]}, []),
        ({"partition": [1, 2, -1]}, [f"ignored: 2 partitions; all nodes are one pool{PICK}"]),
        (
            {"requested_memory_kb": [-1, 9, 9]},
            ["ignored: the requested memory of 2 jobs; all nodes are one pool"],
        ),
        (
            {"partition": [1, 2, 3], "queue": [0, 1, 1], "requested_memory_kb": [9, 9, 9]},
            [
                "ignored: 3 partitions, 2 queues and the requested memory of 3 jobs; "
                f"all nodes are one pool{PICK}"
            ],
        ),
    ],
)
def test_partitions_queues_and_memory_are_told(columns: dict[str, Any], said: list[str]) -> None:
    """A trace of one partition and one queue loses nothing, and nothing is said."""
    same = {"submit_s": [0, 0, 0], "nodes": [1, 1, 1], "request_s": [9, 9, 9], "run_s": [1, 1, 1]}
    assert list(ignored(Workload({"job_id": [1, 2, 3], **same, **columns}))) == said
