"""What jobs ask for, on machines of unlike nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedlab.errors import WorkloadError
from schedlab.platform import (
    CapacityStep,
    Cluster,
    Consumable,
    NodeGroup,
    NodeType,
    Partition,
    Platform,
    capacity_of,
)
from schedlab.platform.demand import demands_of
from schedlab.workload import Workload
from schedlab.workload.offered import Capacity

GIB = 1 << 30
KB_OF_GIB = 1 << 20

MACHINE = Platform(
    (
        Cluster(
            "hpc",
            (
                NodeGroup(NodeType("thin", 32, 128 * GIB, features=("cpu",)), hosts="n[1-4]"),
                NodeGroup(
                    NodeType("gpu", 48, 256 * GIB, {"a100": 4}, features=("cpu", "nv")),
                    hosts="g[1-2]",
                ),
                NodeGroup(
                    NodeType("old", 16, 64 * GIB, {"v100": 2}, resources={"fpga": 1}), hosts="o1"
                ),
            ),
            partitions=(
                Partition("all", default=True, memory_per_core_bytes=2 * GIB),
                Partition("gpu", "gpu", max_time_s=3600, max_nodes=1),
                Partition("alone", "thin", exclusive=True),
            ),
        ),
    ),
    consumables=(Consumable("matlab", 2, (CapacityStep(10, 5),)), Consumable("watts", 900)),
)


def asking(labels: Mapping[str, Sequence[str]] | None = None, **columns: Any) -> Workload:
    """Return one job, number 7, of one node and an hour unless the columns say otherwise."""
    usual = {"job_id": 7, "submit_s": 0, "nodes": 1, "request_s": 3600, "run_s": 60}
    for name in labels or {}:
        usual[name] = 0
    return Workload(
        {name: [value] for name, value in (usual | columns).items()}, labels=labels or {}
    )


def needs(workload: Workload, platform: Platform = MACHINE) -> dict[str, int]:
    """Return what the job needs of each node."""
    demands = demands_of(workload, platform)
    amounts = demands.per_node[0].tolist()
    return {
        name: amount
        for name, amount in zip(demands.resources.names, amounts, strict=True)
        if amount
    }


def test_a_job_that_says_only_nodes_has_them_whole() -> None:
    """That is what the column means, on the simplest machine and on any other."""
    for machine in (Platform.homogeneous(256), MACHINE):
        demands = demands_of(asking(nodes=2), machine)
        assert (demands.least.tolist(), demands.most.tolist()) == ([2], [2])
        assert demands.whole.tolist() == [True]


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ({"cores_per_node": 8}, {"cores": 8, "memory": 16 * GIB}),
        ({"cores": 12, "nodes": 2}, {"cores": 6, "memory": 12 * GIB}),
        ({"tasks": 5, "nodes": 2}, {"cores": 3, "memory": 6 * GIB}),
        ({"tasks_per_node": 4, "cores_per_task": 2}, {"cores": 8, "memory": 16 * GIB}),
        ({"cores_per_task": 6}, {"cores": 6, "memory": 12 * GIB}),
        ({"memory_per_node_kb": 3 * KB_OF_GIB}, {"cores": 1, "memory": 3 * GIB}),
        ({"cores": 4, "requested_memory_kb": KB_OF_GIB}, {"cores": 4, "memory": 4 * GIB}),
        ({"gpus": 3, "nodes": 2}, {"cores": 1, "memory": 2 * GIB, "gpu": 2}),
        ({"gpus_per_node": 1, "cores": 2}, {"cores": 2, "memory": 4 * GIB, "gpu": 1}),
    ],
)
def test_amounts_by_node_in_total_and_by_task(
    columns: dict[str, Any], expected: dict[str, int]
) -> None:
    """Totals are shared equally, and rounded up; the partition gives memory with each core."""
    assert needs(asking(**columns)) == expected
    assert not demands_of(asking(**columns), MACHINE).whole.any()


def test_so_many_tasks_at_most_on_each_node_need_more_nodes() -> None:
    """As in Slurm, the larger of both numbers counts."""
    demands = demands_of(asking(tasks=7, tasks_per_node=2, max_nodes=6), MACHINE)
    assert (demands.least.tolist(), demands.most.tolist()) == ([4], [6])


def test_gpus_of_a_type_and_parts_of_one() -> None:
    """Any GPUs will do, unless the job names a type."""
    typed = asking({"gpu_type": ["v100"]}, gpus_per_node=2)
    assert needs(typed)["gpu:v100"] == needs(typed)["gpu"] == 2
    assert demands_of(asking(gpus_per_node=1, gpu_milli=250), MACHINE).gpu_milli.tolist() == [250]


def test_named_resources_licences_and_watts() -> None:
    """Named resources belong to a node, licences and watts to the whole site."""
    workload = asking({"resources": ["fpga:1"], "licences": ["matlab:3"]}, power_w=120.5)
    assert needs(workload) == {"cores": 1, "memory": 2 * GIB, "fpga": 1}
    assert demands_of(workload, MACHINE).consumables.tolist() == [[3, 121]]


def test_equal_jobs_share_one_set_of_nodes() -> None:
    """Sets go by partition and constraint; several partitions are united, if their limits allow."""
    workload = Workload(
        {
            "job_id": range(5),
            "submit_s": [0] * 5,
            "nodes": [1, 1, 1, 1, 2],
            "request_s": [60] * 5,
            "run_s": [60] * 5,
            "partition": [-1, -1, 0, 1, 1],
            "constraint": [0, 0, -1, -1, -1],
        },
        labels={"partition": ["gpu", "gpu,alone"], "constraint": ["nv|x"]},
    )
    demands = demands_of(workload, MACHINE)
    nodes = [demands.node_sets[place].nodes.tolist() for place in demands.allowed]
    assert nodes == [[4, 5], [4, 5], [4, 5], [0, 1, 2, 3, 4, 5], [0, 1, 2, 3]]
    assert demands.allowed[0] == demands.allowed[1]
    assert demands_of(asking({"partition": ["alone"]}, cores=1), MACHINE).whole.all()


@pytest.mark.parametrize(
    ("workload", "reason"),
    [
        (
            asking(nodes=3, cores_per_node=40),
            'job 7 asks for 3 nodes with 40 cores and 80.0 GiB memory of partition "all", which '
            "has 2 such; its largest node has 48 cores, 256 GiB memory",
        ),
        (asking(memory_per_node_kb=300 * KB_OF_GIB), "1 node with 1 core and 300 GiB memory of"),
        (asking(nodes=8), "which has 7; leave such jobs out"),
        (asking({"constraint": ["nv&old"]}), 'constraint "nv&old", which has none such; no node'),
        (asking({"constraint": ["nv&"]}), 'job 7: constraint is "nv&": it ends too early'),
        (asking({"partition": ["gup"]}), 'job 7: unknown partition "gup"; did you mean "gpu"'),
        (
            asking({"partition": ["gpu"]}, request_s=7200),
            'job 7 asks for 2 h; partition "gpu" allows at most 1 h',
        ),
        (
            asking({"partition": ["gpu"]}, nodes=2),
            'asks for 2 nodes; partition "gpu" allows 1 to 1',
        ),
        (asking(nodes=3, max_nodes=2), "job 7: max_nodes is 2; must be at least 3"),
        (asking(gpus_per_node=1, gpu_milli=1001), "gpu_milli is 1001; must be 1 to 1000"),
        (asking(gpus_per_node=2, gpu_milli=500), "of one GPU on each node, but it asks for 2"),
        (asking({"gpu_type": ["h100"]}, gpus=1), 'unknown type of GPU "h100"; did you mean "'),
        (asking({"resources": ["fgpa:1"]}), 'unknown resource "fgpa"; did you mean "fpga"'),
        (asking({"resources": ["fpga"]}), 'job 7: resources is "fpga"; must be'),
        (asking({"licences": ["matlib:1"]}), 'unknown licence "matlib"; did you mean "matlab"'),
        (asking({"licences": ["matlab:6"]}), 'asks for 6 of "matlab", of which there are 5'),
    ],
)
def test_a_job_that_can_never_run_is_one_sentence(workload: Workload, reason: str) -> None:
    """The error has the job, what it asks for, and what there is."""
    with pytest.raises(WorkloadError) as caught:
        demands_of(workload, MACHINE)
    assert reason in str(caught.value)


def test_a_job_without_a_partition_needs_a_default_one() -> None:
    """No one can tell which partition it meant."""
    cluster = Cluster("x", (NodeGroup(count=2),), partitions=(Partition("a"), Partition("b")))
    with pytest.raises(WorkloadError, match="job 7: names no partition, and none is the default"):
        demands_of(asking(), Platform((cluster,)))


@pytest.mark.parametrize("name", ["batch", "3"])
def test_partitions_of_a_trace_are_numbers_that_its_header_names(name: str) -> None:
    """A platform may have them by name or by number."""
    cluster = Cluster("x", (NodeGroup(count=2),), partitions=(Partition("a"), Partition(name, "1")))
    job = asking(partition=3)
    trace = Workload(
        {column: job[column] for column in job.columns}, header={"Partition": ["3  batch", "4"]}
    )
    demands = demands_of(trace, Platform((cluster,)))
    assert demands.node_sets[demands.allowed[0]].nodes.tolist() == [1]


def test_what_the_platform_does_not_describe_is_told() -> None:
    """A demand that the platform does not describe limits no job, and the user is informed."""
    labels = {"partition": ["a"], "constraint": ["nv"], "licences": ["x:1"], "resources": ["y:1"]}
    workload = asking(labels, gpus=1, memory_per_node_kb=1.0)
    demands = demands_of(workload, Platform.homogeneous(4))
    assert demands.whole.all()
    assert demands.ignored == (
        "the memory of 1 jobs: the platform describes none",
        "the GPUs of 1 jobs: the platform describes none",
        "the other resources of 1 jobs: the platform describes none",
        "the licences of 1 jobs: the platform describes none",
        "the constraint of 1 jobs: the platform has no features",
    )


def test_whole_nodes_on_demand() -> None:
    """Every job has its nodes alone, whatever it asks for."""
    assert demands_of(asking(cores=1), MACHINE, whole_nodes=True).whole.all()


some = st.sampled_from([-1, 1, 2, 3, 8])
rows = st.fixed_dictionaries(
    {
        "nodes": st.integers(1, 2),
        "cores_per_node": some,
        "cores": some,
        "tasks": some,
        "cores_per_task": some,
        "memory_per_node_kb": st.sampled_from([-1.0, 5.0 * KB_OF_GIB]),
        "requested_memory_kb": st.sampled_from([-1.0, 1.0 * KB_OF_GIB]),
        "gpus_per_node": st.sampled_from([-1, 1, 2]),
        "exclusive": st.sampled_from([-1, 0, 1]),
        "partition": st.sampled_from([-1, 0, 1]),
        "constraint": st.sampled_from([-1, 0]),
    }
)


def plainly(row: dict[str, Any]) -> tuple[dict[str, int], bool, set[int]]:
    """Return what a job of ``rows`` needs of each node, whether it shares them, and its nodes."""
    total = -(-row["cores"] // row["nodes"]) if row["cores"] > 0 else 0
    tasks = -(-row["tasks"] // row["nodes"]) if row["tasks"] > 0 else 0
    by_task = max(tasks, 1) * row["cores_per_task"] if row["cores_per_task"] > 0 else tasks
    cores = next((each for each in (row["cores_per_node"], total, by_task) if each > 0), 0)
    memory = 0
    if row["memory_per_node_kb"] > 0:
        memory = 5 * GIB
    elif row["requested_memory_kb"] > 0:
        memory = max(cores, 1) * GIB
    gpus = max(row["gpus_per_node"], 0)
    shares = row["exclusive"] != 1 and bool(cores or memory or gpus)
    cores = max(cores, 1) if shares else cores
    partition = ["all", "all", "alone"][row["partition"] + 1]
    shares = shares and partition != "alone"
    if not memory and partition == "all":
        memory = 2 * GIB * cores
    nodes = set(range(4)) if partition == "alone" else set(range(7))
    if row["constraint"] == 0:
        nodes -= {6}
    asked = {"cores": cores, "memory": memory, "gpu": gpus}
    return {name: count for name, count in asked.items() if count}, shares, nodes


@given(st.lists(rows, min_size=1, max_size=8))
def test_columns_say_for_all_jobs_what_they_say_for_one(jobs: list[dict[str, Any]]) -> None:
    """One pass for all jobs follows the plain rule of each; a job that can never run is refused."""
    columns: dict[str, Any] = {name: [job[name] for job in jobs] for name in jobs[0]}
    usual = {name: [60] * len(jobs) for name in ("submit_s", "request_s", "run_s")}
    labels = {"partition": ["all", "alone"], "constraint": ["cpu"]}
    workload = Workload({"job_id": range(len(jobs)), **usual, **columns}, labels=labels)
    expected = [plainly(job) for job in jobs]
    has = [{"cores": 32, "memory": 128 * GIB}] * 4 + [
        {"cores": 48, "memory": 256 * GIB, "gpu": 4},
        {"cores": 48, "memory": 256 * GIB, "gpu": 4},
        {"cores": 16, "memory": 64 * GIB, "gpu": 2},
    ]
    fits = [
        {
            node
            for node in nodes
            if all(has[node].get(name, 0) >= count for name, count in asked.items())
        }
        for asked, _, nodes in expected
    ]
    if any(len(those) < job["nodes"] for those, job in zip(fits, jobs, strict=True)):
        with pytest.raises(WorkloadError, match="asks for"):
            demands_of(workload, MACHINE)
        return
    demands = demands_of(workload, MACHINE)
    for job, (asked, shares, nodes) in enumerate(expected):
        amounts = zip(demands.resources.names, demands.per_node[job].tolist(), strict=True)
        assert {name: amount for name, amount in amounts if amount} == asked
        assert demands.whole[job] == (not shares)
        allowed = set(demands.node_sets[demands.allowed[job]].nodes.tolist())
        assert allowed == (nodes if shares else fits[job])
    assert np.array_equal(demands.least, workload["nodes"])


def test_jobs_of_several_clusters_have_a_part_for_each() -> None:
    """A job needs all parts at the same time; the error says what the clusters cannot give."""
    grid = Platform((Cluster.homogeneous(4, "north"), Cluster.homogeneous(2, "south")))
    demands = demands_of(asking({"needs": ["south:2+north:3"]}, nodes=5), grid)
    assert (demands.job.tolist(), demands.least.tolist()) == ([0, 0], [3, 2])
    assert [demands.node_sets[at].nodes.tolist() for at in demands.allowed] == [
        [0, 1, 2, 3],
        [4, 5],
    ]
    for needs, reason in (
        ("south:3", 'job 7: needs 3 nodes of cluster "south", which has 2'),
        ("sout:3", 'job 7: unknown cluster "sout"; did you mean "south"'),
        ("south:2", "job 7: nodes is 5 but its needs add up to 2"),
    ):
        with pytest.raises(WorkloadError, match=reason):
            demands_of(asking({"needs": [needs]}, nodes=5), grid)


def test_a_job_of_whole_nodes_may_have_those_that_hold_it() -> None:
    """An idle node without GPUs is no use to it; a job that shares is tested node by node."""
    for exclusive, nodes in ((1, [4, 5, 6]), (0, list(range(7)))):
        demands = demands_of(asking(gpus_per_node=1, exclusive=exclusive), MACHINE)
        assert demands.node_sets[demands.allowed[0]].nodes.tolist() == nodes


def test_capacity_is_what_all_nodes_have_together() -> None:
    """What some node does not state is not counted; a node without GPUs adds none."""
    told, untold = NodeType("told", 4, 8, {"a": 2}), NodeType("untold", 8)
    both = Platform((Cluster("c", (NodeGroup(told, 2), NodeGroup(untold, 1))),))
    assert capacity_of(both) == Capacity(3, cores=16, gpus=4)
    assert capacity_of(Platform.homogeneous(5)) == Capacity(5)
    huge = Platform.homogeneous(1 << 20, memory_bytes=1 << 40)
    assert capacity_of(huge).memory_bytes == 1 << 60
