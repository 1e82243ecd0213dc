"""What a trace tells of its jobs and a simulation has no use for."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from schedlab.workload.workload import Workload


def ignored(workload: Workload) -> Iterator[str]:
    """One line on partitions, queues and requested memory, where the trace has them.

    A simulation has one pool of nodes, and each node takes one job.
    """
    found = [
        f"{count} {column}s"
        for column in ("partition", "queue")
        if (count := len(np.unique(workload[column][workload[column] >= 0]))) > 1
    ]
    asked = int(np.count_nonzero(workload["requested_memory_kb"] > 0))
    if asked:
        found.append(f"the requested memory of {asked:,} jobs")
    if found:
        listed = " and ".join([", ".join(found[:-1]), found[-1]] if len(found) > 1 else found)
        pick = "; the transforms partition and queue pick jobs" if listed[0].isdigit() else ""
        yield f"ignored: {listed}; all nodes are one pool{pick}"
