"""The head of the queue is never delayed by a job that overtakes it, under any family."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from schedlab import Schedule, Workload, simulate
from schedlab.testing.strategies import workloads

NODES = 8
REPLANNED = (
    "easy",
    "easy-one-reserved",
    "easy-one-reserved:alpha=inf",
    "wrsabf-or",
    "wrsabf-ar",
    "sjf+one-reserved",
)
FROZEN = (
    "easy-one-reserved:reservation=frozen",
    "wrsabf-or:reservation=frozen",
    "wrsabf-ar:reservation=frozen",
)


class Heads:
    """A schedule seen from its heads: jobs by arrival, each the head once all older ones left."""

    def __init__(self, schedule: Schedule) -> None:
        self.start = schedule.start_s
        self.end = schedule.end_s
        self.nodes = schedule.workload["nodes"]
        self.release = self.start + schedule.workload["request_s"]
        self.by_arrival = np.lexsort((np.arange(len(schedule)), schedule.eligible_s))
        self.eligible = schedule.eligible_s

    def became_head(self, place: int) -> int:
        """Return when the job at this place of the arrivals was first the oldest that waits."""
        older = self.start[self.by_arrival[:place]]
        return int(max(self.eligible[self.by_arrival[place]], older.max(initial=0)))

    def shadow(self, place: int, now: int, younger: bool) -> int:
        """Return when the head could start by requests, with younger jobs started now or not."""
        head, running = self.by_arrival[place], (self.start <= now) & (self.end > now)
        if not younger:
            running[self.by_arrival[place + 1 :]] &= self.start[self.by_arrival[place + 1 :]] < now
        free = NODES - int(self.nodes[running].sum())
        ready = now
        for job in sorted(np.flatnonzero(running), key=lambda job: self.release[job]):
            if free >= self.nodes[head]:
                break
            free, ready = free + int(self.nodes[job]), int(self.release[job])
        return ready


def plain(workload: Workload) -> Workload:
    """Return the same jobs without withdrawals and without jobs of no length."""
    never = np.full(len(workload), -1)
    return workload.replace(cancel_after_s=never, run_s=np.maximum(workload["run_s"], 1))


@pytest.mark.parametrize("policy", REPLANNED)
@settings(max_examples=100, deadline=None)
@given(workload=workloads(max_nodes=NODES, max_jobs=20))
def test_no_backfill_delays_the_head(policy: str, workload: Workload) -> None:
    """A job that starts beside a waiting head does not change when the head can start."""
    heads = Heads(simulate(plain(workload), NODES, policy))
    for place, job in enumerate(heads.by_arrival):
        instants = np.union1d(heads.start, [heads.became_head(place)])
        for now in instants[(instants >= heads.became_head(place)) & (instants < heads.start[job])]:
            before = heads.shadow(place, int(now), younger=False)
            assert heads.shadow(place, int(now), younger=True) == before
            assert heads.start[job] <= before


@pytest.mark.parametrize("policy", FROZEN[:2])
@settings(max_examples=100, deadline=None)
@given(workload=workloads(max_nodes=NODES, max_jobs=20))
def test_a_frozen_head_starts_exactly_when_first_reserved(policy: str, workload: Workload) -> None:
    """It starts no later, whatever overtakes it, and no earlier, whatever ends before its time."""
    heads = Heads(simulate(plain(workload), NODES, policy))
    for place, job in enumerate(heads.by_arrival):
        since = heads.became_head(place)
        if heads.start[job] > since:
            assert heads.start[job] == heads.shadow(place, since, younger=False)


@settings(max_examples=100, deadline=None)
@given(workload=workloads(max_nodes=NODES, max_jobs=20))
def test_frozen_reservations_of_all_are_kept_to_the_second(workload: Workload) -> None:
    """With every job reserved once and for all, each starts exactly at its promise."""
    schedule = simulate(plain(workload), NODES, FROZEN[2])
    assert np.array_equal(schedule.start_s, schedule.first_reserved_s)
