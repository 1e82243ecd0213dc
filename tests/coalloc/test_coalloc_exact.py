"""The exact reference and the bounds, compared with all solutions of small problems."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schedlab.coalloc import CoallocJob, Limits, Objective, Problem, generate_problem, solve
from schedlab.coalloc.bounds import best_bound, load_bound, triangle_bound
from schedlab.coalloc.integral import integral_values
from schedlab.coalloc.objective import CRITERIA, Criterion, measure
from schedlab.coalloc.prices import lp_bound, price_bound, slot_prices
from schedlab.testing.coalloc import brute_force
from schedlab.testing.coalloc.check_solver import one_resource
from schedlab.testing.coalloc.strategies import problems

pytest.importorskip("ortools")

OBJECTIVES = ("value", "makespan", "sum-of-starts", "value,makespan", "makespan,sum-of-starts")
SLACK = 1e-9


@settings(max_examples=60, deadline=None)
@given(problems(), st.sampled_from(OBJECTIVES))
def test_cpsat_finds_what_brute_force_finds(problem: Problem, text: str) -> None:
    """CP-SAT is as good by every criterion, or proves that nothing is feasible."""
    check_exact(problem, Objective.parse(text))


@pytest.mark.slow
@settings(max_examples=1000, deadline=None)
@given(problems(), st.sampled_from(OBJECTIVES))
def test_cpsat_finds_what_brute_force_finds_on_thousands(problem: Problem, text: str) -> None:
    """The other solvers are measured by CP-SAT, so it must be exact."""
    check_exact(problem, Objective.parse(text))


def check_exact(problem: Problem, objective: Objective) -> None:
    """Compare CP-SAT's answer with the best of all solutions."""
    best, found = brute_force(problem, objective), solve(problem, "cpsat", objective)
    if best is None:
        assert found.ending == "infeasible"
        assert not found.feasible
    else:
        assert found.feasible
        got, wanted = (objective.key(problem, starts) for starts in (found.starts, best))
        assert got == pytest.approx(wanted)
        assert found.gap == pytest.approx(0)


@settings(max_examples=100, deadline=None)
@given(problems(), st.sampled_from(CRITERIA))
def test_no_bound_is_tighter_than_the_optimum(problem: Problem, criterion: Criterion) -> None:
    """Load, triangle and linear program are certificates: one counterexample would undo them."""
    best = brute_force(problem, Objective((criterion,)))
    if best is None:
        return
    optimum = measure(criterion, problem, best)
    bounds = [rule(problem, criterion) for rule in (load_bound, triangle_bound, lp_bound)]
    for bound in bounds:
        if bound is not None and criterion == "value":
            assert bound >= optimum - SLACK
        elif bound is not None:
            assert bound <= optimum + SLACK


def test_three_jobs_in_a_triangle_run_one_after_the_other() -> None:
    """They need AB, BC and CA: no resource is asked for more than twice, yet all conflict."""
    jobs = tuple(
        CoallocJob(name, pair, 2) for name, pair in (("a", (0, 1)), ("b", (1, 2)), ("c", (0, 2)))
    )
    problem = Problem(("A", "B", "C"), jobs, 10)
    assert load_bound(problem, "makespan") == 4
    assert triangle_bound(problem, "makespan") == 6
    assert solve(problem, "cpsat", "makespan").makespan == 6


def test_a_release_moves_the_load_bound() -> None:
    """Two jobs released in slot 5 end in 8 at the earliest, whatever comes before."""
    late = [CoallocJob(f"late {at}", (0,), 2, release=5) for at in (1, 2)]
    problem = Problem(("A",), (CoallocJob("early", (0,), 1), *late), 20)
    assert load_bound(problem, "makespan") == 8


def test_the_linear_program_is_tighter_than_the_cliques_under_a_tight_time() -> None:
    """Where many resources are contended at once, one clique sees only one of them."""
    problem = generate_problem(50, slots=10, seed=1)
    optimum = solve(problem, "cpsat", "value").value
    lp = lp_bound(problem, "value")
    assert lp is not None
    assert optimum <= lp < best_bound(problem, "value")


def test_any_prices_prove_a_bound() -> None:
    """The certificate holds for prices a tolerance away from the best, and for twice these."""
    problem = generate_problem(20, slots=6, seed=2)
    optimum = solve(problem, "cpsat", "value").value
    prices = slot_prices(problem, "value")
    assert prices is not None
    for factor in (0.0, 0.5, 1 - 1e-7, 2.0):
        assert price_bound(problem, "value", factor * prices) >= optimum


def test_what_a_bound_proves_infeasible_is_not_searched() -> None:
    """Four slots of work do not fit into three: every solver says so, with no job placed."""
    found = solve(one_resource(2, 2, slots=3), "greedy", "makespan")
    assert found.ending == "infeasible"
    assert found.starts == (None, None)


def test_a_job_that_fits_nowhere_makes_a_problem_infeasible() -> None:
    """Every solver says so if all jobs must be scheduled; under the value the job is left out."""
    jobs = (CoallocJob("fits", (0,), 1), CoallocJob("too long", (1,), 3, deadline=2))
    problem = Problem(("A", "B"), jobs, 9)
    assert solve(problem, "greedy", "sum-of-starts").ending == "infeasible"
    assert solve(problem, "greedy", "value").starts == (1, None)


def test_a_search_that_time_ends_keeps_its_bound() -> None:
    """It returns the best so far and how much may be missing at most."""
    problem = generate_problem(200, slots=20, seed=0)
    found = solve(problem, "cpsat", "value", Limits(time_s=0.5))
    assert found.ending == "time-limit"
    assert found.feasible
    assert found.gap is not None
    assert 0 < found.gap < 0.2


def test_decimals_become_whole_numbers_exactly() -> None:
    """Otherwise a search on whole numbers would answer another question."""
    assert integral_values([0.1, 2.5, 3]) == ([1, 25, 30], 10)


def test_values_with_too_many_digits_are_rounded_up() -> None:
    """A bound on the rounded values is also a bound on the original ones."""
    values = [math.pi * 1e9, math.e]
    whole, scale = integral_values(values)
    assert all(each / scale >= value for each, value in zip(whole, values, strict=True))
    assert sum(whole) / scale == pytest.approx(sum(values))
