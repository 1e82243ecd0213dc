"""Mini-buckets: bounds that hold, and are tight where the width suffices."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schedlab.coalloc import Objective, Problem, generate_problem, solve
from schedlab.coalloc.minibucket import minibucket_bound, quick_minibucket_bound
from schedlab.coalloc.objective import CRITERIA, Criterion, measure
from schedlab.errors import MemoryLimitError
from schedlab.testing.coalloc import brute_force
from schedlab.testing.coalloc.check_solver import one_resource
from schedlab.testing.coalloc.strategies import problems


@given(problems(max_jobs=4), st.sampled_from(CRITERIA), st.integers(1, 3))
@settings(max_examples=100, deadline=None)
def test_no_solution_is_better_than_the_bound(
    problem: Problem, criterion: Criterion, width: int
) -> None:
    """A node that may take a value in each bucket has more choices than a solution has."""
    best = brute_force(problem, Objective((criterion,)))
    bound = minibucket_bound(problem, criterion, width)
    if best is None:
        return
    optimum = measure(criterion, problem, best)
    assert bound >= optimum - 1e-9 if criterion == "value" else bound <= optimum
    if width == 3:
        assert bound == pytest.approx(optimum)  # four jobs have no wider message


def test_infeasible_problems_may_have_an_infinite_bound() -> None:
    """At full width mini-buckets are DPOP, which sees that four slots do not fit into three."""
    assert minibucket_bound(one_resource(2, 2, slots=3), "makespan", 1) == math.inf
    assert minibucket_bound(one_resource(4, slots=3), "sum-of-starts", 1) == math.inf


def test_the_bound_closes_in_with_the_width() -> None:
    """On this instance the bound gets no looser with each variable, and ends at the optimum."""
    problem = generate_problem(20, kind="one-or-two", seed=3)
    bounds = [minibucket_bound(problem, "sum-of-starts", width) for width in (1, 2, 3, 4, 5)]
    assert bounds == sorted(bounds)
    assert bounds[0] < bounds[-1] == solve(problem, "dpop", "sum-of-starts").sum_of_starts


def test_a_quick_bound_closes_the_gap_of_a_narrow_problem() -> None:
    """The linear program says 132 at most; messages of six variables prove 131."""
    problem = generate_problem(30, kind="one-or-two", slots=7, seed=1)
    found = solve(problem, "lns", "value")
    assert found.bound == found.value == 131


def test_a_quick_bound_is_not_for_many_jobs() -> None:
    """The tree of a thousand jobs alone would take seconds."""
    assert quick_minibucket_bound(one_resource(*[1] * 301, slots=2), "value") is None
    assert quick_minibucket_bound(one_resource(1, slots=1), "value") == 1


def test_a_message_that_does_not_fit_is_refused() -> None:
    """A clique of eight at full width has a message of 20^7 cells, 4.77 GiB."""
    with pytest.raises(MemoryLimitError, match=r"7 variables need 4\.77 GiB"):
        minibucket_bound(one_resource(*[1] * 8, slots=20), "makespan", 7)
