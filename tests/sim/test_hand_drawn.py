"""Policies on small instances drawn by hand; the reference and the core must both agree.

In the drawings time runs to the right, one column a second unless a scale is given, and node 0 is
at the bottom; a letter is the running job (A is job 1, B job 2, ...), a dot an idle node.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from schedlab.sim import JobOutcome
from schedlab.testing import ReferenceSchedule
from schedlab.testing.instances import (
    early_end,
    head_blocked,
    jobs,
    second_in_queue_at_risk,
    two_candidates,
)

Run = Callable[..., ReferenceSchedule]


def test_first_come_first_served_leaves_a_hole_before_a_wide_job(run: Run) -> None:
    """Without backfilling no job overtakes B, although two nodes are idle.

    ::

        . . . . . . B B B . . . . . . .
        . . . . . . B B B D D D D D . .
        A A A A A A B B B D D D D D . .
        A A A A A A B B B C C C C C C C
    """
    assert run(head_blocked(), 4, "fcfs").start_s == [0, 6, 9, 9]


def test_easy_fills_the_hole_without_delaying_the_head(run: Run) -> None:
    """D ends before the shadow time 6 and may overtake; C would delay B and may not.

    The example follows Mu'alem and Feitelson (TPDS 2001), with a candidate of each kind.

    ::

        D D D D D . B B B . . . . . . .
        D D D D D . B B B . . . . . . .
        A A A A A A B B B . . . . . . .
        A A A A A A B B B C C C C C C C
                    ^ shadow time
    """
    schedule = run(head_blocked(), 4, "easy")
    assert schedule.start_s == [0, 6, 9, 0]
    assert schedule.first_reserved_s == [-1, 6, 9, -1]
    assert schedule.nodes_of == [[0, 1], [0, 1, 2, 3], [0], [2, 3]]


def test_a_candidate_that_ends_exactly_at_the_shadow_time_may_start(run: Run) -> None:
    """C may start, since B's nodes are still free at 4: completions come before starts.

    ::

        C C C C B B
        A A A A B B
    """
    workload = jobs((0, 1, 4, 4), (0, 2, 2, 2), (0, 1, 4, 4))
    assert run(workload, 2, "easy").start_s == [0, 4, 0]


def test_easy_backfills_past_the_shadow_time_on_extra_nodes(run: Run) -> None:
    """B leaves one extra node at its start; C may hold it, but D would be one too many.

    ::

        . . . . B B B . . . . . . . . . .
        . . . . B B B . . . . . . . . . .
        C C C C C C C C C C . . . . . . .
        A A A A B B B . . . . . . . . . .
        A A A A B B B D D D D D D D D D D
                ^ shadow time, one extra node
    """
    workload = jobs((0, 2, 4, 4), (0, 4, 3, 3), (0, 1, 10, 10), (0, 1, 10, 10))
    schedule = run(workload, 5, "easy")
    assert schedule.start_s == [0, 4, 0, 7]
    assert schedule.nodes_of == [[0, 1], [0, 1, 3, 4], [2], [0]]


def test_easy_may_delay_the_second_job_of_the_queue(run: Run) -> None:
    """EASY protects only the head B: D starts on an extra node and C has to wait for it.

    ::

        D D D D D D C C C C
        A A A A . . C C C C
        A A A A B B B B . .
        A A A A B B B B . .
    """
    schedule = run(second_in_queue_at_risk(), 4, "easy")
    assert schedule.start_s == [0, 4, 6, 0]
    assert schedule.first_reserved_s == [-1, 4, 6, -1]


def test_conservative_protects_every_job(run: Run) -> None:
    """C is promised 4 as well, so D may not start before 8.

    ::

        . . . . C C C C . . . . . .
        A A A A C C C C . . . . . .
        A A A A B B B B . . . . . .
        A A A A B B B B D D D D D D
    """
    schedule = run(second_in_queue_at_risk(), 4, "conservative")
    assert schedule.start_s == [0, 4, 4, 8]
    assert schedule.first_reserved_s == [0, 4, 4, 8]


def test_backfilling_tries_candidates_in_queue_order(run: Run) -> None:
    """C came before D and takes the hole.

    ::

        C C C C C C C C . . B B . . .
        C C C C C C C C . . B B . . .
        A A A A A A A A A A B B D D D
        A A A A A A A A A A B B D D D
    """
    assert run(two_candidates(), 4, "easy").start_s == [0, 10, 0, 12]


def test_shortest_job_backfilled_first_tries_the_shortest(run: Run) -> None:
    """With SJBF (Tsafrir et al. 2007) D takes the hole; afterwards C is too long for it.

    ::

        D D D . . . . . . . B B . . . . . . . .
        D D D . . . . . . . B B . . . . . . . .
        A A A A A A A A A A B B C C C C C C C C
        A A A A A A A A A A B B C C C C C C C C
    """
    assert run(two_candidates(), 4, "easy:backfill=sjf").start_s == [0, 10, 12, 0]


def test_an_early_end_moves_promises_earlier(run: Run) -> None:
    """A asked for 10 and ran 4: B, promised 10, and C, promised 12, both move by 6.

    ::

        . . . . B B C C C
        A A A A B B C C C
    """
    schedule = run(early_end(), 2, "conservative")
    assert schedule.start_s == [0, 4, 6]
    assert schedule.first_reserved_s == [0, 10, 12]


def test_a_promise_is_kept_when_nothing_else_happens_then(run: Run) -> None:
    """C moves up to the end of D's reservation, then D itself moves up: nothing ends at 6.

    A asked for 9 but ends at 1. C, first in the queue, was promised 9 and is replanned first: D is
    planned for [4, 6), so C gets 6. Then D moves to 1, so the machine is empty when C is due.

    ::

        B B B B . . C C C
        B B B B . . C C C
        A D D . . . C C C
    """
    workload = jobs((0, 1, 9, 1), (0, 2, 4, 4), (0, 3, 3, 3), (0, 1, 2, 2))
    schedule = run(workload, 3, "conservative")
    assert schedule.start_s == [0, 0, 6, 1]
    assert schedule.first_reserved_s == [0, 0, 9, 4]


def test_a_plan_is_kept_against_a_newcomer_but_a_rebuilt_one_is_not(run: Run) -> None:
    """B is promised 4 when the shorter C arrives; only a rebuilt plan lets C go first."""
    workload = jobs((0, 2, 4, 4), (1, 2, 3, 3), (2, 2, 2, 2))
    kept = run(workload, 2, "sjf+conservative")
    rebuilt = run(workload, 2, "sjf+conservative:rebuild=true")
    assert kept.start_s == [0, 4, 7]
    assert rebuilt.start_s == [0, 6, 4]
    assert rebuilt.first_reserved_s == [0, 4, 4]


def test_an_overrunning_job_is_expected_to_end_any_moment(run: Run) -> None:
    """A asked for 2 and runs 6: at 3 it may end at 4, so C (1 s) can overtake B but D (2 s) cannot.

    ::

        . . . C . . B B . .
        A A A A A A B B . .
        A A A A A A B B D D
    """
    workload = jobs((0, 2, 2, 6), (0, 3, 2, 2), (3, 1, 1, 1), (4, 1, 2, 2))
    schedule = run(workload, 3, "easy", kill_at_request=False)
    assert schedule.start_s == [0, 6, 3, 8]
    assert schedule.first_reserved_s == [-1, 2, -1, 8]
    assert schedule.state == [JobOutcome.COMPLETED] * 4


def test_an_overrun_voids_the_promises(run: Run) -> None:
    """B and C were promised 2 and 4, but A overruns until 9; they follow it one after the other."""
    workload = jobs((0, 2, 2, 9), (0, 2, 2, 2), (0, 2, 2, 2), (5, 1, 1, 1))
    schedule = run(workload, 2, "conservative", kill_at_request=False)
    assert schedule.start_s == [0, 9, 11, 13]
    assert schedule.first_reserved_s == [0, 2, 4, 10]


@pytest.mark.parametrize(("depth", "start_s"), [(1, 16), (2, 9), (3, 9), (4, 0), (None, 0)])
def test_depth_bounds_how_far_backfilling_looks(run: Run, depth: int, start_s: int) -> None:
    """D is fourth in the queue: with less depth it is not seen before A and B have left it.

    With depth 1 it is not even seen together with C at 9, but at the next event, the end of C.
    """
    assert run(head_blocked(), 4, "easy", depth=depth).start_s[3] == start_s


@pytest.mark.parametrize(
    ("order", "queue"),
    [
        ("fcfs", "BCDE"),
        ("lcfs", "EDCB"),
        ("sjf", "DECB"),
        ("ljf", "BCED"),
        ("saf", "EDCB"),
        ("laf", "BCDE"),
        ("snf", "CEDB"),
        ("lnf", "BDCE"),
        ("wfp3", "DECB"),
        ("unicef", "CEDB"),
        ("f1", "ECDB"),
        ("f2", "ECDB"),
        ("f3", "EDCB"),
        ("f4", "DECB"),
    ],
)
def test_orders(run: Run, order: str, queue: str) -> None:
    """All others start when A ends; the job with the lower nodes was ahead in the queue.

    B asks for 100 s on 4 nodes, C for 50 s on 1, D for 10 s on 3 and E for 20 s on 1.
    """
    workload = jobs((0, 9, 9, 9), (1, 4, 100, 1), (1, 1, 50, 1), (1, 3, 10, 1), (1, 1, 20, 1))
    nodes_of = dict(zip("ABCDE", run(workload, 9, order).nodes_of, strict=True))
    assert "".join(sorted("BCDE", key=lambda job: nodes_of[job])) == queue
