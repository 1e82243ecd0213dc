"""One node of a pseudo tree: what an agent computes for its job, from messages alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schedlab import _core
from schedlab._core import Combine
from schedlab.coalloc.network import LEFT_OUT, Variable

Cells = NDArray[np.floating[Any]]
"""Numbers of 4 or of 8 bytes, the same in a whole tree."""

_UTIL_TABLE: dict[np.dtype[Any], Callable[..., Cells]] = {
    np.dtype(np.float32): _core.util_table_float32,
    np.dtype(np.float64): _core.util_table_float64,
}


@dataclass(frozen=True)
class UtilMessage:
    """The best utility of a subtree for each combination of its separator's values."""

    separator: tuple[int, ...]
    table: Cells
    """One axis for each job of the separator; minus infinity where nothing is feasible."""


@dataclass(frozen=True)
class JobNode:
    """A job with all it knows of others: its ancestors' variables, and shared resources.

    UTIL goes up: a node joins its children's messages with its own utilities and constraints and
    takes the best over its own values. VALUE comes down: with its ancestors' values known, a node
    chooses its own from the same messages.
    """

    job: int
    own: Variable
    utility: Cells
    """The utility of each of its values."""
    separator: Mapping[int, Variable]
    """Its separator, in the order of the tree: the parent is the last."""
    linked: frozenset[int]
    """Jobs of the separator that this job itself must not overlap with."""
    combine: Combine

    def util(self, children: Sequence[UtilMessage], threads: int = 1) -> UtilMessage:
        """Return the message to the parent; at a root, the best utility as one number."""
        place = {job: at for at, job in enumerate(self.separator)}
        table = _UTIL_TABLE[self.utility.dtype](
            self.own.starts,
            self.own.slots,
            self.utility,
            [(each.starts, each.slots, job in self.linked) for job, each in self.separator.items()],
            [(child.table, [place[job] for job in child.separator[:-1]]) for child in children],
            self.combine,
            threads,
        )
        return UtilMessage(tuple(self.separator), table)

    def choose(self, values: Mapping[int, int], children: Sequence[UtilMessage]) -> int:
        """Return its best value, given those of its separator: the first slot, or LEFT_OUT.

        Of equally good ones it is the earliest, and LEFT_OUT only where that is better.
        """
        row = self.utility.copy()
        for job in self.linked:
            row[~self.own.beside(self.separator[job], values[job])] = -np.inf
        for child in children:
            at = tuple(self._place(job, values[job]) for job in child.separator[:-1])
            if self.combine is Combine.SUM:
                row += child.table[at]
            else:
                np.minimum(row, child.table[at], out=row)
        best = np.flatnonzero(row == row.max())
        last_resort = len(best) > 1 and self.own.starts[best[0]] == LEFT_OUT
        return int(self.own.starts[best[1 if last_resort else 0]])

    def _place(self, job: int, value: int) -> int:
        return int(np.searchsorted(self.separator[job].starts, value))
