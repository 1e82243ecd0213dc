"""Name nodes for a schedule that only says how many each job used."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from schedlab import _core
from schedlab.errors import WorkloadError
from schedlab.sim.cluster_needs import ClusterNeeds
from schedlab.sim.node_ranges import NodeRanges


def name_nodes(
    start_s: NDArray[np.int64], end_s: NDArray[np.int64], nodes: NDArray[np.int64], total: int
) -> NodeRanges:
    """Give each job the lowest numbers that are free at its start, as the simulator does.

    A job that never ran (start -1) gets none. At one instant ends come first, then jobs that run
    for 0 s, then the other starts.
    """
    try:
        return NodeRanges(*_core.name_nodes(_events(start_s, end_s), nodes, total))
    except IndexError as error:
        job = int(str(error))
        raise WorkloadError(
            f"{nodes[job]} nodes start at {start_s[job]} s, more than are free of {total}"
        ) from None


def name_cluster_nodes(
    start_s: NDArray[np.int64], end_s: NDArray[np.int64], needs: ClusterNeeds
) -> NodeRanges:
    """Give each job the lowest free numbers on each of the clusters that it names."""
    first_node = np.cumsum([0, *needs.clusters])
    parts = [
        name_nodes(start_s, end_s, nodes, total)
        for nodes, total in zip(needs.by_cluster(), needs.clusters, strict=True)
    ]
    shift = np.repeat(first_node[:-1], [len(part.first) for part in parts]).astype(np.int32)
    job = np.concatenate([part.job() for part in parts])
    first = np.concatenate([part.first for part in parts]) + shift
    last = np.concatenate([part.last for part in parts]) + shift
    order = np.argsort(job, kind="stable")
    counts = np.bincount(job, minlength=len(start_s))
    return NodeRanges(np.concatenate([[0], np.cumsum(counts)]), first[order], last[order])


def _events(start_s: NDArray[np.int64], end_s: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the job of every start and end, in the order in which they happen."""
    ran = np.flatnonzero(start_s >= 0)
    lasting = ran[end_s[ran] > start_s[ran]]
    instant = np.repeat(ran[end_s[ran] == start_s[ran]], 2)
    job = np.concatenate([lasting, instant, lasting])
    kind = np.repeat([0, 1, 2], [len(lasting), len(instant), len(lasting)])
    when = np.concatenate([end_s[lasting], start_s[instant], start_s[lasting]])
    return job[np.lexsort((job, kind, when))]
