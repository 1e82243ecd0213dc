"""How a machine changes while jobs run, in the form that the core takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schedlab import _core
from schedlab.platform import Drain, Failure, Outage, Platform, Reservation
from schedlab.platform.intervals import NodeInterval
from schedlab.workload import Workload
from schedlab.workload.labels import label_of

_KINDS: dict[type[NodeInterval], int] = {Outage: 0, Drain: 1, Reservation: 2}


@dataclass(frozen=True, eq=False)
class Guests:
    """Groups of jobs to which the same reservations are open.

    Args:
        group: the group of each job.
        open_to: whether an interval is open to a group, as (group, interval), with the intervals
            in the order of ``Platform.intervals``.
    """

    group: NDArray[np.int32]
    open_to: NDArray[np.bool_]

    @classmethod
    def of(cls, workload: Workload, platform: Platform) -> Guests:
        """Return the groups of the workload's jobs."""
        intervals = [each for each, _ in platform.intervals()]
        if not any(isinstance(each, Reservation) for each in intervals):
            none = np.zeros((1, len(intervals)), dtype=bool)
            return cls(np.zeros(len(workload), dtype=np.int32), none)
        is_guest = np.zeros((len(workload), len(intervals)), dtype=bool)
        for place, interval in enumerate(intervals):
            if isinstance(interval, Reservation):
                is_guest[:, place] |= _named(workload, "user", interval.users)
                is_guest[:, place] |= _named(workload, "account", interval.accounts)
        open_to, group = np.unique(is_guest, axis=0, return_inverse=True)
        if not len(workload):
            open_to = np.zeros((1, len(intervals)), dtype=bool)
        return cls(group.reshape(-1).astype(np.int32), open_to)


def _named(workload: Workload, column: str, names: Sequence[str]) -> NDArray[np.bool_]:
    codes = np.unique(workload[column]).tolist() if names else []
    named = [code for code in codes if label_of(workload, column, code) in names]
    return np.isin(workload[column], named)


def seen(time_s: int, tick: int) -> int:
    """Return when something at this time is seen: at once, or at the next tick."""
    return -(-time_s // tick) * tick if tick else time_s


def machine_changes(
    platform: Platform, guests: Guests, failures: Sequence[Failure], tick: int
) -> _core.MachineChanges | None:
    """Return the platform's calendar, capacities and failures; None if nothing changes."""
    changes = _core.MachineChanges()
    intervals = _seen_intervals(platform, tick)
    total = platform.nodes + len(platform.consumables)
    for begin_s, _, interval, nodes, end_s in intervals:
        kind = _KINDS[type(interval)]
        changes.add_interval(kind, begin_s, end_s, total, nodes.astype(np.int32))
    for open_to in in_core_order(guests, platform, tick):
        changes.add_guests(open_to)
    # Of several steps that are seen at one tick, only the last counts.
    steps = {
        (seen(step.at_s, tick), place): step.capacity
        for place, each in enumerate(platform.consumables)
        for step in each.steps
    }
    for (at_s, place), capacity in sorted(steps.items(), key=lambda step: step[0][0]):
        changes.add_step(at_s, platform.nodes + place, capacity)
    for failure in failures:
        up_s = seen(failure.at_s + failure.repair_s, tick)
        changes.add_failure(failure.node, seen(failure.at_s, tick), up_s)
    return changes if intervals or steps or failures else None


def in_core_order(guests: Guests, platform: Platform, tick: int) -> list[list[bool]]:
    """Return for each group which intervals are open to it, in the order that the core has."""
    places = [place for _, place, *_ in _seen_intervals(platform, tick)]
    return [[bool(row[place]) for place in places] for row in guests.open_to]


def _seen_intervals(
    platform: Platform, tick: int
) -> list[tuple[int, int, NodeInterval, NDArray[np.int64], int | None]]:
    """Return the intervals in order of their begin, without those that lie between two ticks."""
    found = []
    for place, (each, nodes) in enumerate(platform.intervals()):
        begin_s = seen(each.begin_s, tick)
        end_s = None if each.end_s is None else seen(each.end_s, tick)
        if end_s is None or begin_s < end_s:
            found.append((begin_s, place, each, nodes, end_s))
    return sorted(found, key=lambda each: each[:2])
