"""Min-fill as the textbook has it: every pair of neighbours is checked in each step."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from schedlab.coalloc.network import Neighbours


def plain_min_fill(neighbours: Neighbours, ranks: Sequence[int]) -> list[int]:
    """The same order as ``schedlab.coalloc.orders.min_fill``, ancestors first."""
    near = {job: set(others) for job, others in enumerate(neighbours)}
    order = []
    while near:
        job = min(near, key=lambda each: (_joined(near, each), len(near[each]), ranks[each]))
        around = near.pop(job)
        for other in around:
            near[other] |= around - {other}
            near[other].discard(job)
        order.append(job)
    return order[::-1]


def _joined(near: dict[int, set[int]], job: int) -> int:
    """How many pairs of neighbours the elimination of the job would join."""
    return sum(one not in near[other] for one, other in combinations(near[job], 2))
