"""Starts that lag by a few seconds, as on a real cluster."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from schedlab.audit import audit
from schedlab.errors import ParameterError
from schedlab.sim import Schedule, simulate
from schedlab.testing.instances import crowd, head_blocked, jobs

Moved = Callable[..., Schedule]


def lagging(policy: str, most_s: int) -> Schedule:
    """Return the schedule of a cluster that decides at once but starts jobs late.

    A job starts up to ``most_s`` seconds after the decision.
    """
    workload = crowd()
    lag_s = np.random.default_rng(3).integers(0, most_s + 1, len(workload))
    ideal = simulate(
        workload.replace(run_s=workload["run_s"] + lag_s), 16, policy, kill_at_request=False
    )
    return replace(ideal, workload=workload, start_s=ideal.start_s + lag_s)


@pytest.mark.parametrize("policy", ["fcfs", "easy", "sjf+easy", "conservative"])
def test_lags_within_the_tolerance_do_not_add_up(policy: str) -> None:
    """Each job holds its nodes until its observed end, so that later jobs see the same machine."""
    schedule = lagging(policy, 5)
    assert audit(schedule, policy, tolerance=5).faithful
    assert not audit(schedule, policy, tolerance=0).faithful


def test_a_lag_beyond_the_tolerance_departs() -> None:
    """The first job that lags by more is named, though others lagged before it."""
    schedule = lagging("easy", 5)
    verdict = audit(schedule, "easy", tolerance=4)
    assert verdict.departure is not None
    assert verdict.departure.late
    assert verdict.departure.observed_s == verdict.departure.time_s + 5


def test_a_start_may_be_early_by_as_much(moved: Moved) -> None:
    """Clocks and logs err both ways."""
    schedule = moved(simulate(jobs((0, 1, 9, 9), (0, 1, 9, 9)), 1, "easy"), {2: 8})
    assert not audit(schedule, "easy", tolerance=0).feasible
    verdict = audit(schedule, "easy", tolerance=1)
    assert verdict.feasible
    assert verdict.faithful


def test_submission_is_tolerated_alike(moved: Moved) -> None:
    """A start may be logged two seconds before the submission."""
    schedule = moved(simulate(jobs((7, 1, 5, 5)), 1, "easy"), {1: 5})
    assert not audit(schedule, "easy", tolerance=1).feasible
    assert audit(schedule, "easy", tolerance=2).feasible


@pytest.mark.parametrize("option", ["tick", "tolerance"])
def test_seconds_are_not_negative(option: str) -> None:
    """A negative tick or tolerance makes no sense."""
    with pytest.raises(ParameterError, match=f"{option} is -1; must be >= 0"):
        audit(simulate(head_blocked(), 4, "easy"), "easy", **{option: -1})
