"""DPOP: what it sends, what it refuses, and how exact it is."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import numpy as np
import pytest

from schedlab._core import Combine, util_table_float32
from schedlab.coalloc import (
    CoallocJob,
    Limits,
    MessageStatistics,
    Objective,
    Problem,
    generate_problem,
    solve,
)
from schedlab.coalloc.dpop import Dpop
from schedlab.coalloc.network import ConstraintNetwork
from schedlab.coalloc.orders import make_tree
from schedlab.coalloc.propagation import tree_nodes
from schedlab.coalloc.split import Split
from schedlab.coalloc.utility import sum_utilities
from schedlab.coalloc.wd import WidthDeletion
from schedlab.errors import MemoryLimitError, ProblemError, UnknownNameError
from schedlab.testing.coalloc.check_solver import figure_1, one_resource


def test_messages_of_figure_1() -> None:
    """By hand: UTIL of 20 + 400 + 400 + 20 cells of 4 bytes, VALUE of 1 + 2 + 2 + 1 values of 4.

    The longest way up has three messages, and as many come down.
    """
    found = solve(figure_1(), "dpop:heuristic=max-degree", "makespan")
    assert found.messages == MessageStatistics(
        cycles=6,
        messages=8,
        bytes=840 * 4 + 6 * 4,
        largest_cells=400,
        largest_bytes=1600,
        width=2,
    )
    assert found.makespan == 3  # E1, E3 and E4 all need B


def test_a_job_that_may_be_left_out_has_one_value_more() -> None:
    """The domain of E1 and E4 is 20 slots or none: 21 x 21 cells."""
    messages = solve(figure_1(), "dpop:heuristic=max-degree", "value").messages
    assert messages is not None
    assert messages.largest_cells == 441


def test_leaves_out_what_is_worth_least() -> None:
    """Three slots for jobs of 2, 2 and 1 hold the more valuable long job and the short one."""
    found = solve(one_resource(2, 2, 1, slots=3, values=(4.0, 5.0, 1.0)), "dpop", "value")
    assert found.value == found.bound == 6
    assert found.unscheduled == (0,)


def test_says_that_nothing_is_feasible() -> None:
    """Four slots of work do not fit into three, and DPOP proves it."""
    found = Dpop().solve(one_resource(2, 2, slots=3), Objective(("makespan",)), Limits())
    assert found.ending == "infeasible"
    assert not found.feasible


def test_a_job_without_any_start_makes_all_infeasible() -> None:
    """A job longer than the time domain has an empty domain."""
    starts = Dpop().solve(one_resource(1, 4, slots=3), Objective(("sum-of-starts",)), Limits())
    assert starts.ending == "infeasible"
    assert solve(one_resource(1, 4, slots=3), "dpop", "value").value == 1


def test_starts_early_among_equals() -> None:
    """All choices of a lone job without value are equal: it takes the first slot, not none."""
    free = Problem(("R",), (CoallocJob("E1", (0,), 2, value=0.0),), 5)
    assert solve(free, "dpop", "value").starts == (1,)


def test_refuses_what_does_not_fit_and_names_the_size() -> None:
    """A clique of 12 jobs has a message of 20^11 cells; it is refused before anything is made."""
    with pytest.raises(MemoryLimitError, match="11 variables need 784 TiB"):
        solve(one_resource(*[1] * 12, slots=20), "dpop", "makespan")


def test_relaxes_to_the_memory_when_asked() -> None:
    """With 100 kB for all messages the same clique is solved, by a narrower tree."""
    crowd = one_resource(*[1] * 12, slots=20)
    found = solve(crowd, "dpop:relax=wd", "makespan", Limits(memory_bytes=100_000))
    assert found.makespan == found.bound == 12
    assert found.messages is not None
    assert found.messages.largest_bytes < 100_000


def test_relaxes_only_where_it_must() -> None:
    """A problem that fits into the memory is solved completely."""
    assert "rounds" not in solve(figure_1(), "dpop:relax=wd", "makespan").counters


@pytest.mark.parametrize(("value", "cell_bytes"), [(1e6, 4), (1e7, 8), (1e12, 8)])
def test_cells_are_as_large_as_exactness_needs(value: float, cell_bytes: int) -> None:
    """A difference of 1 between large values decides; 4 bytes are exact below 2^24 only."""
    crowd = one_resource(1, 1, 1, slots=2, values=(value, value + 1, value + 2))
    found = solve(crowd, "dpop", "value")
    assert found.unscheduled == (0,)
    assert found.messages is not None
    assert found.messages.largest_bytes == found.messages.largest_cells * cell_bytes


def test_decimal_values_add_up_exactly() -> None:
    """0.1 + 0.2 equals 0.3, so that the later criterion decides: two slots early beat two late."""
    jobs = (
        CoallocJob("E1", (0,), 1, 0.1, deadline=2),
        CoallocJob("E2", (0,), 1, 0.2, deadline=2),
        CoallocJob("E3", (0,), 2, 0.3, deadline=2),
    )
    found = solve(Problem(("R",), jobs, 2), "dpop", "value,sum-of-starts")
    assert found.starts == (None, None, 1)


def test_values_with_too_many_digits_are_refused_where_they_must_be_compared() -> None:
    """Seventeen digits times the range of starts are more than 8 bytes hold exactly."""
    crowd = one_resource(1, 1, slots=9, values=(0.12345678901234567, 98765.4321012345))
    assert solve(crowd, "dpop", "value").unscheduled == ()
    with pytest.raises(ProblemError, match="too many digits"):
        solve(crowd, "dpop", "value,sum-of-starts")


def test_threads_change_nothing() -> None:
    """Threads share large messages, and each cell stays the same."""
    problem = generate_problem(20, kind="one-or-two", seed=1)
    one, two = (solve(problem, "dpop", "sum-of-starts", Limits(threads=t)) for t in (1, 2))
    assert one.starts == two.starts


def test_a_node_computes_from_what_it_is_told() -> None:
    """A node and its messages are all that another process needs to compute the same."""
    network = ConstraintNetwork.of(figure_1(), may_leave_out=True)
    tree = make_tree(network, "max-degree")
    nodes = tree_nodes(network, tree, sum_utilities(network, [1.0] * 5, ["value"]))
    below = nodes[1].util([])
    far_node, far_below = pickle.loads(pickle.dumps((nodes[3], below)))
    near, far = nodes[3].util([below]), far_node.util([far_below])
    assert near.separator == far.separator == (0, 2)
    np.testing.assert_array_equal(near.table, far.table)
    assert far_node.choose({0: 1, 2: 2}, [far_below]) == 3


@pytest.mark.parametrize(
    "make",
    [
        lambda: solve(figure_1(), Dpop(heuristic="min-fil")),
        lambda: Dpop(relax="dw"),
        lambda: WidthDeletion(form="save"),
        lambda: Split(by="indices"),
    ],
)
def test_unknown_names_are_refused(make: Callable[[], object]) -> None:
    """A slip in a name must not mean another algorithm."""
    with pytest.raises(UnknownNameError, match="did you mean"):
        make()


def test_the_kernel_checks_what_it_is_given() -> None:
    """A child's table of the wrong shape would be read beyond its end."""
    starts, utility = np.arange(1, 4, dtype=np.int32), np.zeros(3, dtype=np.float32)
    short = np.zeros(2, dtype=np.float32)
    with pytest.raises(ValueError, match="does not fit"):
        util_table_float32(starts, 1, utility, [], [(short, [])], Combine.SUM)
    with pytest.raises(ValueError, match="needs values"):
        util_table_float32(starts, 1, short, [], [], Combine.SUM)
    nobody = np.zeros(0, dtype=np.int32)
    assert util_table_float32(starts, 1, utility, [(nobody, 1, True)], [], Combine.SUM).size == 0
