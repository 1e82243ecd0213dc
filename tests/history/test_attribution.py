"""A job's share of a shared node: shares add up, and each says how it was attributed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.history.records import NOON_S, job

from schedlab.history.attribution import Occupancy, apportioned, attribute
from schedlab.history.schema import JobRecord
from schedlab.history.schema.times import from_epoch
from schedlab.history.sensors import Series, integral
from schedlab.history.sensors.source import ItemSection
from schedlab.history.site import (
    SharingSection,
    Site,
    SiteSection,
)
from schedlab.platform import Cluster, NodeGroup, NodeType

POWER = ItemSection(name="power_watt", unit="W")


def shared(by: str = "cpu", of: str = "jobs") -> Site:
    """Return a site with one node of 16 cores, 4 GPUs and 64 GiB that jobs share."""
    node = NodeType(cores=16, memory_bytes=64 << 30, gpus={"gpu": 4})
    return Site(
        Path("site.toml"),
        SiteSection(name="x"),
        (Cluster("one", (NodeGroup(node, hosts="n01"),)),),
        sharing=SharingSection(share_by=by, share_of=of),
    )


def on_node(jobid: str, start_s: int, end_s: int, cpus: int, **items: Any) -> JobRecord:
    """Return a job that held ``cpus`` cores of n01 from ``start_s`` to ``end_s`` after noon."""
    given: dict[str, Any] = {
        "queue_time": from_epoch(NOON_S),
        "start_time": from_epoch(NOON_S + start_s),
        "end_time": from_epoch(NOON_S + end_s),
        "resource_req": {"num_host": 1, "num_cpu_perhost": cpus},
    }
    return job(jobid, **given | items)


def constant(watts: float, start_s: float, end_s: float) -> Series:
    """Return a series of constant power."""
    return Series.of_intervals(
        [NOON_S + start_s], [NOON_S + end_s], [watts], unit="W", source="test"
    )


def part(record: JobRecord, site: Site, *others: JobRecord, **about: Any) -> tuple[float, str]:
    """Return the job's energy on a node of 100 W for 1000 s, and how it was attributed."""
    section = ItemSection(**{"name": "power_watt", "unit": "W"} | about)
    occupancy = Occupancy([record, *others])
    series = constant(100, 0, 1000)
    assert record.per_host is not None
    mine, label = attribute(series, section, record, record.per_host[0], site, occupancy)
    return integral(mine, NOON_S, NOON_S + 1000), label


def test_a_job_alone_bears_the_whole_node() -> None:
    """A job that is alone on a node gets all its energy, however few cores it holds."""
    assert part(on_node("1", 0, 1000, 2), shared()) == (100_000, "prorated-cpu")


def test_neighbours_bear_their_part_while_they_are_there() -> None:
    """The job holds 4 of the 4 cores in use for 500 s, then 4 of 16."""
    mine, other = on_node("1", 0, 1000, 4), on_node("2", 500, 2000, 12)
    assert part(mine, shared(), other) == (50_000 + 50_000 * 4 / 16, "prorated-cpu")


def test_a_part_of_the_node_leaves_idle_cores_out() -> None:
    """A job on 4 of 16 cores gets a quarter of the node's energy, with or without neighbours."""
    assert part(on_node("1", 0, 1000, 4), shared(of="node")) == (25_000, "prorated-cpu")


def test_by_gpu_and_by_memory() -> None:
    """The site chooses the resource by which energy is shared; an item may choose another."""
    gpus = {"num_host": 1, "num_cpu_perhost": 1, "accelerator": {"num_perhost": 1}}
    memory = {"num_host": 1, "mem_perhost_bytes": 32 * 2**30}
    one, other = on_node("1", 0, 1000, 1, resource_req=gpus), on_node("2", 0, 1000, 1)
    assert part(one, shared("gpu", "node")) == (25_000, "prorated-gpu")
    assert part(one, shared("gpu"), other) == (100_000, "prorated-gpu")
    assert part(other, shared("gpu"), one) == (0, "prorated-gpu")
    big = on_node("3", 0, 1000, 1, resource_req=memory)
    assert part(big, shared("cpu", "node"), share="mem") == (50_000, "prorated-mem")


@pytest.mark.parametrize(
    ("record", "site", "about", "label"),
    [
        (on_node("1", 0, 1000, 4, exclusive=True), shared(), {}, "exclusive"),
        (on_node("1", 0, 1000, 4), shared("none"), {}, "shared"),
        (on_node("1", 0, 1000, 4), shared(), {"name": "air_celsius", "unit": "degC"}, "shared"),
        (on_node("1", 0, 1000, 4), shared(), {"scope": "job"}, "exclusive"),
        (on_node("1", 0, 1000, 4), shared(), {"name": "cooling_watt", "scope": "site"}, "shared"),
        (on_node("1", 0, 1000, 4, resource_req={"num_host": 1}), shared(), {}, "shared"),
    ],
)
def test_what_is_not_divided_says_why(
    record: JobRecord, site: Site, about: dict[str, Any], label: str
) -> None:
    """Exclusive nodes, quantities that do not add up, and unknown shares are not divided."""
    assert part(record, site, **about) == (100_000, label)


def test_without_sharing_nodes_are_the_job_s_own() -> None:
    """Without a section on sharing, each job has its nodes to itself."""
    site = shared()
    alone = Site(site.path, site.about, site.clusters)
    assert part(on_node("1", 0, 1000, 4), alone) == (100_000, "exclusive")


def test_an_unknown_neighbour_leaves_the_sensor_undivided() -> None:
    """A share beside a neighbour of unknown size would be a guess."""
    unknown = on_node("2", 500, 600, 1, resource_req={"num_host": 1})
    assert part(on_node("1", 0, 1000, 4), shared(), unknown) == (100_000, "shared")


def test_a_running_neighbour_counts() -> None:
    """A job that has not ended holds its cores all the same."""
    running = on_node("2", 500, 600, 4, end_time=None, state="running")
    assert part(on_node("1", 0, 1000, 4), shared(), running) == (75_000, "prorated-cpu")


stays = st.tuples(st.integers(0, 900), st.integers(1, 900), st.integers(1, 16))


@settings(max_examples=30)
@given(st.lists(stays, min_size=1, max_size=6))
def test_the_parts_of_all_jobs_are_the_node(drawn: list[tuple[int, int, int]]) -> None:
    """No joule is lost and none counted twice, however jobs overlap."""
    jobs = [on_node(str(n), a, a + length, cpus) for n, (a, length, cpus) in enumerate(drawn)]
    occupancy, series = Occupancy(jobs), constant(100, 0, 2000)
    total = 0.0
    for each in jobs:
        assert each.per_host is not None
        assert each.start_time is not None
        assert each.end_time is not None
        mine = series.clipped(each.start_time.timestamp(), each.end_time.timestamp())
        mine, _ = attribute(mine, POWER, each, each.per_host[0], shared(), occupancy)
        total += integral(mine, 0, np.inf)
    busy = np.zeros(2000, dtype=bool)
    for start, length, _ in drawn:
        busy[start : start + length] = True
    assert total == pytest.approx(100 * busy.sum())


def test_extremes_are_divided_too() -> None:
    """The minimum and the maximum are scaled like the mean."""
    series = Series.of_intervals(
        [0], [100], [50], minimum=[10], maximum=[90], unit="W", source="test"
    )
    halves = apportioned(series, (np.array([0.0, 50.0]), np.array([1.0, 0.5])))
    assert list(halves.mean) == [50, 25]
    assert list(halves.greatest) == [90, 45]
    assert list(halves.least) == [10, 5]
