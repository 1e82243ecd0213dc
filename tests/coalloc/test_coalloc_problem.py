"""Problems and their solutions: what is allowed, and the errors for the rest."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from schedlab.coalloc import CoallocJob, Objective, Problem, Solution
from schedlab.errors import ParameterError, ProblemError, UnknownNameError
from schedlab.testing.coalloc.check_solver import figure_1

VALUE, MAKESPAN = Objective(("value",)), Objective(("makespan",))


def two_jobs(**second: int) -> Problem:
    """Return two jobs of two slots that need the same resource, in a problem of four slots."""
    return Problem(
        ("A", "B"), (CoallocJob("one", (0,), 2), CoallocJob("two", (0, 1), 2, **second)), 4
    )


def test_a_domain_ends_where_the_job_would_leave_the_time() -> None:
    """The deadline is the last slot that a job may use; the problem's last slot counts too."""
    assert two_jobs().domain(0) == range(1, 4)
    assert two_jobs(release=2, deadline=3).domain(1) == range(2, 3)
    assert two_jobs(deadline=99).domain(1) == range(1, 4)


def test_a_job_that_cannot_fit_has_an_empty_domain() -> None:
    """It is left out, or makes the problem infeasible: a result, not a mistake."""
    assert not two_jobs(release=4).domain(1)


def test_conflicts_are_shared_resources() -> None:
    """The constraint graph of the paper's Figure 1: E1..E5 need AB, AF, BCD, BDF, CE."""
    found = [set(others) for others in figure_1().conflicts()]
    assert found == [{1, 2, 3}, {0, 3}, {0, 3, 4}, {0, 1, 2}, {2}]


WRONG: dict[str, tuple[Callable[[], object], str]] = {
    "no job": (lambda: Problem(("A",), (), 3), "the problem has no job"),
    "no resource": (lambda: Problem((), (CoallocJob("a", (0,), 1),), 3), "has no resource"),
    "no slot": (lambda: Problem(("A",), (CoallocJob("a", (0,), 1),), 0), "slots is 0"),
    "many slots": (lambda: Problem(("A",), (CoallocJob("a", (0,), 1),), 10**9), "at most"),
    "same names": (
        lambda: Problem(("A",), (CoallocJob("a", (0,), 1), CoallocJob("a", (0,), 1)), 3),
        '2 jobs are named "a"',
    ),
    "same resources": (lambda: Problem(("A", "A"), (CoallocJob("a", (0,), 1),), 3), '"A"'),
    "no length": (lambda: Problem(("A",), (CoallocJob("a", (0,), 0),), 3), "slots is 0"),
    "needs nothing": (lambda: Problem(("A",), (CoallocJob("a", (), 1),), 3), "at least one"),
    "needs twice": (lambda: Problem(("A",), (CoallocJob("a", (0, 0), 1),), 3), "twice"),
    "unknown resource": (lambda: Problem(("A",), (CoallocJob("a", (1,), 1),), 3), "0 to 0"),
    "negative value": (lambda: Problem(("A",), (CoallocJob("a", (0,), 1, -1.0),), 3), "value"),
    "infinite value": (
        lambda: Problem(("A",), (CoallocJob("a", (0,), 1, float("inf")),), 3),
        "must be a number >= 0",
    ),
    "deadline too early": (
        lambda: Problem(("A",), (CoallocJob("a", (0,), 1, release=3, deadline=2),), 3),
        "deadline is 2; must be an integer >= 3",
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_an_impossible_problem_is_refused(what: str) -> None:
    """The error names the job and the value."""
    make, sentence = WRONG[what]
    with pytest.raises(ProblemError, match=sentence):
        make()


def test_an_objective_is_read_and_written() -> None:
    """Criteria keep the order in which they decide."""
    assert Objective.parse("value, makespan").criteria == ("value", "makespan")
    assert str(Objective.parse("makespan,sum-of-starts")) == "makespan,sum-of-starts"


def test_wrong_objectives_are_refused() -> None:
    """A criterion is misspelt, named twice, or could never decide anything."""
    with pytest.raises(UnknownNameError, match='did you mean "makespan"'):
        Objective.parse("makespam")
    with pytest.raises(ParameterError, match="twice"):
        Objective.parse("value,value")
    with pytest.raises(ParameterError, match="value must come first"):
        Objective.parse("makespan,value")


def test_an_overlap_is_said() -> None:
    """A schedule with two jobs on one resource at once is not feasible."""
    solution = Solution(two_jobs(), (1, 2), "by hand", VALUE)
    assert not solution.feasible
    assert solution.overlaps() == [(0, 1)]
    assert solution.faults == ('jobs "one" and "two" overlap',)


def test_a_start_outside_the_domain_is_said() -> None:
    """A start before the release, or too late to end in time, is a fault."""
    solution = Solution(two_jobs(release=2), (4, 1), "by hand", VALUE)
    assert solution.faults == (
        'job "one" starts in slot 4; may start in 1 to 3',
        'job "two" starts in slot 1; may start in 2 to 3',
    )


def test_a_job_left_out_is_a_fault_only_where_all_are_wanted() -> None:
    """With the value first a job may be dropped; a makespan without all jobs means nothing."""
    assert Solution(two_jobs(), (1, None), "by hand", VALUE).feasible
    dropped = Solution(two_jobs(), (1, None), "by hand", MAKESPAN)
    assert dropped.faults == ("not scheduled: two",)
    assert dropped.unscheduled == (1,)


def test_too_few_starts_are_said() -> None:
    """An answer to another problem is no answer."""
    assert Solution(two_jobs(), (1,), "by hand", VALUE).faults == ("1 starts for 2 jobs",)


def test_what_a_solution_is_measured_by() -> None:
    """Value of the scheduled jobs, last slot in use, sum of first slots; all 0 without jobs."""
    solution = Solution(two_jobs(), (1, 3), "by hand", VALUE)
    assert (solution.value, solution.makespan, solution.sum_of_starts) == (2, 4, 4)
    nothing = Solution(two_jobs(), (None, None), "by hand", VALUE)
    assert (nothing.value, nothing.makespan, nothing.sum_of_starts) == (0, 0, 0)


def test_the_gap_is_how_much_may_be_missing() -> None:
    """1 - value / bound and 1 - bound / makespan; unknown without a bound or a schedule."""
    assert Solution(two_jobs(), (1, None), "by hand", VALUE, bound=2).gap == 0.5
    assert Solution(two_jobs(), (1, 3), "by hand", MAKESPAN, bound=3).gap == 0.25
    assert Solution(two_jobs(), (1, 3), "by hand", MAKESPAN, bound=4).gap == 0
    assert Solution(two_jobs(), (1, 3), "by hand", VALUE).gap is None
    assert Solution(two_jobs(), (1, 1), "by hand", VALUE, bound=2).gap is None


def test_rounding_makes_no_gap() -> None:
    """0.1 + 0.2 is 0.30000000000000004, and no better than 0.3."""
    jobs = (CoallocJob("one", (0,), 1, 0.1), CoallocJob("two", (0,), 1, 0.2))
    assert Solution(Problem(("A",), jobs, 2), (1, 2), "by hand", VALUE, bound=0.3).gap == 0
