"""Greedy, restart greedy and large-neighbourhood search: always feasible, never above a bound."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schedlab.coalloc import (
    Limits,
    Objective,
    Problem,
    Solution,
    find_solver,
    generate_problem,
    left_shift,
    solve,
)
from schedlab.coalloc.greedy import Greedy
from schedlab.coalloc.lns import Lns
from schedlab.coalloc.neighbourhood import Reach
from schedlab.errors import ParameterError, UnknownNameError
from schedlab.testing.coalloc import brute_force
from schedlab.testing.coalloc.check_solver import one_resource
from schedlab.testing.coalloc.strategies import problems

SOLVERS = ("greedy", "restart-greedy:restarts=20", "lns:moves=20")
OBJECTIVES = ("value", "makespan", "sum-of-starts", "value,makespan,sum-of-starts")


@settings(max_examples=60, deadline=None)
@given(problems(), st.sampled_from(SOLVERS), st.sampled_from(OBJECTIVES))
def test_an_answer_is_feasible_or_says_what_is_missing(
    problem: Problem, solver: str, text: str
) -> None:
    """Never an overlap; never a job left out silently; never better than the bound."""
    found = solve(problem, solver, text)
    assert found.overlaps() == []
    assert found.feasible or found.faults[0].startswith("not scheduled")
    if found.objective.may_leave_out:
        assert found.feasible
    if found.gap is not None:
        assert -1e-9 <= found.gap <= 1


@settings(max_examples=40, deadline=None)
@given(problems(), st.sampled_from(OBJECTIVES))
def test_lns_finds_the_optimum_of_small_problems(problem: Problem, text: str) -> None:
    """All jobs are freed at once, so that one undisturbed move would be enough."""
    objective = Objective.parse(text)
    best = brute_force(problem, objective)
    found = solve(problem, "lns:moves=60", objective)
    if best is not None:
        got, wanted = (objective.key(problem, starts) for starts in (found.starts, best))
        assert got[:2] == pytest.approx(wanted[:2])


@settings(deadline=None)
@given(problems())
def test_left_shifting_makes_no_start_later(problem: Problem) -> None:
    """The jobs stay the same, none overlaps or moves later, and none is left to shift."""
    found = solve(problem, "restart-greedy:restarts=3", "value")
    late = tuple(
        None if start is None else last
        for start, last in zip(found.starts, latest(found), strict=True)
    )
    assert Solution(problem, late, "shifted to the right", found.objective).feasible
    shifted = left_shift(problem, late)
    assert [start is None for start in shifted] == [start is None for start in late]
    assert all((a or 0) <= (b or 0) for a, b in zip(shifted, late, strict=True))
    assert Solution(problem, shifted, "shifted", found.objective).feasible
    assert left_shift(problem, shifted) == shifted


def latest(found: Solution) -> list[int | None]:
    """Return the starts, with each job in turn moved as late as all others let it."""
    starts = list(found.starts)
    for job, start in enumerate(starts):
        for later in found.problem.domain(job):
            moved = [*starts[:job], later, *starts[job + 1 :]]
            if start is not None and later > start:
                tried = Solution(found.problem, tuple(moved), "", found.objective)
                starts = moved if tried.feasible else starts
    return starts


def test_greedy_takes_the_densest_first() -> None:
    """Of three slots the short job of value 4 gets the first; by value, the long one of 6 does."""
    problem = one_resource(2, 1, 2, slots=3, values=(6.0, 4.0, 5.0))
    assert solve(problem, "greedy", "value").starts == (2, 1, None)
    assert solve(problem, "greedy:order=value", "value").starts == (1, 3, None)


def test_restarts_are_no_worse_than_greedy_and_stop_at_the_bound() -> None:
    """The first order is greedy's, and a proven optimum needs no restarts."""
    problem = generate_problem(50, slots=10, seed=3)
    greedy, restarted = (solve(problem, name) for name in ("greedy", "restart-greedy"))
    assert restarted.value > greedy.value
    easy = solve(generate_problem(20, slots=60, seed=3), "restart-greedy")
    assert easy.gap == 0
    assert easy.counters["restarts"] == 0


@pytest.mark.parametrize("solver", ["restart-greedy:restarts=50", "lns:moves=30"])
def test_the_same_seed_gives_the_same_answer(solver: str) -> None:
    """Another seed gives another one, on a problem with many good answers."""
    problem = generate_problem(60, slots=8, seed=1)
    first, again, other = (solve(problem, solver, "value", Limits(seed=seed)) for seed in (1, 1, 2))
    assert first.starts == again.starts
    assert first.starts != other.starts


def test_lns_is_near_the_optimum_with_messages_of_kilobytes() -> None:
    """With N = 50, T = 10 and 15 resources, the relaxations do not reach this value."""
    pytest.importorskip("ortools")
    problem = generate_problem(50, slots=10, seed=11)
    optimum = solve(problem, "cpsat").value
    found = solve(problem, "lns:moves=600")
    assert found.value >= 0.98 * optimum
    assert found.messages is not None
    assert found.messages.largest_cells <= Reach.cells
    assert found.messages.largest_bytes <= 8 * Reach.cells


@pytest.mark.parametrize("solver", ["restart-greedy", "lns"])
def test_time_ends_the_search(solver: str) -> None:
    """The answer is the best so far."""
    problem = generate_problem(100, slots=10, seed=1)
    found = solve(problem, solver, "value", Limits(time_s=0.2))
    assert found.ending == "time-limit"
    assert found.feasible


def test_an_interrupted_search_keeps_its_best(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C comes in the middle of a move."""
    problem = generate_problem(60, slots=8, seed=1)

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("schedlab.coalloc.neighbourhood.propagate", interrupt)
    found = solve(problem, "lns")
    assert found.ending == "interrupted"
    assert found.feasible


def test_a_solver_is_chosen_by_name() -> None:
    """Parameters follow the name; a misspelt name gets the nearest one as a suggestion."""
    assert find_solver("lns:jobs=8,cells=100") == Lns(jobs=8, cells=100)
    with pytest.raises(UnknownNameError, match='did you mean "lns"'):
        find_solver("lms")
    with pytest.raises(UnknownNameError, match='did you mean "cells"'):
        find_solver("lns:cell=3")
    with pytest.raises(ParameterError, match='"many" is not a whole number'):
        find_solver("lns:cells=many")
    with pytest.raises(ParameterError, match="both must be >= 1"):
        find_solver("lns:jobs=0")
    with pytest.raises(UnknownNameError, match='did you mean "density"'):
        Greedy("densest")


def test_a_solver_from_elsewhere_needs_no_registration() -> None:
    """Wherever a name is accepted, so is package.module:Class."""
    assert find_solver("schedlab.coalloc.lns:Lns") == Lns()
    with pytest.raises(ParameterError, match="has no method solve"):
        find_solver("schedlab.coalloc.solver:Limits")
