"""Random problems: as the paper describes them, connected, and the same for the same seed."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schedlab.coalloc import generate_problem
from schedlab.coalloc.generate import KINDS
from schedlab.coalloc.problem import Problem
from schedlab.errors import ParameterError, UnknownNameError

SEEDS = st.integers(0, 10_000)


def reached(problem: Problem) -> set[int]:
    """Return the jobs that conflicts connect to the first one."""
    conflicts = problem.conflicts()
    found, waiting = {0}, [0]
    while waiting:
        new = conflicts[waiting.pop()] - found
        found |= new
        waiting += new
    return found


@settings(deadline=None)
@given(st.integers(1, 40), st.sampled_from(sorted(KINDS)), SEEDS)
def test_the_constraint_graph_is_connected(jobs: int, kind: str, seed: int) -> None:
    """A single component, as in the paper."""
    problem = generate_problem(jobs, kind=kind, resources=8, seed=seed)
    assert len(reached(problem)) == jobs


@settings(deadline=None)
@given(st.sampled_from(sorted(KINDS)), SEEDS)
def test_the_same_seed_gives_the_same_problem(kind: str, seed: int) -> None:
    """The problem's origin also says how it was made."""
    problem = generate_problem(12, kind=kind, resources=8, seed=seed)
    assert problem == generate_problem(12, kind=kind, resources=8, seed=seed)
    assert f"seed {seed}" in problem.origin


@pytest.mark.parametrize(
    ("kind", "counts"), [("uniform", {2}), ("one-or-two", {1, 2}), ("ring", {2})]
)
def test_each_kind_needs_as_many_resources_as_it_says(kind: str, counts: set[int]) -> None:
    """The kinds need exactly two, one or two, and two resources for each job."""
    problem = generate_problem(200, kind=kind, seed=1)
    assert {len(job.resources) for job in problem.jobs} == counts


def test_lengths_and_values_cover_their_ranges() -> None:
    """Uniform in 1 to 3 slots and 1 to 10: each occurs about equally often."""
    problem = generate_problem(3000, seed=1)
    lengths = Counter(job.slots for job in problem.jobs)
    values = Counter(job.value for job in problem.jobs)
    assert set(lengths) == {1, 2, 3}
    assert set(values) == set(range(1, 11))
    assert max(lengths.values()) < 1.15 * min(lengths.values())
    assert max(values.values()) < 1.35 * min(values.values())


def test_on_a_ring_the_two_are_neighbours() -> None:
    """Each job needs two adjacent resources; the last and the first are adjacent, too."""
    problem = generate_problem(200, kind="ring", resources=6, seed=1)
    pairs = {job.resources for job in problem.jobs}
    assert pairs == {(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (0, 5)}


def test_what_cannot_be_drawn_is_refused() -> None:
    """No jobs, one resource, an unknown kind, and far too few jobs for a ring."""
    with pytest.raises(ParameterError, match="jobs is 0"):
        generate_problem(0)
    with pytest.raises(ParameterError, match="resources is 1"):
        generate_problem(5, resources=1)
    with pytest.raises(UnknownNameError, match='did you mean "ring"'):
        generate_problem(5, kind="rings")
    with pytest.raises(ParameterError, match="take more jobs or fewer resources"):
        generate_problem(9, kind="ring", resources=200)
