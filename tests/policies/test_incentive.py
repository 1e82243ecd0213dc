"""Incentive backfilling: WRSA by hand, and what the families have in common with others."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from schedlab import Workload, simulate
from schedlab._core import WrsaOrder
from schedlab.testing.instances import jobs
from schedlab.testing.strategies import workloads

# submit, nodes, request, run
SERIES = ((0, 1, 10, 5), (20, 1, 10, 10), (40, 1, 10, 1), (60, 1, 10, 1))


def accuracy_after(workload: Workload, user: int) -> float:
    """Return the WRSA of a user when all jobs have ended."""
    order = WrsaOrder()
    simulate(workload, 1, order)
    return order.wrsa(user)


def test_wrsa_by_hand() -> None:
    """WRSA is 1 at first, then 0.3 of itself and 0.7 of run / request with each job that ends."""
    seen = [accuracy_after(jobs(*SERIES[:count], user=[1] * count), 1) for count in (1, 2, 3)]
    first = 0.3 * 1 + 0.7 * 0.5
    second = 0.3 * first + 0.7 * 1
    third = 0.3 * second + 0.7 * 0.1
    assert WrsaOrder().wrsa(1) == 1
    assert seen == pytest.approx([first, second, third])


def test_every_user_has_an_accuracy_of_their_own() -> None:
    """What one user asks for does not count against another."""
    three = jobs(*SERIES[:3], user=[1, 2, 1])
    assert accuracy_after(three, 1) == pytest.approx(0.3 * 0.65 + 0.7 * 0.1)
    assert accuracy_after(three, 2) == 1


def test_a_killed_job_used_all_it_asked_for() -> None:
    """Its run / request is 1: no accuracy is lost by asking for too little."""
    assert accuracy_after(jobs((0, 1, 10, 50), (20, 1, 10, 10), user=[1, 1]), 1) == 1


def test_the_accurate_user_goes_first() -> None:
    """Both users' jobs wait; the second user has asked accurately, the first has not."""
    rows = ((0, 1, 100, 10), (0, 1, 10, 10), (5, 2, 50, 50), (6, 2, 50, 50))
    workload = jobs(*rows, user=[1, 2, 1, 2])
    assert simulate(workload, 2, "fcfs").start_s.tolist() == [0, 0, 10, 60]
    assert simulate(workload, 2, "wrsa").start_s.tolist() == [0, 0, 60, 10]


def test_the_head_is_the_oldest_of_all_however_small_the_depth() -> None:
    """The long job is not among the two shortest, yet it is the head once the older one starts."""
    rows = ((0, 1, 10, 10), (0, 1, 100, 100), (0, 1, 5, 5))
    schedule = simulate(jobs(*rows), 1, "sjf+one-reserved:reservation=frozen,depth=2")
    assert schedule.first_reserved_s.tolist() == [-1, 10, 110]
    assert schedule.start_s.tolist() == [0, 10, 110]


def equal_accuracy(workload: Workload) -> Workload:
    """Return the same jobs, all from different users, so that each WRSA is 1 while waiting."""
    return workload.replace(user=np.arange(len(workload)))


@settings(max_examples=200, deadline=None)
@given(workload=workloads(max_nodes=8, max_jobs=20))
def test_with_equal_accuracy_one_reserved_is_easybf(workload: Workload) -> None:
    """In the paper's rows of 100 % WRA the incentive has no user to prefer."""
    same = equal_accuracy(workload)
    one_reserved, incentive = simulate(same, 8, "easy-one-reserved"), simulate(same, 8, "wrsabf-or")
    assert np.array_equal(one_reserved.start_s, incentive.start_s)


@settings(max_examples=200, deadline=None)
@given(workload=workloads(max_nodes=8, max_jobs=20))
def test_without_a_limit_one_reserved_is_textbook_easy(workload: Workload) -> None:
    """With alpha = inf no plan but the head's stands in the way, which is EASY's rule."""
    unlimited = simulate(workload, 8, "easy-one-reserved:alpha=inf")
    assert np.array_equal(unlimited.start_s, simulate(workload, 8, "easy").start_s)


@settings(max_examples=200, deadline=None)
@given(workload=workloads(max_nodes=8, max_jobs=20))
def test_all_reserved_by_arrival_is_conservative(workload: Workload) -> None:
    """The oldest job is the first of the queue, and every job is replanned."""
    planned = simulate(workload, 8, "fcfs+all-reserved")
    rebuilt = simulate(workload, 8, "conservative:rebuild=true")
    assert np.array_equal(planned.start_s, rebuilt.start_s)


def test_a_job_may_push_back_a_plan_but_not_the_head() -> None:
    """The fourth job is planned for 10 beside the head; the fifth may hold its nodes until 14.

    ::

        nodes 0-1  AAAAAAAAAA HHHHHHHHHH          A runs until 10, then the head H
        node  2    BBBBBBBBBB ...                 B runs until 10
        node  3    (hole of 10 s before C's plan)
    """
    rows = ((0, 2, 10, 10), (0, 1, 10, 10), (0, 2, 10, 10), (0, 2, 20, 20), (0, 1, 14, 14))
    starts = {
        policy: simulate(jobs(*rows), 4, policy).start_s.tolist()
        for policy in (
            "fcfs+all-reserved",
            "easy-one-reserved:alpha=1.5",
            "easy-one-reserved:alpha=1.3",
        )
    }
    assert starts["fcfs+all-reserved"][4] == starts["easy-one-reserved:alpha=1.3"][4]
    assert starts["easy-one-reserved:alpha=1.5"][4] == 0
    heads = {start[2] for start in starts.values()}
    assert heads == {10}
