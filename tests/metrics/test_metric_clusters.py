"""Metrics of each cluster and site of a grid."""

from __future__ import annotations

import dataclasses
import math

import pytest

from schedlab import simulate
from schedlab.metrics import METRICS, by_cluster, by_site
from schedlab.platform import Cluster, Platform
from schedlab.platform.power import NodePower
from schedlab.testing.instances import jobs

GRID = Platform(
    (
        Cluster.homogeneous(4, "a", site="north"),
        Cluster.homogeneous(2, "b", site="north"),
        Cluster.homogeneous(2, site="south"),
    )
)
TWO = jobs((0, 5, 10, 10), (0, 1, 20, 20))


def test_a_job_counts_where_its_nodes_are() -> None:
    """Five nodes are all of a and one of b; the other job has the second of b."""
    schedule = simulate(TWO, GRID, "easy")
    assert by_cluster(schedule).rows() == [
        ("north", "a", 4, 1, 40.0, 0.5, 0.0),
        ("north", "b", 2, 2, 30.0, 0.75, 0.0),
        ("south", "cluster", 2, 0, 0.0, 0.0, None),
    ]
    sites = by_site(schedule).rows()
    assert sites[0][:4] == ("north", 6, 3, 70.0)
    assert sites[0][4] == pytest.approx(70 / 120)
    assert sites[1] == ("south", 2, 0, 0.0, 0.0)


def test_clusters_add_up_to_the_machine() -> None:
    """The mean of the clusters' utilisations by nodes is that of the machine."""
    schedule = simulate(TWO, GRID, "easy")
    table = by_cluster(schedule)
    mean = float((table["utilisation"] * table["nodes"]).sum()) / GRID.nodes
    assert mean == pytest.approx(METRICS["utilisation"].value(schedule))


def test_one_cluster_needs_no_names_of_nodes() -> None:
    """Several clusters need them: without names nothing is known of each."""
    one = dataclasses.replace(simulate(TWO, 8, "easy"), node_ranges=None)
    assert by_cluster(one)["jobs"].to_list() == [2]
    several = dataclasses.replace(simulate(TWO, GRID, "easy"), node_ranges=None)
    assert by_cluster(several)["jobs"].to_list() == [None] * 3
    assert all(map(math.isnan, by_cluster(several)["utilisation"]))


def test_a_core_draws_its_share_of_a_node() -> None:
    """So the machine draws the same, whether nodes or cores are counted."""
    node = Cluster.homogeneous(2, cores=4, power=NodePower(busy_w=80, idle_w=40))
    whole = Platform((node,))
    schedules = (
        simulate(jobs((0, 2, 10, 10)), whole, "easy"),
        simulate(jobs((0, 8, 10, 10)), whole.of_cores(), "easy"),
    )
    by_nodes, by_cores = (METRICS["energy"].value(each) for each in schedules)
    assert by_nodes == by_cores == 2 * 80 * 10
