"""Pinned plans (on named nodes, kept), by hand: what they wait for, and what may push them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from schedlab import Schedule, Workload, simulate
from schedlab.audit import audit
from schedlab.errors import ParameterError
from schedlab.testing.instances import early_end, jobs
from schedlab.testing.strategies import workloads

CASCADE = "easy-one-reserved:reservation=pinned"
HOLE = "easy-one-reserved:reservation=pinned,push=hole"
UNPUSHED = "fcfs+all-reserved:reservation=pinned"
ALL = (CASCADE, HOLE, UNPUSHED, "wrsabf-or:reservation=pinned", "wrsabf-ar:reservation=pinned")


def nodes_of(schedule: Schedule, job: int) -> list[int]:
    """Return the numbers of the nodes on which the job at this position ran."""
    assert schedule.node_ranges is not None
    return [n for first, last in schedule.node_ranges.of(job) for n in range(first, last + 1)]


def ends_early_elsewhere() -> Workload:
    """Return jobs of which 3 is planned for 5 on the node of job 1; job 2 asks for 9 but ends at 1.

    ::

        node 0   1 1 1 1 1 3 3
        node 1   2 . . . .         free from 1 on, but not what job 3 waits for
    """
    return jobs((0, 1, 5, 5), (0, 1, 9, 1), (0, 1, 2, 2))


@pytest.mark.parametrize("policy", ALL)
def test_a_planned_job_waits_for_its_own_nodes(policy: str) -> None:
    """The other node is free for four seconds before; only a replanned job takes it."""
    schedule = simulate(ends_early_elsewhere(), 2, policy)
    assert schedule.start_s.tolist() == [0, 0, 5]
    assert nodes_of(schedule, 2) == [0]
    assert simulate(ends_early_elsewhere(), 2, "easy-one-reserved").start_s.tolist() == [0, 0, 1]


def second_in_line(late_submission_s: int) -> Workload:
    """Return jobs of which 2 and 3 need the whole machine and are planned for 10 and 12.

    Job 1 ends at 4, and job 4 comes after that.
    """
    rows = ((0, 1, 10, 4), (0, 2, 2, 1), (0, 2, 3, 3), (late_submission_s, 2, 1, 1))
    return jobs(*rows)


def test_plans_are_made_anew_at_submissions_only() -> None:
    """The head keeps its time; job 3 gains from job 2's early end only if a job comes by then."""
    kept = simulate(second_in_line(12), 2, UNPUSHED)
    assert kept.start_s.tolist() == [0, 10, 12, 15]
    anew = simulate(second_in_line(11), 2, UNPUSHED)
    assert anew.start_s.tolist() == [0, 10, 11, 14]


def test_an_early_end_does_not_move_the_head() -> None:
    """Job 1 ends at 4 and asked for 10: the head stays where it is planned."""
    assert simulate(early_end(), 2, CASCADE).start_s.tolist() == [0, 10, 12]


def hole_of_four(request_s: int, head_s: int = 20) -> Workload:
    """Return jobs that leave a hole of 4 s on node 2.

    The head, job 3, is planned for 20 on all nodes; job 4 for 4 on nodes 0 and 2. Job 5 follows
    job 4 there at 8. Job 6 would fit on node 2 from 0 on, but only for 4 s.

    ::

        node 0   1 1 1 1 4 4 4 4 5 5 . .   3
        node 1   2 2 2 2 2 2 2 2 2 2 ...   3
        node 2   . . . . 4 4 4 4 5 5 . .   3
    """
    return jobs(
        (0, 1, 4, 4),
        (0, 1, head_s, head_s),
        (0, 3, 5, 5),
        (0, 2, 4, 4),
        (0, 2, 2, 2),
        (0, 1, request_s, request_s),
    )


def test_nobody_is_pushed_beyond_alpha() -> None:
    """Job 6 asks for 7 s, more than 1.5 times the hole; with all reserved 6 s are too long, too."""
    for policy, request_s in ((CASCADE, 7), (HOLE, 7), (UNPUSHED, 6)):
        start_s = simulate(hole_of_four(request_s), 3, policy).start_s.tolist()
        assert start_s == [0, 0, 20, 4, 8, 10]


def test_a_cascade_keeps_the_order_of_those_it_pushes() -> None:
    """Job 6 runs until 6; job 4 waits for that on its own nodes, and job 5 for job 4."""
    schedule = simulate(hole_of_four(6), 3, CASCADE)
    assert schedule.start_s.tolist() == [0, 0, 20, 6, 10, 0]
    assert nodes_of(schedule, 3) == nodes_of(schedule, 4) == [0, 2]
    assert schedule.first_reserved_s.tolist() == [0, 0, 20, 4, 8, 0]


def test_a_hole_moves_only_those_in_the_way_of_the_job() -> None:
    """Job 4 has no room before job 5, which stays at 8, so job 4 goes behind it."""
    assert simulate(hole_of_four(6), 3, HOLE).start_s.tolist() == [0, 0, 20, 10, 8, 0]


@pytest.mark.parametrize("policy", [CASCADE, HOLE])
def test_the_head_is_never_pushed(policy: str) -> None:
    """Job 6 would be in the head's way at 5, though the hole before job 4 is long enough."""
    start_s = simulate(hole_of_four(6, head_s=5), 3, policy).start_s.tolist()
    assert start_s[2] == 5
    assert start_s[5] > 5


def test_a_withdrawn_job_gives_its_place_back() -> None:
    """Job 2, the head, is withdrawn at 1; job 3 succeeds it and keeps its time, behind the gap.

    Job 4 was planned behind both. When job 5 comes at 2, job 4 is replanned, into the gap.
    """
    rows = ((0, 1, 5, 5), (0, 2, 9, 9), (0, 2, 3, 3), (0, 1, 8, 8), (2, 1, 1, 1))
    schedule = simulate(jobs(*rows, cancel_after_s=[-1, 1, -1, -1, -1]), 2, UNPUSHED)
    assert schedule.first_reserved_s.tolist() == [0, 5, 14, 17, 5]
    assert schedule.start_s.tolist() == [0, -1, 14, 2, 5]


def test_an_overrun_voids_all_plans() -> None:
    """Job 1 asked for 3 and runs for 6, so the next job cannot start at 3 on any node."""
    rows = ((0, 2, 3, 6), (0, 2, 2, 2), (0, 1, 1, 1))
    schedule = simulate(jobs(*rows), 2, CASCADE, kill_at_request=False)
    assert schedule.first_reserved_s.tolist() == [0, 3, 5]
    assert schedule.start_s.tolist() == [0, 6, 8]


@settings(max_examples=100, deadline=None)
@given(workload=workloads(max_nodes=8, max_jobs=20))
def test_the_promise_of_a_head_is_kept_to_the_second(workload: Workload) -> None:
    """Without withdrawals and dependencies, the first job that has to wait is the head at once.

    A job can begin to wait in the second in which another became the head: behind a job of 0 s.
    """
    nobody = np.full(len(workload), -1)
    plain = workload.replace(cancel_after_s=nobody, depends_on=nobody)
    for policy in ALL:
        schedule = simulate(plain, 8, policy)
        waited = np.flatnonzero(schedule.start_s > schedule.eligible_s)
        for head in sorted(waited, key=lambda job: (schedule.eligible_s[job], job))[:1]:
            assert schedule.start_s[head] == schedule.first_reserved_s[head]


def test_push_is_for_pinned_plans() -> None:
    """Plans that only count nodes have no nodes from which to be pushed."""
    with pytest.raises(ParameterError, match=r"push=hole is for reservation=pinned"):
        simulate(early_end(), 2, "easy-one-reserved:push=hole")


@pytest.mark.parametrize("policy", ALL)
def test_an_audit_tells_the_two_starts(policy: str) -> None:
    """The audit does not list the rules one by one, but it names the first departure."""
    verdict = audit(simulate(ends_early_elsewhere(), 2, "easy-one-reserved"), policy)
    assert verdict.departure is not None
    assert verdict.departure.sentence.startswith("job 3 started at 1; under ")
    assert audit(simulate(ends_early_elsewhere(), 2, policy), policy).departure is None
