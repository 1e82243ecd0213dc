"""Pseudo trees: what they must be, and how narrow the heuristics make them."""

from __future__ import annotations

from itertools import combinations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schedlab import _core
from schedlab.coalloc import Problem
from schedlab.coalloc.network import ConstraintNetwork, Neighbours
from schedlab.coalloc.orders import CHOICES, HEURISTICS, make_tree, max_degree, min_fill
from schedlab.coalloc.pseudotree import PseudoTree
from schedlab.testing.coalloc import plain_min_fill
from schedlab.testing.coalloc.check_solver import figure_1, one_resource
from schedlab.testing.coalloc.strategies import problems


def ring(jobs: int) -> Neighbours:
    """Return a ring of jobs, each in conflict with the two beside it."""
    return tuple(frozenset(((job - 1) % jobs, (job + 1) % jobs)) for job in range(jobs))


def ancestors(tree: PseudoTree, job: int) -> set[int]:
    """Return the job's parent, the parent's parent, and so on."""
    found, here = set(), tree.parents[job]
    while here is not None:
        found.add(here)
        here = tree.parents[here]
    return found


@given(problems(max_jobs=12), st.sampled_from(CHOICES))
@settings(max_examples=100, deadline=None)
def test_every_conflict_joins_an_ancestor_and_a_descendant(problem: Problem, choice: str) -> None:
    """This makes it a pseudo tree: subtrees side by side are independent."""
    network = ConstraintNetwork.of(problem, may_leave_out=False)
    tree = make_tree(network, choice)
    assert sorted(tree.order) == list(range(len(problem.jobs)))
    for job, others in enumerate(network.neighbours):
        for other in others:
            assert other in ancestors(tree, job) or job in ancestors(tree, other)


@given(problems(max_jobs=12), st.sampled_from(CHOICES))
@settings(max_examples=100, deadline=None)
def test_separators_are_the_ancestors_that_the_subtree_knows(problem: Problem, choice: str) -> None:
    """PP(x) of the paper: ancestors linked to x or to a descendant of x, and no others."""
    network = ConstraintNetwork.of(problem, may_leave_out=False)
    tree = make_tree(network, choice)
    for job in tree.order:
        linked = {other for below in tree.subtree(job) for other in network.neighbours[below]}
        assert set(tree.separators[job]) == linked & ancestors(tree, job)
        assert tree.separators[job][-1:] == tuple({tree.parents[job]} - {None})


def test_a_depth_first_search_keeps_its_own_tree() -> None:
    """Figure 1: from E1 to E3, E4, E2, then E5 below E3; the others are back edges to E1."""
    conflicts = figure_1().conflicts()
    order = max_degree(conflicts, list(range(5)))
    tree = PseudoTree.along(order, conflicts)
    assert order == [0, 2, 3, 1, 4]
    assert tree.parents == (None, 3, 0, 2, 2)
    assert tree.separators == ((), (0, 3), (0,), (0, 2), (2,))
    assert sorted(tree.back_edges(conflicts)) == [(0, 1), (0, 3)]
    assert (tree.width, tree.height, tree.roots) == (2, 3, (0,))


def test_message_sizes_are_products_of_domains() -> None:
    """Figure 1 with domains of different sizes: E2's message has those of E1 and E4."""
    conflicts = figure_1().conflicts()
    tree = PseudoTree.along(max_degree(conflicts, list(range(5))), conflicts)
    assert tree.cells([2, 3, 5, 7, 11]) == [0, 2 * 7, 2, 2 * 5, 5]


@pytest.mark.parametrize("choice", CHOICES)
def test_width_of_graphs_whose_width_is_known(choice: str) -> None:
    """A path has width 1, a ring 2, and jobs on one resource are one clique."""
    path = tuple(
        frozenset({a, b} & set(range(6))) for a, b in zip(range(-1, 5), range(1, 7), strict=True)
    )
    network = ConstraintNetwork.of(one_resource(*[1] * 6, slots=6), may_leave_out=False)
    assert make_tree(network, choice).width == 5
    for neighbours, width in ((path, 1), (ring(6), 2)):
        assert make_tree(ConstraintNetwork(network.variables, neighbours), choice).width == width


def test_components_are_trees_of_their_own() -> None:
    """Two pairs that share nothing make a forest of two roots."""
    neighbours = (frozenset({1}), frozenset({0}), frozenset({3}), frozenset({2}))
    for make in HEURISTICS.values():
        tree = PseudoTree.along(make(neighbours, [0, 1, 2, 3]), neighbours)
        assert len(tree.roots) == 2
        assert tree.width == 1


def test_min_fill_eliminates_the_rim_of_a_wheel() -> None:
    """The hub is in conflict with all: eliminated first it would join eight jobs; last, three."""
    rim = ring(8)
    wheel = (*(others | {8} for others in rim), frozenset(range(8)))
    assert PseudoTree.along(min_fill(wheel, list(range(9))), wheel).width == 3


@given(st.integers(1, 70), st.floats(0.02, 0.2), st.randoms(use_true_random=False))
@settings(max_examples=25, deadline=None)
def test_min_fill_equals_the_plain_one(jobs: int, density: float, random: Random) -> None:
    """More jobs than a machine word has bits, and any ranks that break ties, change nothing."""
    near: list[set[int]] = [set() for _ in range(jobs)]
    for one, other in combinations(range(jobs), 2):
        if random.random() < density:
            near[one].add(other)
            near[other].add(one)
    ranks = random.sample(range(jobs), jobs)
    neighbours = tuple(map(frozenset, near))
    assert min_fill(neighbours, ranks) == plain_min_fill(neighbours, ranks)


def test_the_native_min_fill_checks_what_it_is_given() -> None:
    """A neighbour that does not exist would be written beyond the end."""
    with pytest.raises(ValueError, match="no node"):
        _core.min_fill([[1]], [0])
    with pytest.raises(ValueError, match="one rank"):
        _core.min_fill([[]], [])


@given(problems(max_jobs=10))
@settings(max_examples=50, deadline=None)
def test_the_best_is_no_wider_than_any_other(problem: Problem) -> None:
    """``best`` chooses among the trees of all heuristics."""
    network = ConstraintNetwork.of(problem, may_leave_out=True)
    largest = {choice: max(make_tree(network, choice).cells(network.sizes)) for choice in CHOICES}
    assert largest["best"] == min(largest.values())
