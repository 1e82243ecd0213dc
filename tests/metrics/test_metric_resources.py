"""Use and stranding of cores, memory and GPUs, on machines of a few nodes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from schedlab import Workload, simulate
from schedlab.metrics import METRICS, by_resource, over_time
from schedlab.metrics.clusters import busy_node_seconds
from schedlab.platform import Cluster, NodeGroup, NodeType, Platform, read_platform
from schedlab.sim import JobOutcome, NodeRanges, Schedule
from schedlab.sim.node_shares import busy_nodes

GIB_KB = 1 << 20
CPU = NodeType("cpu", 4, 8 << 30)
GPU = NodeType("gpu", 4, 8 << 30, gpus={"a100": 2})
MACHINE = Platform((Cluster("shared", (NodeGroup(CPU, 1), NodeGroup(GPU, 1))),))


def schedule(
    nodes: list[str],
    start_s: list[int],
    end_s: list[int],
    platform: Platform = MACHINE,
    labels: dict[str, list[str]] | None = None,
    **asked: Sequence[float],
) -> Schedule:
    """Return a schedule of jobs on these nodes at these times, all submitted at 0."""
    count = len(nodes)
    ranges = NodeRanges.parse(nodes)
    widths = np.maximum(np.bincount(ranges.job(), weights=ranges.width(), minlength=count), 1)
    run_s = np.array(end_s) - start_s
    columns: dict[str, Any] = {"job_id": range(count), "submit_s": [0] * count, "nodes": widths}
    jobs = Workload({**columns, "request_s": run_s, "run_s": run_s, **asked}, labels=labels)
    return Schedule(
        workload=jobs,
        platform=platform,
        policy="by hand",
        start_s=np.array(start_s),
        end_s=np.array(end_s),
        eligible_s=np.zeros(count, dtype=np.int64),
        first_reserved_s=np.full(count, -1),
        state=np.full(count, JobOutcome.COMPLETED, dtype=np.int8),
        node_ranges=ranges,
    )


def shares(found: Schedule, column: str) -> dict[str, float]:
    """Return the column of ``by_resource`` by resource."""
    table = by_resource(found)
    return dict(zip(table["resource"], table[column], strict=True))


def test_utilisation_by_resource() -> None:
    """For half of 100 s, 2 of 8 cores, 4 of 16 GiB and 1 of 2 GPUs are used."""
    found = schedule(
        ["1", "0"],
        [0, 99],
        [50, 100],
        cores_per_node=[2, 1],
        memory_per_node_kb=[4 * GIB_KB, 0],
        gpus_per_node=[1, 0],
    )
    used = shares(found, "utilisation")
    assert used == pytest.approx({"cores": 0.125 + 1 / 800, "memory": 0.125, "gpu": 0.25})
    assert shares(found, "capacity") == {"cores": 8, "memory": 16 << 30, "gpu": 2}
    for name, resource in (("core", "cores"), ("memory", "memory"), ("gpu", "gpu")):
        assert METRICS[f"{name}_utilisation"].value(found) == used[resource]


def test_a_job_with_whole_nodes_holds_all_they_have() -> None:
    """The first job says nothing; the second must be alone, so it holds its node's GPUs too."""
    found = schedule(["0", "1"], [0, 0], [100, 50], cores_per_node=[-1, 1], exclusive=[-1, 1])
    used = shares(found, "utilisation")
    assert used == pytest.approx({"cores": 0.75, "memory": 0.75, "gpu": 0.5})
    assert shares(found, "stranded") == {"cores": 0, "memory": 0, "gpu": 0}


def test_simulated_on_whole_nodes_jobs_hold_all_they_have() -> None:
    """Their demands do not matter; the schedule records how it was made."""
    found = schedule(["0"], [0], [100], cores_per_node=[1])
    whole = replace(found, provenance={"whole_nodes": True})
    assert METRICS["core_utilisation"].value(found) == 1 / 8
    assert METRICS["core_utilisation"].value(whole) == 4 / 8


def test_cores_beside_full_memory_are_stranded() -> None:
    """For 50 s one core holds all memory of a node: 3 of 8 cores are of no use to any job."""
    found = schedule(
        ["0", "1"],
        [0, 0],
        [50, 100],
        cores_per_node=[1, 1],
        memory_per_node_kb=[8 * GIB_KB, GIB_KB],
    )
    assert METRICS["stranded_cores"].value(found) == pytest.approx(3 * 50 / 800)
    assert METRICS["stranded_gpus"].value(found) == 0


def test_memory_that_no_job_can_use_is_used_up() -> None:
    """512 MiB are left, but no job asks for less than 1 GiB."""
    asked = [8 * GIB_KB - GIB_KB // 2, GIB_KB]
    found = schedule(
        ["0", "1"], [0, 0], [100, 100], cores_per_node=[1, 1], memory_per_node_kb=asked
    )
    assert METRICS["stranded_cores"].value(found) == pytest.approx(3 / 8)


def test_gpus_beside_busy_cores_are_stranded() -> None:
    """Two jobs without GPUs take all cores of the node with GPUs, the second after 40 s."""
    found = schedule(
        ["1", "1", "0"],
        [0, 40, 0],
        [100, 100, 10],
        cores_per_node=[2, 2, 1],
        gpus_per_node=[0, 0, -1],
    )
    assert METRICS["stranded_gpus"].value(found) == pytest.approx(0.6)
    assert METRICS["stranded_cores"].value(found) == 0


def test_cores_beside_busy_gpus_are_stranded() -> None:
    """Both GPUs are held with 2 of 4 cores."""
    found = schedule(["1"], [0], [100], cores_per_node=[2], gpus_per_node=[2])
    assert shares(found, "stranded") == pytest.approx({"cores": 2 / 8, "memory": 0, "gpu": 0})


def test_parts_of_a_gpu() -> None:
    """Half of one of two GPUs is held; the cores that are left serve other halves."""
    found = schedule(["1"], [0], [100], cores_per_node=[1], gpus_per_node=[1], gpu_milli=[500])
    assert METRICS["gpu_utilisation"].value(found) == pytest.approx(0.25)
    assert METRICS["stranded_cores"].value(found) == 0


def test_several_nodes_of_one_job() -> None:
    """A job holds on each of its nodes what it asks for per node."""
    found = schedule(["0-1"], [0], [100], cores_per_node=[3], memory_per_node_kb=[2 * GIB_KB])
    assert shares(found, "utilisation") == pytest.approx({"cores": 0.75, "memory": 0.25, "gpu": 0})


def test_gpus_by_type() -> None:
    """A job that takes any GPU holds those that its node has."""
    other = NodeType("old", 4, 8 << 30, gpus={"v100": 1})
    machine = Platform((Cluster("two", (NodeGroup(GPU, 1), NodeGroup(other, 1))),))
    found = schedule(
        ["0", "1"],
        [0, 0],
        [100, 100],
        machine,
        {"gpu_type": ["a100"]},
        cores_per_node=[1, 1],
        gpus_per_node=[1, 1],
        gpu_type=[0, -1],
    )
    used = shares(found, "utilisation")
    assert used["gpu"] == pytest.approx(2 / 3)
    assert (used["gpu:a100"], used["gpu:v100"]) == pytest.approx((0.5, 1.0))


def test_what_is_not_described_is_not_counted() -> None:
    """Nodes without a description have no resources; of unlike nodes the described ones count."""
    plain = schedule(["0"], [0], [10], Platform.homogeneous(2))
    assert by_resource(plain).is_empty()
    assert math.isnan(METRICS["core_utilisation"].value(plain))
    assert math.isnan(METRICS["stranded_gpus"].value(plain))
    untold = NodeType("untold", 4)
    machine = Platform((Cluster("half", (NodeGroup(CPU, 1), NodeGroup(untold, 1))),))
    found = schedule(["0", "1"], [0, 0], [10, 10], machine, memory_per_node_kb=[4 * GIB_KB] * 2)
    assert shares(found, "utilisation")["memory"] == pytest.approx(0.5)


def test_the_nodes_of_a_job_that_never_ran_hold_nothing() -> None:
    """The second job was withdrawn."""
    found = schedule(["0", ""], [0, 0], [100, 100], cores_per_node=[4, 4])
    start_s, end_s = np.array([0, -1]), np.array([100, -1])
    assert METRICS["core_utilisation"].value(replace(found, start_s=start_s, end_s=end_s)) == 0.5


def test_whole_nodes_agree_with_plain_utilisation() -> None:
    """Where every job has its nodes to itself, cores are used as nodes are."""
    machine = Platform.homogeneous(8, cores=4)
    jobs = Workload(
        {
            "job_id": range(30),
            "submit_s": [7 * i for i in range(30)],
            "nodes": [1 + i % 8 for i in range(30)],
            "request_s": [100] * 30,
            "run_s": [11 + 3 * i for i in range(30)],
        }
    )
    found = simulate(jobs, machine, "easy")
    of_cores = METRICS["core_utilisation"].value(found)
    assert of_cores == pytest.approx(METRICS["utilisation"].value(found))


def test_the_example_machine() -> None:
    """A schedule of the shipped generator has shares between 0 and 1."""
    from schedlab.workload import generate

    machine = read_platform(Path(__file__).parents[2] / "examples" / "shared_nodes.toml")
    found = simulate(generate("shared", 2_000, seed=1), machine, "fcfs")
    table = by_resource(found)
    used, stranded = table["utilisation"].to_numpy(), table["stranded"].to_numpy()
    assert np.all((used > 0) & (used < 1))
    assert np.all((stranded >= 0) & (used + stranded <= 1))


def test_a_log_of_shared_nodes_does_not_tell_where_jobs_were() -> None:
    """Jobs on more whole nodes than there are give an unknown value, not an error."""
    found = schedule(["0", "1"], [0, 0], [100, 100], cores_per_node=[1, 1])
    crowded = Workload(
        {**{name: found.workload[name] for name in found.workload.columns}, "nodes": [2, 2]}
    )
    unnamed = replace(found, workload=crowded, node_ranges=None)
    assert math.isnan(METRICS["stranded_cores"].value(unnamed))
    assert by_resource(unnamed)["utilisation"].is_nan().all()


def test_plain_utilisation_counts_shares_of_nodes() -> None:
    """Half of the cores of one node are used all the time, and the other node half of the time."""
    found = schedule(["0", "1"], [0, 0], [100, 50], cores_per_node=[2, -1])
    assert METRICS["utilisation"].value(found) == pytest.approx(0.5)
    assert over_time(found, 50)["utilisation"].to_list() == pytest.approx([0.75, 0.25])
    assert busy_nodes(found).value.tolist() == [1.5, 0.5, 0]
    assert math.isnan(METRICS["loss_of_capacity"].value(found))


def test_shares_of_unlike_nodes() -> None:
    """Four cores are a small node, half of a large one and, without names, 2/3 of the mean."""
    large = NodeType("large", 8)
    machine = Platform((Cluster("two", (NodeGroup(NodeType("small", 4), 1), NodeGroup(large, 1))),))
    found = schedule(["0", "1"], [0, 0], [100, 100], machine, cores_per_node=[4, 4])
    assert METRICS["utilisation"].value(found) == pytest.approx(0.75)
    assert busy_node_seconds(found, [1, 1]).tolist() == pytest.approx([100, 50])
    unnamed = replace(found, node_ranges=None)
    assert METRICS["utilisation"].value(unnamed) == pytest.approx(2 / 3)


def test_a_schedule_for_another_machine_counts_whole_nodes() -> None:
    """Its jobs do not fit the description, so the plain metrics do without it."""
    found = schedule(["0"], [0], [100], cores_per_node=[99])
    assert METRICS["utilisation"].value(found) == 0.5


def test_crowds_on_few_nodes_never_use_more_than_all() -> None:
    """The policy shares nodes; counted as whole nodes they would be more than there are."""
    machine = Platform.homogeneous(4, cores=8)
    count = 60
    jobs = Workload(
        {
            "job_id": range(count),
            "submit_s": [3 * i for i in range(count)],
            "nodes": [1] * count,
            "request_s": [100] * count,
            "run_s": [20 + i for i in range(count)],
            "cores_per_node": [1 + i % 4 for i in range(count)],
        }
    )
    found = simulate(jobs, machine, "easy")
    assert found.used_nodes().value.max() > 4
    assert busy_nodes(found).value.max() <= 4 + 1e-9
    of_cores = METRICS["core_utilisation"].value(found)
    assert METRICS["utilisation"].value(found) == pytest.approx(of_cores)
