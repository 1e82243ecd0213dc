"""DPOP against plain numpy and against brute force, on drawn problems."""

from __future__ import annotations

import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schedlab.coalloc import Limits, Objective, Problem, generate_problem
from schedlab.coalloc.dpop import Dpop
from schedlab.coalloc.exact import CpSat
from schedlab.coalloc.network import ConstraintNetwork
from schedlab.coalloc.node import UtilMessage
from schedlab.coalloc.orders import CHOICES, make_tree
from schedlab.coalloc.propagation import propagate, tree_nodes
from schedlab.coalloc.pseudotree import PseudoTree
from schedlab.coalloc.utility import Utilities, makespan_utilities, sum_utilities
from schedlab.testing.coalloc import brute_force, plain_dpop, plain_util
from schedlab.testing.coalloc.strategies import problems

OBJECTIVES = (
    "value",
    "makespan",
    "sum-of-starts",
    "value,makespan",
    "value,sum-of-starts",
    "makespan,sum-of-starts",
    "sum-of-starts,makespan",
    "value,makespan,sum-of-starts",
    "value,sum-of-starts,makespan",
)
MANY = int(os.environ.get("SCHEDLAB_EXAMPLES", "3000"))


def same_as_brute_force(problem: Problem, objective: str, heuristic: str) -> None:
    """Compare by all criteria; the starts may differ where several are best."""
    wanted = Objective.parse(objective)
    found = Dpop(heuristic).solve(problem, wanted, Limits(seed=1))
    best = brute_force(problem, wanted)
    if best is None:
        assert found.ending == "infeasible"
        assert not found.feasible
    else:
        assert found.feasible, found.faults
        assert wanted.key(problem, found.starts) == wanted.key(problem, best)
        assert found.gap == 0


drawn = (problems(max_jobs=4), st.sampled_from(OBJECTIVES), st.sampled_from(CHOICES))


@given(*drawn)
@settings(max_examples=300, deadline=None)
def test_finds_what_trying_everything_finds(
    problem: Problem, objective: str, heuristic: str
) -> None:
    """DPOP is complete: by every objective, on every tree, nothing better exists."""
    same_as_brute_force(problem, objective, heuristic)


@pytest.mark.slow
@given(*drawn)
@settings(max_examples=MANY, deadline=None)
def test_finds_it_on_thousands_of_problems(
    problem: Problem, objective: str, heuristic: str
) -> None:
    """The same on many more draws."""
    same_as_brute_force(problem, objective, heuristic)


@given(problems(max_jobs=8, max_slots=6), st.booleans(), st.sampled_from(CHOICES))
@settings(max_examples=150, deadline=None)
def test_every_message_equals_the_plain_one(
    problem: Problem, makespan: bool, heuristic: str
) -> None:
    """The native kernel skips the join, not a single cell of the message."""
    network = ConstraintNetwork.of(problem, may_leave_out=not makespan)
    if 0 in network.sizes:
        return
    tree = make_tree(network, heuristic, seed=1)
    utilities = (
        makespan_utilities(network)
        if makespan
        else sum_utilities(network, [job.value for job in problem.jobs], ["value", "sum-of-starts"])
    )
    same_messages(network, tree, utilities)
    assert (
        propagate(network, tree, utilities).utility == plain_dpop(network, tree, utilities).utility
    )


@pytest.mark.parametrize("seed", [1, 4])
@pytest.mark.parametrize("makespan", [True, False])
def test_large_messages_equal_the_plain_ones(seed: int, makespan: bool) -> None:
    """With 10,000 cells and more, threads share the work, and vectors are full or partial."""
    network = ConstraintNetwork.of(
        generate_problem(20, slots=9 + seed, seed=seed), may_leave_out=False
    )
    tree = make_tree(network, "min-fill")
    assert max(tree.cells(network.sizes)) > 10_000
    same_messages(
        network,
        tree,
        makespan_utilities(network)
        if makespan
        else sum_utilities(network, [1.0] * 20, ["sum-of-starts"]),
    )


def same_messages(network: ConstraintNetwork, tree: PseudoTree, utilities: Utilities) -> None:
    """Compare every cell that is sent with that of plain numpy."""
    sent: dict[int, UtilMessage] = {}
    nodes = tree_nodes(network, tree, utilities)
    for job in reversed(tree.order):
        children = [sent[child] for child in tree.children[job]]
        sent[job] = nodes[job].util(children, threads=2)
        np.testing.assert_array_equal(sent[job].table, plain_util(nodes[job], children).table)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["one-or-two", "ring", "uniform"])
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_agrees_with_cpsat_on_larger_problems(kind: str, objective: str) -> None:
    """Fifteen jobs are too many to try everything, but two complete methods must agree."""
    wanted = Objective.parse(objective)
    for seed, slots in ((1, 5), (2, 8), (3, 11)):
        problem = generate_problem(15, kind=kind, seed=seed, slots=slots)
        found = Dpop().solve(problem, wanted, Limits())
        other = CpSat().solve(problem, wanted, Limits())
        assert found.feasible == other.feasible
        if found.feasible:
            assert wanted.key(problem, found.starts) == wanted.key(problem, other.starts)
