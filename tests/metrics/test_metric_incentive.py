"""Whether accurate users fare better: rank correlation, distance to the line, share above it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedlab.errors import UnknownNameError
from schedlab.metrics import METRICS, incentive_points
from schedlab.metrics.incentive import INCENTIVES, MEASURES, spearman
from schedlab.platform import Platform
from schedlab.sim import JobOutcome, Schedule, simulate
from schedlab.workload import Workload, generate

Treatment = tuple[float, int, int]
"""For a user: the accuracy of every request, the wait of every job, and the number of jobs."""


def treated(*users: Treatment, promised: bool = True, names: tuple[str, ...] = ()) -> Schedule:
    """Return jobs of 1000 s on two nodes, user after user; promises, if any, are for at once."""
    of = np.repeat(np.arange(len(users)), [jobs for _, _, jobs in users])
    accuracy, wait_s, _ = np.array(users).T[:, of]
    submit_s = 10_000 * np.arange(len(of))
    start_s = (submit_s + wait_s).astype(np.int64)
    columns = {
        "job_id": np.arange(len(of)),
        "submit_s": submit_s,
        "nodes": np.full(len(of), 2),
        "request_s": np.rint(1000 / accuracy).astype(np.int64),
        "run_s": np.full(len(of), 1000),
        "user": of,
    }
    return Schedule(
        Workload(columns, labels={"user": names} if names else None),
        Platform.homogeneous(4),
        "by hand",
        start_s,
        start_s + 1000,
        submit_s,
        submit_s if promised else np.full(len(of), -1),
        np.full(len(of), JobOutcome.COMPLETED, dtype=np.int8),
    )


FAIR = ((1.0, 0, 10), (0.4, 500, 12), (0.1, 1000, 10))
"""The accurate user waits least; the one in between is below the line, the last above it."""


def value(name: str, schedule: Schedule) -> float:
    """Return the value of the metric with this name."""
    return METRICS[name].value(schedule)


@pytest.mark.parametrize(
    ("x", "y", "correlation"),
    [
        ([1, 2, 3, 4], [10, 20, 40, 30], 0.8),
        ([1, 2, 3], [9, 5, 1], -1),
        ([1, 2, 2, 3], [1, 3, 2, 4], 4.5 / math.sqrt(4.5 * 5)),
        ([1, 1, 1], [1, 2, 3], math.nan),
    ],
)
def test_spearman_by_hand(x: list[float], y: list[float], correlation: float) -> None:
    """1 - 6 Σ d² / (n³ - n) without ties; with them Pearson's correlation of mean ranks."""
    assert spearman(x, y) == pytest.approx(correlation, nan_ok=True)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=3, max_size=20))
def test_spearman_as_scipy_has_it(pairs: list[tuple[int, int]]) -> None:
    """An independent implementation, on draws full of ties; constants have no correlation."""
    stats = pytest.importorskip("scipy.stats")
    x, y = zip(*pairs, strict=True)
    constant = len(set(x)) == 1 or len(set(y)) == 1
    expected = math.nan if constant else stats.spearmanr(x, y).statistic
    assert spearman(x, y) == pytest.approx(expected, nan_ok=True, abs=1e-9)


def test_users_as_points() -> None:
    """After ten jobs a user's WRSA is almost the jobs' accuracy; waits are per node."""
    points = incentive_points(treated(*FAIR, names=("ann", "bob", "eve")), "wait")
    assert points["user"].to_list() == ["ann", "bob", "eve"]
    assert points["jobs"].to_list() == [10, 12, 10]
    assert points["wrsa"].to_list() == pytest.approx([1.0, 0.4, 0.1], abs=1e-5)
    assert points["value"].to_list() == [0, 250, 500]
    assert points["scaled"].to_list() == [0, 0.5, 1]


@pytest.mark.parametrize("measure", MEASURES)
def test_the_numbers_by_hand(measure: str) -> None:
    """Of (0, 1), (0.5, 0.4) and (1, 0.1) the last two miss y = 1 - x by 0.1, one from above."""
    schedule = treated(*FAIR)
    assert value(f"incentive_{measure}", schedule) == pytest.approx(-1)
    distance = value(f"incentive_{measure}_distance", schedule)
    assert distance == pytest.approx(0.2 / 3 / math.sqrt(2), abs=1e-5)
    assert value(f"incentive_{measure}_above", schedule) == pytest.approx(1 / 3)


def test_punished_for_accuracy() -> None:
    """The correlation is positive where users who estimate well wait longer."""
    schedule = treated((1.0, 900, 10), (0.5, 500, 10), (0.1, 0, 10))
    assert value("incentive_slowdown", schedule) == pytest.approx(1)


UNDEFINED = {
    "two users": FAIR[:2],
    "a third with nine jobs": (*FAIR[:2], (0.1, 1000, 9)),
    "all fare alike": ((1.0, 50, 10), (0.5, 50, 10), (0.1, 50, 10)),
}


@pytest.mark.parametrize("name", INCENTIVES)
@pytest.mark.parametrize("case", UNDEFINED)
def test_undefined_without_users_to_compare(case: str, name: str) -> None:
    """A rank among two says nothing, and neither does one where all are equal."""
    assert math.isnan(value(name, treated(*UNDEFINED[case])))


def test_equally_accurate_users_are_not_ranked() -> None:
    """What is left of the initial WRSA of 1 depends on the number of jobs, not on accuracy."""
    schedule = treated((0.2, 0, 10), (0.2, 500, 11), (0.2, 1000, 12))
    assert math.isnan(value("incentive_wait", schedule))
    assert value("incentive_wait_distance", schedule) > 0


def test_no_promise_no_delay() -> None:
    """Under policies without reservations no job can be late."""
    schedule = treated(*FAIR, promised=False)
    assert len(incentive_points(schedule, "delay")) == 0
    assert math.isnan(value("incentive_delay", schedule))


def test_unknown_users_are_nobody() -> None:
    """A trace without users has no points, and an unknown measure is a mistake."""
    schedule = simulate(generate("lublin:nodes=8", 50), 8, "easy")
    assert len(incentive_points(schedule, "wait")) == 0
    with pytest.raises(UnknownNameError, match='did you mean "wait"'):
        incentive_points(schedule, "waits")


def test_a_correlation_is_signed() -> None:
    """Quotients of correlations say nothing; those of distances and shares do."""
    signed = {name for name, metric in INCENTIVES.items() if metric.signed}
    assert signed == {f"incentive_{measure}" for measure in MEASURES}
