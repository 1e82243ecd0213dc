"""Events on small instances drawn by hand; the reference and the core must both agree.

In the drawings time runs to the right, one column a second unless a scale is given, and node 0 is
at the bottom; a letter is the running job (A is job 1, B job 2, ...), a dot an idle node.
"""

from __future__ import annotations

from collections.abc import Callable

from schedlab.sim import JobOutcome
from schedlab.testing import ReferenceSchedule
from schedlab.testing.instances import jobs, killed, no_length

Run = Callable[..., ReferenceSchedule]


def test_events_are_seen_at_the_next_tick(run: Run) -> None:
    """A comes at 10 and starts at 60; its end at 110 is seen at 120, when B can start.

    One column is ten seconds.

    ::

        . . . . . . A A A A A . B B B
        0           60          120
    """
    workload = jobs((10, 1, 50, 50), (20, 1, 30, 30))
    schedule = run(workload, 1, "fcfs", tick=60)
    assert schedule.eligible_s == [10, 20]
    assert schedule.start_s == [60, 120]
    assert schedule.end_s == [110, 150]


def test_plans_count_in_ticks(run: Run) -> None:
    """A's end at 61 would be seen only at 120, so the head B is promised 120."""
    workload = jobs((0, 1, 61, 61), (0, 2, 60, 60), (0, 1, 100, 100))
    schedule = run(workload, 2, "easy", tick=60)
    assert schedule.start_s == [0, 120, 0]
    assert schedule.first_reserved_s == [-1, 120, -1]


def test_a_job_is_killed_at_its_request(run: Run) -> None:
    """A needs 9 but asked for 4; B starts as A is killed.

    ::

        A A A A B B
    """
    schedule = run(killed(), 1, "fcfs")
    assert schedule.end_s == [4, 6]
    assert schedule.state == [JobOutcome.KILLED, JobOutcome.COMPLETED]


def test_a_dependant_becomes_eligible_when_its_dependency_has_ended(run: Run) -> None:
    """B waits for A and thinks for 3 s; its wait begins at 7.

    ::

        A A A A . . . B B
    """
    workload = jobs((0, 1, 9, 4), (1, 1, 2, 2), depends_on=[-1, 1], think_time_s=[-1, 3])
    schedule = run(workload, 1, "fcfs")
    assert schedule.eligible_s == [0, 7]
    assert schedule.start_s == [0, 7]


def test_a_job_may_depend_on_one_submitted_later(run: Run) -> None:
    """A waits for B, which comes at 5, and lets C go first.

    ::

        C C . . . B B A
    """
    workload = jobs((0, 1, 1, 1), (0, 1, 2, 2), (5, 1, 2, 2), depends_on=[3, -1, -1])
    schedule = run(workload, 1, "fcfs")
    assert schedule.start_s == [7, 0, 5]
    assert schedule.eligible_s == [7, 0, 5]


def test_a_job_of_no_length_ends_as_it_starts(run: Run) -> None:
    """A, and B which depends on it, come and go at 0; C follows on the same nodes at 0."""
    schedule = run(no_length(), 2, "sjf")
    assert schedule.start_s == [0, 0, 0]
    assert schedule.end_s == [0, 0, 3]
    assert schedule.nodes_of == [[0, 1]] * 3


def test_a_waiting_job_can_be_withdrawn(run: Run) -> None:
    """The head B is withdrawn at 2 and C, behind it, starts at once.

    ::

        . . C C
        A A A A
    """
    workload = jobs((0, 1, 4, 4), (0, 2, 2, 2), (0, 1, 2, 2), cancel_after_s=[1, 2, -1])
    schedule = run(workload, 2, "fcfs")
    assert schedule.start_s == [0, -1, 2]
    assert schedule.end_s == [4, -1, 4]
    assert schedule.state == [JobOutcome.COMPLETED, JobOutcome.CANCELLED, JobOutcome.COMPLETED]


def test_a_withdrawn_job_frees_its_dependants(run: Run) -> None:
    """B is withdrawn at 2 while A runs; C, which waits for B and thinks 1 s, is eligible at 3.

    ::

        A A A A C
    """
    workload = jobs(
        (0, 1, 4, 4),
        (0, 1, 2, 2),
        (0, 1, 1, 1),
        depends_on=[-1, -1, 2],
        think_time_s=[-1, -1, 1],
        cancel_after_s=[-1, 2, -1],
    )
    schedule = run(workload, 1, "fcfs")
    assert schedule.eligible_s == [0, 0, 3]
    assert schedule.start_s == [0, -1, 4]


def test_a_job_can_be_withdrawn_before_it_is_eligible(run: Run) -> None:
    """B would wait for A until 4 but is withdrawn at 2, which also counts as its eligible time."""
    workload = jobs((0, 1, 4, 4), (0, 1, 2, 2), depends_on=[-1, 1], cancel_after_s=[-1, 2])
    schedule = run(workload, 1, "fcfs")
    assert schedule.eligible_s == [0, 2]
    assert schedule.state == [JobOutcome.COMPLETED, JobOutcome.CANCELLED]


def test_nodes_are_named_from_the_lowest_free_number(run: Run) -> None:
    """C takes what A left and the first node never used.

    ::

        . . . .
        . . C C
        B B B B
        A A C C
        A A C C
    """
    workload = jobs((0, 2, 2, 2), (0, 1, 4, 4), (2, 3, 2, 2))
    assert run(workload, 5, "fcfs").nodes_of == [[0, 1], [2], [0, 1, 3]]
