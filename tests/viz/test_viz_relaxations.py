"""Pictures of what relaxations of DPOP cost and save."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from schedlab.viz.coalloc import (
    draw_accuracy_by_edges,
    draw_cycles,
    draw_relaxations,
    relaxations,
)

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def results() -> pl.DataFrame:
    """Two instances of 20 and of 30 jobs of one kind, under the control and one relaxation."""
    control = {"policy": "restart-greedy", "accuracy": 1.0, "solved": 1.0}
    rows = [{"jobs": jobs, **control} for jobs in (20, 20, 30, 30)]
    for jobs, accuracy, edges in ((20, 1.0, 4), (20, 0.8, 6), (30, 0.9, 21), (30, None, 35)):
        found = {"jobs": jobs, "policy": "wd", "accuracy": accuracy, "deleted_edges": float(edges)}
        more = {"solved": float(accuracy is not None), "width_reduction": 3.0, "cycles": 8.0}
        rows.append({**found, **more, "cycles_before": 10.0})
    return pl.DataFrame(rows).with_columns(workload=pl.lit("ring"))


def test_means_are_over_the_instances_that_have_a_value(results: pl.DataFrame) -> None:
    """Of two answers for 30 jobs one is infeasible: accuracy is the other's, half are solved."""
    axes = draw_relaxations(results).axes
    assert [panel.get_title(loc="left") for panel in axes] == [
        "accuracy where solved",
        "share solved",
        "deleted edges",
        "width reduction",
    ]
    means = np.array([[0.9, 0.9], [1, 0.5], [5, 28], [3, 3]])
    for panel, expected in zip(axes, means, strict=True):
        line = panel.get_lines()[-1]
        assert line.get_label() == "wd"
        np.testing.assert_allclose(np.asarray(line.get_xdata()), [20, 30])
        np.testing.assert_allclose(np.asarray(line.get_ydata()), expected)


def test_accuracy_over_edges_is_of_groups(
    results: pl.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    """4 and 6 edges make one point, 21 another; what is not solved has no accuracy."""
    monkeypatch.setattr(relaxations, "GROUPS", 2)
    (panel,) = draw_accuracy_by_edges(results).axes
    (line,) = panel.get_lines()
    np.testing.assert_allclose(np.asarray(line.get_xdata()), [5, 21])
    np.testing.assert_allclose(np.asarray(line.get_ydata()), [0.9, 0.9])


def test_cycles_stand_beside_those_of_the_whole_problem(results: pl.DataFrame) -> None:
    """The cycles before are a dashed line, those after a solid one."""
    (panel,) = draw_cycles(results).axes
    before, after = panel.get_lines()
    assert (before.get_linestyle(), after.get_linestyle()) == ("--", "-")
    np.testing.assert_allclose(np.asarray(before.get_ydata()), [10, 10])
    np.testing.assert_allclose(np.asarray(after.get_ydata()), [8, 8])
