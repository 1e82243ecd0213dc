"""Width deletion: as published it may lose every solution, in the safe form it does not."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schedlab.coalloc import Limits, Objective, Problem, generate_problem, solve
from schedlab.coalloc.bounds import best_bound
from schedlab.coalloc.greedy import Greedy
from schedlab.coalloc.integral import integral_values
from schedlab.coalloc.narrowing import MessageBound, delete_edges
from schedlab.coalloc.network import ConstraintNetwork, Variable
from schedlab.coalloc.orders import CHOICES, make_tree
from schedlab.coalloc.utility import disturbed_values
from schedlab.coalloc.wd import WidthDeletion
from schedlab.errors import ParameterError
from schedlab.testing.coalloc import brute_force
from schedlab.testing.coalloc.check_solver import one_resource
from schedlab.testing.coalloc.strategies import problems

OBJECTIVES = st.sampled_from(("value", "makespan", "sum-of-starts", "value,makespan"))


@given(problems(), OBJECTIVES, st.integers(1, 2), st.sampled_from(CHOICES))
@settings(max_examples=60, deadline=None)
def test_never_overlaps_and_never_claims_too_much(
    problem: Problem, objective: str, width: int, heuristic: str
) -> None:
    """Domains replace deleted edges: an answer is feasible, or says that it is not.

    It is never better than the optimum, and "infeasible" is a proof.
    """
    wanted = Objective.parse(objective)
    best = brute_force(problem, wanted)
    for form in ("safe", "published"):
        solver = WidthDeletion(width, form, heuristic, rounds=3)
        found = solver.solve(problem, wanted, Limits())
        assert not found.overlaps()
        assert found.messages is not None
        assert found.messages.width <= width
        if best is None:
            assert not found.feasible
        elif found.feasible:
            assert wanted.key(problem, found.starts) >= wanted.key(problem, best)
        if found.ending == "infeasible":
            assert best is None


@given(problems(max_jobs=4), OBJECTIVES)
@settings(max_examples=50, deadline=None)
def test_a_tree_that_is_narrow_enough_is_solved_completely(
    problem: Problem, objective: str
) -> None:
    """Nothing is fixed, so one round is DPOP itself, and its answer is proven."""
    wanted = Objective.parse(objective)
    found = WidthDeletion(width=4).solve(problem, wanted, Limits())
    best = brute_force(problem, wanted)
    if best is None:
        assert found.ending == "infeasible"
    else:
        assert wanted.key(problem, found.starts) == wanted.key(problem, best)


def test_as_published_two_adjacent_ancestors_may_get_the_first_slots() -> None:
    """Six jobs on one resource at width 2: three ancestors are all confined to slot 1."""
    crowd = one_resource(1, 1, 1, 1, 1, 1, slots=20)
    found = solve(crowd, "wd:width=2,form=published", "makespan")
    assert not found.feasible
    assert found.ending == "finished"  # the relaxed problem has no solution; nothing is proven
    assert solve(crowd, "wd:width=2", "makespan").makespan == 6


def test_published_deletion_confines_both_ends() -> None:
    """The first ancestor gets slots 1 to its length; jobs in conflict with it get later ones."""
    network = ConstraintNetwork.of(one_resource(2, 1, 1, 1, slots=9), may_leave_out=False)
    tree = make_tree(network, "max-degree")
    narrow, narrower = delete_edges(network, tree, 2)
    assert narrower.width == 2
    assert narrow.edges == network.edges - 1
    assert narrow.variables[0].starts.tolist() == [1]
    assert all(variable.starts[0] == 3 for variable in narrow.variables[1:])


def test_more_rounds_are_never_worse() -> None:
    """Every round can find the best of earlier rounds again."""
    problem = generate_problem(30, seed=2, slots=8)
    values = [solve(problem, f"wd:width=2,rounds={r}", "value").value for r in (1, 3, 9)]
    assert values == sorted(values)
    assert values[0] >= Greedy().solve(problem, Objective(), Limits()).value


def test_rounds_leave_what_none_of_them_betters() -> None:
    """Disturbed values lead on to the optimum of 113; undisturbed rounds end at 111."""
    problem = generate_problem(30, seed=3, slots=6)
    assert solve(problem, "wd:width=3", "value").value == 113


def test_later_criteria_get_rounds_too() -> None:
    """Every second round is for both criteria, so a short schedule of that value is found."""
    problem = one_resource(1, 1, 1, 2, 2, slots=9, values=(9.0, 9.0, 9.0, 1.0, 1.0))
    found = solve(problem, "wd:width=1,rounds=20", "value,makespan")
    assert (found.value, found.makespan) == (29, 7)


def test_cells_may_be_bounded_in_place_of_the_width() -> None:
    """Fixed jobs make domains smaller: more than five variables fit into 2,000 cells."""
    problem = generate_problem(40, seed=2, slots=8)
    messages = solve(problem, "wd:cells=2000,rounds=10", "value").messages
    assert messages is not None
    assert messages.largest_cells <= 2000
    assert messages.width > 5


@pytest.mark.parametrize(
    ("bound", "sizes", "excess"),
    [
        (MessageBound(width=2), [9, 9, 9, 9], 2),
        (MessageBound(width=5), [9], 0),
        (MessageBound(width=1, cells=12), [3, 2, 2], 0),
        (MessageBound(width=1, cells=11), [3, 2, 2], 1),
        (MessageBound(width=1, cells=1), [3, 1, 2], 2),
        (MessageBound(width=1, cells=1), [], 0),
    ],
)
def test_what_exceeds_a_bound(bound: MessageBound, sizes: list[int], excess: int) -> None:
    """The excess is how many variables must go at least, largest domains first."""
    assert bound.excess(sizes) == excess


def test_edges_between_jobs_that_cannot_overlap_are_void() -> None:
    """Jobs in slot 1, in slots 2 or 3, and in slot 4 need no edge between them."""
    variables = [Variable(np.array(starts, dtype=np.int32), 1) for starts in ([1], [0, 2, 3], [4])]
    variables.append(Variable(np.array([3], dtype=np.int32), 2))
    everyone = frozenset(range(4))
    network = ConstraintNetwork(tuple(variables), tuple(everyone - {job} for job in range(4)))
    assert network.without_void_edges().neighbours == (
        frozenset(),
        frozenset({3}),
        frozenset({3}),
        frozenset({1, 2}),
    )


@given(st.lists(st.floats(0, 1e9), min_size=1, max_size=8), st.integers(0, 9))
@settings(max_examples=100, deadline=None)
def test_disturbed_values_are_whole_and_close(values: list[float], seed: int) -> None:
    """Sums of whole numbers are exact in any order, and no start gains more than allowed."""
    starts = Variable(np.array([0, 1, 2], dtype=np.int32), 1)
    network = ConstraintNetwork((starts,) * len(values), (frozenset(),) * len(values))
    found = disturbed_values(network, values, 0.2, np.random.default_rng(seed))
    whole, scale = integral_values(values)
    most = 0.2 * sum(whole) / len(whole) / scale + 2 * found.unit
    for table, each in zip(found.tables, whole, strict=True):
        assert (table == np.round(table)).all()
        value = each / scale
        gained = table.astype(np.float64) * found.unit - value * (starts.starts != 0)
        assert (gained >= -1e-9 * value).all()
        assert (gained <= most + 1e-9 * value).all()


def test_a_solution_with_too_many_slots_is_shortened() -> None:
    """The earliest free slots leave no way to end in slot 17, but there is one."""
    problem = generate_problem(30, seed=3, slots=17)
    assert not solve(problem, "wd:rounds=1", "makespan").feasible
    assert solve(problem, "wd", "makespan").makespan == 17
    assert solve(problem, "wd:rounds=5", "sum-of-starts").feasible


def test_counts_what_it_gave_up() -> None:
    """The counters hold deleted edges and the widths, as in the paper's Figure 3."""
    counters = solve(generate_problem(30, seed=2), "wd:form=published", "makespan").counters
    assert counters["width before"] > counters["width after"] == 5
    assert counters["deleted edges"] > 0


def test_the_time_limit_ends_the_rounds() -> None:
    """Rounds start while there is time; the answer is the best found so far."""
    problem = generate_problem(50, seed=2, slots=10)
    found = solve(problem, "wd:rounds=100000,width=3", "value", Limits(time_s=0.2))
    assert found.ending == "time-limit"
    assert found.feasible


def test_as_published_it_is_the_width_that_is_bounded() -> None:
    """The paper deletes edges until the width is small enough; it does not count cells."""
    with pytest.raises(ParameterError, match="leave out cells"):
        solve(one_resource(1, slots=1), "wd:form=published,cells=9")


@pytest.mark.parametrize("text", ["wd:width=0", "wd:rounds=0", "wd:cells=0"])
def test_a_bound_below_one_is_refused(text: str) -> None:
    """Agents could not communicate in messages without any variable."""
    with pytest.raises(ParameterError, match="must be >= 1"):
        solve(one_resource(1, slots=1), text)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["one-or-two", "ring", "uniform"])
def test_accuracy_of_the_paper_is_reached(kind: str) -> None:
    """At width 5, every instance that its bound leaves feasible gets a solution."""
    accuracies = []
    for jobs in (20, 30, 40):
        for seed in range(4):
            problem = generate_problem(jobs, kind=kind, seed=seed)
            bound = best_bound(problem, "makespan")
            if bound <= problem.slots:
                found = solve(problem, "wd", "makespan")
                assert found.feasible, problem.name
                accuracies.append(bound / found.makespan)
    assert np.mean(accuracies) >= 0.99
