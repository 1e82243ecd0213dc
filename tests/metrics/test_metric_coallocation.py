"""Metrics of jobs that need several clusters, and of the clusters."""

from __future__ import annotations

import math

import pytest

from schedlab import simulate
from schedlab.metrics import METRICS, by_cluster, table
from schedlab.platform import Cluster, Platform
from schedlab.sim import Schedule
from schedlab.testing.instances import jobs
from schedlab.workload.needs import with_needs

TWO = Platform((Cluster.homogeneous(4, "a"), Cluster.homogeneous(2, "b")))


@pytest.fixture
def schedule() -> Schedule:
    """Job 2 waits 20 s for both clusters; job 3 waits behind it, job 4 for nothing."""
    workload = with_needs(
        jobs((0, 1, 20, 20), (0, 1, 10, 10), (0, 1, 10, 10), (0, 1, 20, 20)),
        [{"a": 4}, {"a": 2, "b": 2}, {"a": 3}, {"b": 1}],
    )
    return simulate(workload, TWO, "conservative")


def test_jobs_by_the_clusters_they_need(schedule: Schedule) -> None:
    """The jobs of one cluster waited 0, 30 and 0 s, that of two clusters 20 s."""
    assert schedule.wait_s.tolist() == [0, 20, 30, 0]
    assert table(schedule, "wait", "clusters", percentiles=()).rows() == [
        (1, 3, 80 + 30 + 20, 10.0),
        (2, 1, 40, 20.0),
    ]
    assert METRICS["coallocated_wait"].value(schedule) == 20
    assert METRICS["coallocated_bounded_slowdown"].value(schedule) == 3


def test_what_each_cluster_did(schedule: Schedule) -> None:
    """A job that needs both counts in both."""
    assert by_cluster(schedule).select("cluster", "jobs", "mean_wait_s").rows() == [
        ("a", 3, pytest.approx(50 / 3)),
        ("b", 2, 10.0),
    ]


def test_jobs_that_name_no_cluster() -> None:
    """Without co-allocated jobs their metrics are undefined."""
    schedule = simulate(jobs((0, 1, 5, 5)), 2, "easy")
    assert table(schedule, "wait", "clusters", percentiles=())["clusters"].to_list() == [0]
    assert math.isnan(METRICS["coallocated_wait"].value(schedule))


def test_idle_nodes_of_the_wrong_cluster_are_no_loss(schedule: Schedule) -> None:
    """A number of idle nodes does not say where they are, so the loss of capacity is undefined."""
    assert math.isnan(METRICS["loss_of_capacity"].value(schedule))
