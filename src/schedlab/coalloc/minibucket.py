"""Mini-buckets: a certified bound by DPOP with messages of bounded width.

R. Dechter & I. Rish, "Mini-buckets: a general scheme for bounded inference", JACM 2003.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from schedlab._core import Combine
from schedlab.coalloc.network import ConstraintNetwork
from schedlab.coalloc.node import Cells, JobNode, UtilMessage
from schedlab.coalloc.objective import Criterion
from schedlab.coalloc.orders import make_tree
from schedlab.coalloc.problem import Problem
from schedlab.coalloc.solver import Limits
from schedlab.coalloc.stages import require_memory
from schedlab.coalloc.utility import Utilities, makespan_utilities, sum_utilities

MAX_JOBS = 300
MAX_CELLS = 1 << 23
"""The cells of all messages of a quick bound together; they take a fraction of a second."""


def quick_minibucket_bound(problem: Problem, criterion: Criterion) -> float | None:
    """Return the bound by the widest messages that are quick to compute; None for too many jobs."""
    jobs = range(len(problem.jobs))
    if len(jobs) > MAX_JOBS:
        return None
    values = 1 + max(len(problem.domain(job)) for job in jobs)  # or left out
    width = int(math.log(MAX_CELLS / len(jobs), max(2, values)))
    return minibucket_bound(problem, criterion, max(1, width))


def minibucket_bound(
    problem: Problem,
    criterion: Criterion,
    width: int = 3,
    heuristic: str = "min-fill",
    limits: Limits | None = None,
) -> float:
    """Return a bound that no solution can beat by the criterion.

    It is infinite if a job that must be scheduled fits nowhere.

    Where a message of DPOP would have more variables than the width, the node's constraints and
    its children's messages are put into several buckets, and each takes its own best value. The
    node may then have two values at once, which only makes the bound better than the optimum. A
    message that exceeds the memory limit is refused.
    """
    network = ConstraintNetwork.of(problem, may_leave_out=criterion == "value")
    if min(network.sizes) == 0:
        return math.inf
    values = [job.value for job in problem.jobs]
    utilities = (
        makespan_utilities(network)
        if criterion == "makespan"
        else sum_utilities(network, values, [criterion])
    )
    order = make_tree(network, heuristic).order
    buckets = _Buckets(network, utilities, order, width)
    return utilities.unit * buckets.eliminate(limits or Limits())


@dataclass
class _Bucket:
    """Constraints and messages of one node that are joined before the best is taken."""

    scope: set[int] = field(default_factory=set)
    linked: set[int] = field(default_factory=set)
    messages: list[UtilMessage] = field(default_factory=list)


class _Buckets:
    """Jobs eliminated from the last of the order to the first."""

    def __init__(
        self, network: ConstraintNetwork, utilities: Utilities, order: tuple[int, ...], width: int
    ) -> None:
        self._network, self._utilities, self._width = network, utilities, width
        self._order, self._place = order, {job: at for at, job in enumerate(order)}
        self._inbox: list[list[UtilMessage]] = [[] for _ in order]

    def eliminate(self, limits: Limits) -> float:
        """Return the utility that no solution exceeds."""
        combine = self._utilities.combine
        total = 0.0 if combine is Combine.SUM else np.inf
        for job in reversed(self._order):
            for at, bucket in enumerate(self._buckets(job)):
                self._require_memory(bucket, limits)
                message = self._node(job, bucket, at == 0).util(bucket.messages, limits.threads)
                if message.separator:
                    self._inbox[message.separator[-1]].append(message)
                else:
                    best = float(message.table)
                    total = total + best if combine is Combine.SUM else min(total, best)
            self._inbox[job].clear()
        return total

    def _buckets(self, job: int) -> list[_Bucket]:
        """Put the largest messages first, each into the first bucket that has room for it."""
        buckets = [_Bucket()]
        for message in sorted(self._inbox[job], key=lambda each: -len(each.separator)):
            self._roomy(buckets, message.separator[:-1]).messages.append(message)
        for other in self._network.neighbours[job]:
            if self._place[other] < self._place[job]:
                self._roomy(buckets, (other,)).linked.add(other)
        return buckets

    def _roomy(self, buckets: list[_Bucket], scope: Iterable[int]) -> _Bucket:
        for bucket in buckets:
            if len(bucket.scope.union(scope)) <= self._width:
                break
        else:
            bucket = _Bucket()
            buckets.append(bucket)
        bucket.scope.update(scope)
        return bucket

    def _require_memory(self, bucket: _Bucket, limits: Limits) -> None:
        cells = math.prod(len(self._network.variables[job].starts) for job in bucket.scope)
        require_memory(len(bucket.scope), cells * self._utilities.bytes_per_cell, limits)

    def _node(self, job: int, bucket: _Bucket, first: bool) -> JobNode:
        separator = sorted(bucket.scope, key=self._place.__getitem__)
        variables = self._network.variables
        return JobNode(
            job,
            variables[job],
            self._utility(job, first),
            {other: variables[other] for other in separator},
            frozenset(bucket.linked),
            self._utilities.combine,
        )

    def _utility(self, job: int, first: bool) -> Cells:
        """Return a job's utility; where utilities add up, only for its first bucket.

        Where the worst counts, counting it twice changes nothing.
        """
        own = self._utilities.tables[job]
        return own if first or self._utilities.combine is Combine.WORST else np.zeros_like(own)
