"""The times when nodes are not open to all jobs: outages, drains and reservations."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from schedlab.platform import Drain, Outage, Platform, Reservation
from schedlab.platform.intervals import NodeInterval
from schedlab.testing.reference.remembered import remembered
from schedlab.workload import Workload
from schedlab.workload.labels import label_of

Kind = Literal["outage", "drain", "reservation"]
KINDS: dict[type[NodeInterval], Kind] = {
    Outage: "outage",
    Drain: "drain",
    Reservation: "reservation",
}


@dataclass(frozen=True)
class ClosedTime:
    """A period in which some nodes are closed to all jobs but the guests, given by position."""

    kind: Kind
    begin_s: int
    end_s: float  # infinite if it does not end
    nodes: frozenset[int]
    guests: frozenset[int] = frozenset()

    def bars(self, job: int, start_s: int, end_s: int) -> bool:
        """Return whether the job may not hold the nodes from start to end."""
        if self.kind == "drain":
            return self.begin_s <= start_s < self.end_s
        return self.begin_s < end_s and start_s < self.end_s and job not in self.guests


@remembered
def calendar_of(platform: Platform, workload: Workload) -> tuple[ClosedTime, ...]:
    """Return the calendar of the platform, for the jobs of the workload."""
    return tuple(
        ClosedTime(
            KINDS[type(each)],
            each.begin_s,
            math.inf if each.end_s is None else each.end_s,
            frozenset(nodes.tolist()),
            _guests(each, workload) if isinstance(each, Reservation) else frozenset(),
        )
        for each, nodes in platform.intervals()
    )


def _guests(reservation: Reservation, workload: Workload) -> frozenset[int]:
    codes = zip(workload["user"].tolist(), workload["account"].tolist(), strict=True)
    return frozenset(
        position
        for position, (user, account) in enumerate(codes)
        if label_of(workload, "user", user) in reservation.users
        or label_of(workload, "account", account) in reservation.accounts
    )
