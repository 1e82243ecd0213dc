"""Pictures of co-allocation."""

from __future__ import annotations

import numpy as np
import pytest

from schedlab.coalloc import Objective, Problem, Solution, generate_problem, solve
from schedlab.coalloc.network import ConstraintNetwork
from schedlab.coalloc.orders import make_tree
from schedlab.testing.coalloc.check_solver import figure_1
from schedlab.viz import draw_coalloc_gantt, draw_constraint_graph, draw_pseudo_tree

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def problem() -> Problem:
    """The paper's five jobs on six resources."""
    return figure_1(slots=6)


def test_a_job_is_drawn_on_each_of_its_resources(problem: Problem) -> None:
    """Its rectangles share slot and colour; AB, AF, BCD, BDF and CE make twelve of them."""
    (axes,) = draw_coalloc_gantt(solve(problem, "greedy")).axes
    assert len(axes.patches) == 12
    colours: dict[str, set[object]] = {}
    for patch, text in zip(axes.patches, axes.texts, strict=True):
        colours.setdefault(text.get_text(), set()).add(patch.get_facecolor())
    assert sorted(colours) == ["E1", "E2", "E3", "E4", "E5"]
    assert all(len(each) == 1 for each in colours.values())


def test_the_title_says_how_good_a_schedule_is(problem: Problem) -> None:
    """The title also says if a schedule is not feasible."""
    good = draw_coalloc_gantt(solve(problem, "greedy")).axes[0].get_title(loc="left")
    assert good == "problem, greedy: 5 of 5 jobs, value 5, makespan 3, optimal"
    wrong = Solution(problem, (1, 1, None, None, 2), "by hand", Objective())
    axes = draw_coalloc_gantt(wrong).axes[0]
    assert "not feasible" in axes.get_title(loc="left")
    assert max(patch.get_linewidth() for patch in axes.patches) > 1


def test_the_graph_joins_what_conflicts(problem: Problem) -> None:
    """There are six conflicts, and no two jobs are drawn at the same place."""
    (axes,) = draw_constraint_graph(problem).axes
    lines, nodes = axes.collections
    assert len(lines.get_paths()) == 6
    places = np.asarray(nodes.get_offsets()).round(2)
    assert len({tuple(place) for place in places.tolist()}) == 5


def test_many_jobs_are_drawn_without_names() -> None:
    """The names would cover each other."""
    assert not draw_constraint_graph(generate_problem(100)).axes[0].texts


def test_the_tree_shows_back_edges_and_separators(problem: Problem) -> None:
    """Six conflicts: four are tree edges, two are back edges; the root has no separator."""
    tree = make_tree(ConstraintNetwork.of(problem, may_leave_out=False), "max-degree")
    (axes,) = draw_pseudo_tree(problem, tree).axes
    assert len(axes.lines) == 4
    assert len(axes.patches) == 2
    said = {text.get_text() for text in axes.texts}
    assert "{E1 E4}" in said or "{E4 E1}" in said
