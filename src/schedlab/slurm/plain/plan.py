"""Backfill's table: which nodes are without planned jobs, from when to when."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from itertools import pairwise


@dataclass(slots=True)
class PlanRecord:
    """Nodes that are free of plans for some time."""

    begin_s: int
    end_s: int
    free: frozenset[int]


class BackfillPlan:
    """Records in order of time, from now to the end of bf_window; running jobs are not in it."""

    def __init__(self, begin_s: int, end_s: int, nodes: int) -> None:
        self._all = frozenset(range(nodes))
        self.records = [PlanRecord(begin_s, end_s, self._all)]

    def free_between(
        self, begin_s: int, end_s: int, allowed: frozenset[int]
    ) -> tuple[frozenset[int], int | None]:
        """Return the allowed nodes without plans in that time, and when to look again.

        The second is the end of the first record after which a node is free that was not free
        before; None if there is no such record.
        """
        free, later_s = allowed, None
        for place, record in enumerate(self.records):
            if record.end_s <= begin_s:
                continue
            is_last = place + 1 == len(self.records)
            if later_s is None and not is_last:
                then = allowed & self.records[place + 1].free
                if not then <= free & record.free:
                    later_s = record.end_s
            if record.begin_s > end_s:
                break
            free &= record.free
        return free, later_s

    def collides(self, begin_s: int, end_s: int, nodes: Collection[int]) -> bool:
        """Return whether one of the nodes is planned for another job in that time."""
        return any(
            record.end_s > begin_s and record.begin_s < end_s and not record.free.issuperset(nodes)
            for record in self.records
        )

    def reserve(self, begin_s: int, end_s: int, nodes: Collection[int]) -> None:
        """Plan the nodes for a job, and merge the first two neighbouring records that are equal."""
        found = []
        for record in self.records:
            first, last = max(record.begin_s, begin_s), min(record.end_s, end_s)
            if first >= last:
                found.append(record)
                continue
            if record.begin_s < first:
                found.append(PlanRecord(record.begin_s, first, record.free))
            found.append(PlanRecord(first, last, record.free.difference(nodes)))
            if last < record.end_s:
                found.append(PlanRecord(last, record.end_s, record.free))
        for place, (one, other) in enumerate(pairwise(found)):
            if one.free == other.free:
                found[place : place + 2] = [PlanRecord(one.begin_s, other.end_s, one.free)]
                break
        self.records = found
