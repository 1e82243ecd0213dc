"""Every metric on schedules small enough to work out by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from schedlab.metrics import METRICS, JobMetric, find_job_metric
from schedlab.platform import Cluster, NodePower, Platform
from schedlab.sim import Schedule, simulate

BY_HAND = {
    "makespan": 170,
    "utilisation": (200 + 200 + 20) / (4 * 170),
    "throughput": 3 * 3600 / 170,
    "wait": (0 + 100 + 140) / 3,
    "response": (100 + 150 + 160) / 3,
    "slowdown": (1 + 150 / 50 + 160 / 20) / 3,
    "bounded_slowdown": (1 + 150 / 50 + 160 / 20) / 3,
    "wait_per_node": (0 / 2 + 100 / 4 + 140 / 1) / 3,
    "mean_queue_length": (100 + 140) / 170,
    "max_queue_length": 2,
    "fairness": (4.5 + 3) ** 2 / (2 * (4.5**2 + 3**2)),
    "loss_of_capacity": 2 * (100 - 10) / (4 * 170),
    "energy": 300 * 420 + 100 * (4 * 170 - 420),
}


@pytest.mark.parametrize("name", BY_HAND)
def test_value_by_hand(in_turn: Schedule, name: str) -> None:
    """Waits are 0, 100 and 140 s, runs 100, 50 and 20 s; the rest follows."""
    assert METRICS[name].value(in_turn) == pytest.approx(BY_HAND[name])


def test_every_metric_says_what_it_is() -> None:
    """Names, units and sentences are what `schedlab metrics` and reports print."""
    for name, metric in METRICS.items():
        assert metric.sentence.endswith("."), name
        assert metric.unit in ("s", "1", "J", "jobs", "jobs/h"), name
        assert "\n" in (metric.formula.__doc__ or ""), f"{name} gives no formula"


def test_slowdown_of_a_job_that_ran_no_time(in_turn: Schedule) -> None:
    """Clocks count whole seconds: 0 s counts as 1 s, so a wait of 140 s is a slowdown of 141."""
    instant = replace(in_turn, end_s=np.array([100, 150, 150]))
    assert find_job_metric("slowdown").of_jobs(instant)[2] == 141
    assert find_job_metric("bounded_slowdown").of_jobs(instant)[2] == 14


def test_bounded_slowdown_is_never_below_one(in_turn: Schedule) -> None:
    """A job of 5 s that did not wait has (0 + 5) / 10 = 0.5, which counts as 1."""
    short = replace(in_turn, end_s=np.array([5, 150, 170]))
    assert find_job_metric("bounded_slowdown").of_jobs(short)[0] == 1


def test_delay_against_the_first_promise(in_turn: Schedule) -> None:
    """One job is 30 s late, one 10 s early and one has no promise: the mean is that of 30 and 0."""
    promised = replace(in_turn, first_reserved_s=np.array([-1, 70, 160]))
    delay = find_job_metric("delay")
    assert np.array_equal(delay.of_jobs(promised), [np.nan, 30, 0], equal_nan=True)
    assert delay.value(promised) == 15


def test_loss_of_capacity_counts_only_jobs_that_fit(in_turn: Schedule) -> None:
    """Without the small job nothing that waits fits into two nodes: no capacity is lost."""
    alone = simulate(in_turn.workload.take(np.array([0, 1])), 4, "fcfs")
    assert alone.start_s.tolist() == [0, 100]
    assert METRICS["loss_of_capacity"].value(alone) == 0


def test_cancelled_jobs_are_left_out(one_cancelled: Schedule) -> None:
    """The withdrawn job has no wait, but it did wait in the queue for 30 s."""
    wait = find_job_metric("wait")
    assert np.array_equal(wait.of_jobs(one_cancelled), [0, np.nan, 20], equal_nan=True)
    assert wait.value(one_cancelled) == 10
    assert METRICS["mean_queue_length"].value(one_cancelled) == pytest.approx((30 + 20) / 100)
    assert METRICS["throughput"].value(one_cancelled) == pytest.approx(2 * 3600 / 100)


def test_empty_schedule_has_no_values(empty: Schedule) -> None:
    """Nothing to average is NaN, not 0 and not an error."""
    for name, metric in METRICS.items():
        expected = 0.0 if name in ("makespan", "mean_queue_length", "max_queue_length") else None
        value = metric.value(empty)
        assert value == expected if expected is not None else math.isnan(value), name


def test_energy_of_clusters_with_different_power(in_turn: Schedule) -> None:
    """Nodes are numbered through the clusters: nodes 0-1 here, 2-3 there."""
    cheap = Cluster.homogeneous(2, "cheap", power=NodePower(idle_w=1, busy_w=2))
    dear = Cluster.homogeneous(2, "dear", power=NodePower(idle_w=10, busy_w=20))
    two = replace(in_turn, platform=Platform((cheap, dear)))
    busy_cheap, busy_dear = 200 + 2 * 50 + 20, 2 * 50
    expected = 2 * busy_cheap + 1 * (340 - busy_cheap) + 20 * busy_dear + 10 * (340 - busy_dear)
    assert METRICS["energy"].value(two) == expected
    assert math.isnan(METRICS["energy"].value(replace(two, node_ranges=None)))


def test_energy_is_unknown_without_power(one_cancelled: Schedule) -> None:
    """No power given means no energy, not an energy of 0."""
    assert math.isnan(METRICS["energy"].value(one_cancelled))


def test_weights_by_hand(in_turn: Schedule) -> None:
    """By node-second the long jobs count; by user ann's two waits count as one."""
    wait = find_job_metric("wait")
    assert wait.mean(in_turn, "node_second") == pytest.approx((100 * 200 + 140 * 20) / 420)
    assert wait.mean(in_turn, "user") == pytest.approx(((0 + 140) / 2 + 100) / 2)


def test_percentiles_are_values_that_occur(in_turn: Schedule) -> None:
    """Two thirds of the jobs waited at most 100 s; 95 % only if the longest wait counts."""
    wait = find_job_metric("wait")
    assert [wait.percentile(in_turn, p) for p in (0, 50, 66, 67, 95, 100)] == [
        0,
        100,
        100,
        140,
        140,
        140,
    ]
    assert wait.percentile(in_turn, 50, "node_second") == 100


def test_only_job_metrics_have_values_for_jobs() -> None:
    """Utilisation has no value for a job, and the table says so by type."""
    assert isinstance(METRICS["wait"], JobMetric)
    assert not isinstance(METRICS["utilisation"], JobMetric)
