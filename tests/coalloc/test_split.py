"""Splitting: the jobs are solved in parts, one after the other."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schedlab.coalloc import CoallocJob, Limits, Objective, Problem, generate_problem, solve
from schedlab.coalloc.split import Split
from schedlab.errors import ParameterError
from schedlab.testing.coalloc import brute_force
from schedlab.testing.coalloc.check_solver import figure_1, one_resource
from schedlab.testing.coalloc.strategies import problems


@given(
    problems(),
    st.sampled_from(("value", "makespan", "sum-of-starts")),
    st.integers(1, 4),
    st.sampled_from(("index", "alternating")),
    st.booleans(),
)
@settings(max_examples=80, deadline=None)
def test_never_overlaps_and_is_never_better_than_the_optimum(
    problem: Problem, objective: str, parts: int, by: str, shift: bool
) -> None:
    """A later part keeps out of the slots that earlier ones have taken."""
    wanted = Objective.parse(objective)
    best = brute_force(problem, wanted)
    text = f"split:parts={parts},by={by},shift={str(shift).lower()}"
    found = solve(problem, text, wanted)
    assert not found.overlaps()
    if best is None:
        assert not found.feasible
    elif found.feasible:
        assert wanted.key(problem, found.starts) >= wanted.key(problem, best)


@given(problems(max_jobs=4), st.sampled_from(("value", "makespan")))
@settings(max_examples=50, deadline=None)
def test_one_part_is_dpop(problem: Problem, objective: str) -> None:
    """With nothing split off the optimum is found."""
    one, whole = solve(problem, "split:parts=1", objective), solve(problem, "dpop", objective)
    assert one.starts == whole.starts


def test_the_first_half_decides_first() -> None:
    """E1 and E2 take the only slots though E3 and E4 are worth more: that is the price."""
    crowd = one_resource(1, 1, 1, 1, slots=2, values=(1.0, 1.0, 9.0, 9.0))
    assert solve(crowd, "split", "value").value == 2
    assert solve(crowd, "split:by=alternating", "value").unscheduled == (1, 3)


def test_edges_between_parts_are_deleted() -> None:
    """Figure 1: with E1 and E2 apart from the rest, E1-E3, E1-E4 and E2-E4 are not needed."""
    assert solve(figure_1(), "split", "makespan").counters["deleted edges"] == 3


def test_messages_of_all_parts_count() -> None:
    """Two halves have smaller messages than the whole, and the numbers add up."""
    problem = generate_problem(20, kind="ring", seed=1)
    whole, halves = (solve(problem, name, "makespan").messages for name in ("dpop", "split"))
    assert whole is not None
    assert halves is not None
    assert halves.largest_cells < whole.largest_cells
    assert halves.cycles > 0


def test_shifting_makes_room_for_later_parts() -> None:
    """By value alone E1 might start anywhere; shifted to the left it leaves the most room."""
    jobs = (CoallocJob("E1", (0,), 1, release=2), CoallocJob("E2", (0,), 2))
    found = solve(Problem(("R",), jobs, 4), "split:shift=true", "makespan")
    assert found.starts == (2, 3)


def test_a_part_without_a_solution_ends_it() -> None:
    """The first part takes both slots, so the second job is reported as not scheduled."""
    found = Split().solve(one_resource(2, 1, slots=2), Objective(("makespan",)), Limits())
    assert found.starts == (1, None)
    assert found.faults == ("not scheduled: E2",)


def test_no_parts_are_refused() -> None:
    """There must be at least one part."""
    with pytest.raises(ParameterError, match="parts is 0"):
        solve(figure_1(), "split:parts=0")
