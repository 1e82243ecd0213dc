"""What pictures are made of: occupancy, thinned curves, time axes, labels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedlab.metrics import METRICS
from schedlab.sim import Schedule, simulate
from schedlab.testing.strategies import workloads
from schedlab.viz.curves import band, cumulative
from schedlab.viz.labels import metric_label, value_label
from schedlab.viz.occupancy import mixed_colours, occupancy
from schedlab.viz.time_axis import TimeAxis
from schedlab.workload import Workload


@given(workloads(8), st.integers(1, 12), st.integers(1, 40))
def test_occupancy_keeps_every_node_second(workload: Workload, rows: int, columns: int) -> None:
    """At any scale the shades add up to the node-seconds used, and no pixel is over-full."""
    schedule = simulate(workload, 8, "easy")
    first, last = schedule.horizon_s()
    if last == first:
        return
    classes = schedule.workload["user"]
    shares = occupancy(schedule, classes, 4, (first, last), (rows, columns))
    pixel = (8 / rows) * ((last - first) / columns)
    for user in range(4):
        mine = (workload["nodes"] * schedule.ran_s)[classes == user].sum()
        assert shares[user].sum() * pixel == pytest.approx(mine, abs=1e-6)
    assert shares.sum(axis=0).max() <= 1 + 1e-9


def test_occupancy_by_hand(few: list[Schedule]) -> None:
    """In the first hour nodes 0-3 and 4 are busy: the lower row is full, a quarter of the upper."""
    none = np.zeros(4, dtype=np.int64)
    image = occupancy(few[0], none, 1, (0, 7200), (2, 2))[0]
    assert image == pytest.approx(np.array([[1.0, 0.0], [0.25, 0.25]]))


def test_pixels_outside_the_window_do_not_count(few: list[Schedule]) -> None:
    """A window in the second hour shows only the job that still runs."""
    none = np.zeros(4, dtype=np.int64)
    image = occupancy(few[0], none, 1, (3600, 7200), (8, 1))[0]
    assert image[:, 0].tolist() == pytest.approx([0, 0, 0, 0, 1, 0, 0, 0])


def test_colours_mix_by_share() -> None:
    """Nothing is white, full is the colour itself, a trace is pale but seen."""
    shares = np.array([[[0.0, 1.0, 0.0, 1e-4, 0.5]], [[0.0, 0.0, 1.0, 0.0, 0.5]]])
    rgb = mixed_colours(shares, ["#ff0000", "#0000ff"])[0]
    assert rgb[0].tolist() == [1, 1, 1]
    assert rgb[1].tolist() == [1, 0, 0]
    assert rgb[2].tolist() == [0, 0, 1]
    assert 0.7 < rgb[3][1] < 0.9
    assert rgb[4].tolist() == [0.5, 0, 0.5]


@given(workloads(8), st.integers(1, 50))
def test_bands_keep_mean_and_peak(workload: Workload, bins: int) -> None:
    """However few bins, the area under the curve and its greatest value stay."""
    schedule = simulate(workload, 8, "fcfs")
    axis = TimeAxis.over([schedule])
    series = schedule.queue_length()
    shown = band(series, axis, bins)
    area = np.dot(shown.mean, np.diff(shown.place)) * axis.unit_s
    assert area == pytest.approx(series.integral(axis.first_s, axis.last_s), abs=1e-6)
    assert shown.greatest.max() == series.at(np.arange(axis.first_s, axis.last_s)).max()
    assert np.all(shown.least <= shown.mean + 1e-9)
    assert np.all(shown.mean <= shown.greatest + 1e-9)


@given(st.lists(st.floats(0, 1e6)), st.integers(2, 40))
def test_cumulative_is_exact_where_it_is_drawn(drawn: list[float], points: int) -> None:
    """Each point of the curve is the true share, from the left edge to the right."""
    values = np.array([*drawn, np.nan])
    x, share = cumulative(values, 1.0, 1e6, points)
    assert (x[0], x[-1]) == (1.0, 1e6)
    assert len(x) <= points + 2
    for place, height in zip(x, share, strict=True):
        assert height == pytest.approx(np.mean(np.array(drawn) <= place) if drawn else 0)


@pytest.mark.parametrize(
    ("span_s", "unit"),
    [(200, "seconds"), (3600, "minutes"), (86400, "hours"), (86400 * 30, "days")],
)
def test_time_axis_suits_the_span(few: list[Schedule], span_s: int, unit: str) -> None:
    """No reader wants seconds over a month."""
    workload = few[0].workload.replace(
        submit_s=[0] * 4, nodes=[1] * 4, request_s=[span_s] * 4, run_s=[span_s] * 4
    )
    axis = TimeAxis.over([simulate(workload, 8, "fcfs")])
    assert axis.label == f"time since first submission ({unit})"
    assert axis.end * axis.unit_s == span_s


def test_labels_of_metrics() -> None:
    """The labels are those that the reader of a paper would use."""
    assert metric_label("wait") == "mean wait"
    assert metric_label("wait:percentile=95,weight=node_second") == "p95 wait, by node-second"
    assert metric_label("wait:percentile=50") == "median wait"
    assert metric_label("loss_of_capacity") == "loss of capacity"
    assert metric_label("mine.metrics:late_jobs") == "late jobs"


def test_labels_of_values() -> None:
    """Three digits, in a unit that suits."""
    wait, use = METRICS["wait"], METRICS["utilisation"]
    assert [value_label(value, wait) for value in (0, 59.94, 90, 5400, 2_386_000)] == [
        "0 s",
        "59.9 s",
        "1.50 min",
        "1.50 h",
        "27.6 d",
    ]
    assert value_label(0.93647, use) == "0.936"
    assert value_label(66502.3, use) == "66,502"
    assert value_label(float("nan"), use) == "–"
