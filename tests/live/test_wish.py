"""From a policy's order to bounded site factors."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedlab.errors import ParameterError
from schedlab.live.queue import LiveJob, LiveStage
from schedlab.live.steering.steering import FactorChange, planned_changes
from schedlab.live.wish import can_be_moved, own_priority, wished_factors, wished_order
from schedlab.policies import find_policy

NOW = 10_000.0


def waits(
    name: str, *, cpus: int = 1, limit_s: int = 600, priority: int = 100, **more: object
) -> LiveJob:
    """Return a job that waits."""
    given = {"submit": 9_000, "user": "ann", "handle": name, "partition": "batch", **more}
    return LiveJob(
        id=name,
        stage=LiveStage.WAITS,
        state="PENDING",
        cpus=cpus,
        limit_s=limit_s,
        priority=priority,
        **given,  # type: ignore[arg-type]
    )


def test_the_order_is_the_policys() -> None:
    """All jobs are ordered as on an empty machine, even if they do not fit there together."""
    jobs = [
        waits("1", limit_s=900, submit=1),
        waits("2", limit_s=60, submit=2),
        waits("3", cpus=9, submit=3),
    ]
    assert wished_order(jobs, find_policy("fcfs"), 4, NOW) == ["1", "2", "3"]
    assert wished_order(jobs, find_policy("sjf"), 4, NOW) == ["2", "3", "1"]
    assert wished_order(jobs, find_policy("lcfs+easy"), 4, NOW)[0] == "3"
    assert wished_order([], find_policy("sjf"), 4, NOW) == []


def test_a_policy_that_predicts_is_refused() -> None:
    """No job ends in a wish, so a predictor has nothing to learn from."""
    with pytest.raises(ParameterError, match="requests only"):
        wished_order([waits("1")], find_policy("sjf", predict="last-two"), 4, NOW)


def test_jobs_exchange_their_priorities() -> None:
    """They share the priorities that Slurm gave; a present site factor is not part of them."""
    jobs = [
        waits("1", priority=300),
        waits("2", priority=200),
        waits("3", priority=150, site_factor=50),
    ]
    assert wished_factors(jobs, ["3", "2", "1"], 1000) == {"3": 200, "2": 0, "1": -200}
    assert wished_factors(jobs, ["3", "2", "1"], 120) == {"3": 120, "2": 0, "1": -120}


def test_equal_priorities_become_unequal_by_one() -> None:
    """Slurm starts jobs of equal priority in its own order."""
    jobs = [waits("1"), waits("2"), waits("3")]
    assert wished_factors(jobs, ["3", "1", "2"], 10) == {"3": 0, "1": -1, "2": -2}


def test_no_job_is_pushed_below_the_lowest_priority() -> None:
    """Slurm treats priorities below 1 as 1, and starts equal jobs in its own order."""
    jobs = [waits("1", priority=1), waits("2", priority=1), waits("3", priority=2)]
    assert wished_factors(jobs, ["2", "1", "3"], 10) == {"2": 2, "1": 1, "3": -1}


def test_partitions_do_not_exchange() -> None:
    """Jobs of different partitions wait for different nodes."""
    jobs = [waits("1", priority=300), waits("2", priority=10, partition="fast")]
    assert wished_factors(jobs, ["2", "1"], 1000) == {"2": 0, "1": 0}


def test_an_array_has_one_factor() -> None:
    """All waiting tasks of an array have the factor of the first one."""
    tasks = [waits(f"5_{at}", handle="5_[1-3]", priority=50) for at in (1, 2, 3)]
    jobs = [*tasks, waits("9", priority=70)]
    assert wished_factors(jobs, ["5_1", "9", "5_2", "5_3"], 1000) == {"5_[1-3]": 20, "9": -20}


def test_who_is_held_or_waits_for_others_is_not_moved() -> None:
    """A priority changes nothing for a held job, or one with a dependency or a begin time."""
    assert can_be_moved(waits("1"))
    assert not can_be_moved(waits("1", held=True))
    assert not can_be_moved(waits("1", reason="Dependency"))
    assert not can_be_moved(waits("1", reason="BeginTime"))


@given(
    st.lists(st.integers(1, 10**6), min_size=1, max_size=30),
    st.randoms(use_true_random=False),
    st.integers(1, 10**6),
)
def test_no_factor_goes_beyond_the_clamp(priorities: list[int], random: object, clamp: int) -> None:
    """With a wide clamp, the priorities follow the wished order exactly."""
    jobs = [waits(str(at), priority=priority) for at, priority in enumerate(priorities)]
    order = [job.id for job in jobs]
    random.shuffle(order)  # type: ignore[attr-defined]
    factors = wished_factors(jobs, order, clamp)
    assert factors.keys() == set(order)
    assert all(abs(factor) <= clamp for factor in factors.values())
    by_id = {job.id: job for job in jobs}
    free = wished_factors(jobs, order, 10**9)
    reached = [own_priority(by_id[name]) + free[name] for name in order]
    assert reached == sorted(set(reached), reverse=True)


def test_returns_come_first_and_are_never_limited() -> None:
    """The other changes are the largest, as many as allowed; tiny ones are not worth a request."""
    present = {"1": 5, "2": -7, "3": 0, "4": 100, "5": 1000}
    wished = {"3": 50, "4": 80, "5": 1009}
    assert planned_changes(present, wished, 1) == [
        FactorChange("1", 5, 0),
        FactorChange("2", -7, 0),
        FactorChange("3", 0, 50),
    ]
    assert len(planned_changes(present, wished, 9)) == 4
    assert planned_changes({}, {}, 9) == []
