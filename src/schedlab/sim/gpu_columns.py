"""The GPUs of nodes one by one, for jobs that take parts of them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from schedlab.errors import PlatformError
from schedlab.platform import Demands, NodeType, Platform
from schedlab.platform.asked import WHOLE_GPU_MILLI

Counts = NDArray[np.int64]
MOST = 64
"""The largest sum, over all types of GPUs, of the most that a node has of a type."""


@dataclass(frozen=True, eq=False)
class GpuColumns:
    """Each GPU as a resource of its own, type by type; a node has 1000 or 0 of it.

    Args:
        first: the column of the first GPU of each type.
        total: number of columns.
        capacity: what a node of each group has, as (group, column).
        others: the columns of the platform's resources that count no GPUs.
    """

    first: dict[str, int]
    total: int
    capacity: Counts
    others: list[int]

    @classmethod
    def of(cls, demands: Demands, platform: Platform) -> GpuColumns:
        """Return the columns of the platform; PlatformError if there are too many."""
        types = [group.type for group in platform.groups]
        kinds = demands.resources.gpu_types
        most = {kind: max(each.gpus.get(kind, 0) for each in types) for kind in kinds}
        total = sum(most.values())
        if total > MOST:
            raise PlatformError(
                f'platform "{platform.name}" has nodes with {total} GPUs, the most of each type '
                f"counted; jobs can take parts of at most {MOST}"
            )
        names = enumerate(demands.resources.names)
        return cls(
            dict(zip(most, accumulate(most.values(), initial=0), strict=False)),
            total,
            np.array([_of_node(each, most) for each in types], dtype=np.int64),
            [at for at, name in names if name != "gpu" and not name.startswith("gpu:")],
        )

    def of_jobs(self, demands: Demands) -> Counts:
        """Return for each job how many GPUs, how much of each, and the first and last column."""
        place, jobs = demands.resources.place, len(demands.gpu_milli)
        counts = demands.per_node[:, place["gpu"]] if "gpu" in place else np.zeros(jobs, np.int64)
        first, last = np.zeros(jobs, np.int64), np.full(jobs, self.total)
        ends = [*self.first.values(), self.total][1:]
        for (kind, begin), end in zip(self.first.items(), ends, strict=True):
            if f"gpu:{kind}" in place:
                own = demands.per_node[:, place[f"gpu:{kind}"]] > 0
                first[own], last[own] = begin, end
        return np.where(
            (counts > 0)[:, None],
            np.column_stack([counts, demands.gpu_milli, first, last]),
            0,
        )


def _of_node(node: NodeType, most: dict[str, int]) -> list[int]:
    return [
        WHOLE_GPU_MILLI if at < node.gpus.get(kind, 0) else 0
        for kind, count in most.items()
        for at in range(count)
    ]


def asks_for_parts(demands: Demands) -> bool:
    """Return whether any job that shares nodes asks for part of a GPU of the platform."""
    parts = (demands.gpu_milli < WHOLE_GPU_MILLI) & ~demands.whole
    return "gpu" in demands.resources.place and bool(parts.any())
