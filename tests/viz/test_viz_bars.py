"""Gantt charts of nodes that jobs share."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedlab import Platform, Workload, simulate
from schedlab.sim import Schedule
from schedlab.viz import draw_gantt
from schedlab.viz.bars import bars_of
from schedlab.viz.occupancy import occupancy

FOUR_CORES = Platform.homogeneous(2, cores=4)


def schedule(run_s: list[int], cores: list[int], nodes: list[int] | None = None) -> Schedule:
    """Return an FCFS schedule of jobs that come at once; -1 cores means whole nodes."""
    count = len(run_s)
    columns = {"job_id": range(1, count + 1), "submit_s": [0] * count, "run_s": run_s}
    asked = {"nodes": nodes or [1] * count, "request_s": run_s, "cores_per_node": cores}
    return simulate(Workload({**columns, **asked}), FOUR_CORES, "fcfs")


def test_jobs_on_a_node_stand_above_each_other() -> None:
    """Jobs 1 and 2 have two cores and one of node 0; job 3 has all of node 1."""
    bars = bars_of(schedule([10, 10, 10], [2, 1, -1]))
    found = dict(zip(bars.job.tolist(), zip(bars.bottom, bars.top, strict=True), strict=True))
    assert found[0] == pytest.approx((-0.5, 0.0))
    assert found[1] == pytest.approx((0.0, 0.25))
    assert found[2] == (0.5, 1.5)


def test_a_job_takes_the_lowest_gap() -> None:
    """The first job ends at 5; a job that follows takes its place, not the top."""
    bars = bars_of(schedule([5, 10, 10, 10], [2, 2, 4, 2]))
    fourth = bars.job.tolist().index(3)
    assert (bars.bottom[fourth], bars.top[fourth]) == pytest.approx((-0.5, 0.0))


def test_a_job_that_shares_several_nodes_has_a_bar_on_each() -> None:
    """The bars of one job need not be at the same height."""
    bars = bars_of(schedule([10, 10], [1, 2], [1, 2]))
    of_second = bars.job == 1
    assert of_second.sum() == 2
    assert (bars.top - bars.bottom)[of_second].tolist() == pytest.approx([0.5, 0.5])


def test_whole_nodes_are_ranges_as_ever() -> None:
    """A job on whole nodes has one bar for each range of nodes."""
    found = simulate(schedule([10, 20], [-1, -1], [2, 1]).workload, 2, "fcfs")
    bars = bars_of(found)
    assert bars.bottom.tolist() == (found.named_nodes().first - 0.5).tolist()
    assert bars.top.tolist() == (found.named_nodes().last + 0.5).tolist()


@given(st.lists(st.tuples(st.integers(1, 20), st.sampled_from([-1, 1, 2, 3, 4])), min_size=1))
def test_bars_stay_within_their_nodes_and_hold_their_shares(jobs: list[tuple[int, int]]) -> None:
    """An image of the same schedule has as much colour as cores were held."""
    found = schedule([run for run, _ in jobs], [cores for _, cores in jobs])
    bars = bars_of(found)
    assert np.all(bars.bottom >= np.floor(bars.bottom + 0.5) - 0.5 - 1e-9)
    held = np.where(found.workload["cores_per_node"] < 0, 4, found.workload["cores_per_node"])
    assert (bars.top - bars.bottom).tolist() == pytest.approx((held[bars.job] / 4).tolist())
    none = np.zeros(len(found), dtype=np.int64)
    end_s = found.horizon_s()[1]
    image = occupancy(found, none, 1, (0, end_s), (2, 7))[0]
    assert image.sum() * end_s / 7 == pytest.approx((held * found.ran_s).sum() / 4)


def test_the_picture_numbers_parts_that_are_high_enough() -> None:
    """Half of a node is high enough if there are two nodes; the numbers stand in their bars."""
    figure = draw_gantt([schedule([10, 10, 10], [2, 2, 4])])
    texts = {text.get_text(): text.get_position()[1] for text in figure.axes[0].texts}
    assert texts == pytest.approx({"1": -0.25, "2": 0.25, "3": 1.0})
