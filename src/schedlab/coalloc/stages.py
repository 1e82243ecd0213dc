"""Objectives in lexicographic order, solved by passes of DPOP.

Total value and sum of starts add up over the jobs: any sequence of them is one pass. The makespan
does not add up, but "no later than slot M" only restricts domains. As the first criterion it takes
one pass in which the worst part counts; after other criteria it is the smallest M that costs them
nothing, found by bisection. Later criteria are optimised with domains that end there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from schedlab.coalloc.messages import MessageStatistics
from schedlab.coalloc.network import LEFT_OUT, ConstraintNetwork
from schedlab.coalloc.objective import Criterion, Objective
from schedlab.coalloc.propagation import Optimum, Propagate, messages_of_pass, propagate
from schedlab.coalloc.pseudotree import PseudoTree
from schedlab.coalloc.solver import Limits
from schedlab.coalloc.utility import Utilities, makespan_utilities, sum_utilities
from schedlab.errors import MemoryLimitError
from schedlab.units import short_bytes

T = TypeVar("T")

DEFAULT_MEMORY_BYTES = 2 * 2**30
"""The limit where none is given."""


@dataclass
class Stages:
    """Passes over one tree, whose messages are counted together."""

    network: ConstraintNetwork
    tree: PseudoTree
    values: Sequence[float]
    """What each job is worth."""
    limits: Limits
    propagate: Propagate = propagate
    passes: list[MessageStatistics] = field(default_factory=list)

    def optimise(self, objective: Objective) -> Optimum:
        """Return the optimum by all criteria, one after the other."""
        before, makespan, after = _parted(objective.criteria, "makespan")
        if min(self.network.sizes) == 0:
            return Optimum(-np.inf, ())
        if before:
            found = self._sums(before)
            found = self._shortest(found, before) if makespan else found
        else:
            found = self._pass(self.network, makespan_utilities(self.network))
        if not after or not found.values:
            return found
        return self._sums([*before, *after], self._makespan(found))

    def _shortest(self, found: Optimum, before: Sequence[Criterion]) -> Optimum:
        """Return the same optimum by the criteria before, with the smallest makespan."""
        too_short = -1
        while found.values and self._makespan(found) > too_short + 1:
            middle = (too_short + self._makespan(found)) // 2
            tried = self._sums(before, middle)
            if tried.utility == found.utility:
                found = tried
            else:
                too_short = middle
        return found

    def _makespan(self, found: Optimum) -> int:
        pairs = zip(found.values, self.network.variables, strict=True)
        return max(
            (value + each.slots - 1 for value, each in pairs if value != LEFT_OUT), default=0
        )

    def _sums(self, criteria: Sequence[Criterion], last_slot: int | None = None) -> Optimum:
        """Optimise by criteria that add up, with no slot used after the last."""
        utilities = sum_utilities(self.network, self.values, criteria)
        if last_slot is None:
            return self._pass(self.network, utilities)
        kept = [each.until(last_slot) for each in self.network.variables]
        return self._pass(self.network.keep(kept), utilities.keep(kept))

    def once(self, utilities: Utilities) -> Optimum:
        """Return the optimum by given utilities."""
        return self._pass(self.network, utilities)

    def _pass(self, network: ConstraintNetwork, utilities: Utilities) -> Optimum:
        statistics = messages_of_pass(self.tree, network.sizes, utilities.bytes_per_cell)
        require_memory(statistics.width, statistics.bytes, self.limits)
        self.passes.append(statistics)
        return self.propagate(network, self.tree, utilities, self.limits.threads)


def require_memory(width: int, needed_bytes: int, limits: Limits) -> None:
    """Refuse messages that do not fit, before any is made."""
    if needed_bytes > memory_bytes(limits):
        raise MemoryLimitError(
            f"messages of up to {width} variables need {short_bytes(needed_bytes)}; the memory "
            f"limit is {short_bytes(memory_bytes(limits))}: allow more, or bound the width with "
            "wd:width=... or dpop:relax=wd"
        )


def memory_bytes(limits: Limits) -> int:
    """Return the memory that the messages of a pass may need together."""
    return DEFAULT_MEMORY_BYTES if limits.memory_bytes is None else limits.memory_bytes


def _parted(criteria: Sequence[T], at: T) -> tuple[list[T], list[T], list[T]]:
    listed = list(criteria)
    if at not in listed:
        return listed, [], []
    place = listed.index(at)
    return listed[:place], [at], listed[place + 1 :]
