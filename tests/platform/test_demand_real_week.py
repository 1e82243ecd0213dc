"""A week of a real cluster: its nodes, its partitions, and what 19,579 jobs asked for."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from schedlab.platform import (
    Cluster,
    NodeGroup,
    NodeType,
    Partition,
    Platform,
    demands_of,
)
from schedlab.workload import Workload, read_workload

MIB = 1 << 20
OLD, NEW = ("CPU-Gold-6130", "OPA"), ("CPU-Gold-6230", "IB")
UB_HPC = Platform(
    (
        Cluster(
            "ubhpc",
            (
                NodeGroup(NodeType("n", 32, 187000 * MIB, features=OLD), hosts="n[001-087]"),
                NodeGroup(
                    NodeType("gn", 32, 187000 * MIB, {"p100": 2}, features=OLD), hosts="gn[001-002]"
                ),
                NodeGroup(
                    NodeType("g", 40, 187000 * MIB, {"v100": 2}, features=NEW), hosts="g[001-008]"
                ),
                NodeGroup(NodeType("m", 40, 187000 * MIB, features=NEW), hosts="m[001-096]"),
                NodeGroup(NodeType("b", 40, 754000 * MIB, features=NEW), hosts="b[001-024]"),
            ),
            partitions=(
                Partition(
                    "general-compute",
                    "n,m,b,g",
                    max_time_s=72 * 3600,
                    default=True,
                    memory_per_core_bytes=2800 * MIB,
                ),
                Partition("debug", "gn", max_time_s=3600, memory_per_core_bytes=2800 * MIB),
            ),
        ),
    )
)
RENAME = {
    "job": "job_id",
    "submit_offset_s": "submit_s",
    "limit_s": "request_s",
    "true_run_s": "run_s",
    "cpus_per_task": "cores_per_task",
    "memory_mb": "memory_per_node_kb*1024",
    "memory_per_cpu_mb": "requested_memory_kb*1024",
    "gres": "gpus_per_node",
}


@pytest.fixture(scope="module")
def week(shared_data: Path) -> Workload:
    """The jobs by our columns; times in whole seconds, memory in kilobytes."""
    return read_workload(shared_data / "slurm" / "ub-hpc-week" / "submitted.csv.gz", rename=RENAME)


def test_every_job_of_the_week_finds_its_nodes(week: Workload) -> None:
    """All jobs that really ran can run, with partitions, features, memory and GPUs kept."""
    demands = demands_of(week, UB_HPC)
    assert len(week) == 19_579
    assert demands.ignored == ()
    assert demands.resources.names == ("cores", "memory", "gpu", "gpu:p100", "gpu:v100")
    assert int(demands.whole.sum()) == int((week["exclusive"] == 1).sum())
    debug = week.labelled("partition") == "debug"
    assert {len(demands.node_sets[place].nodes) for place in demands.allowed[debug]} == {2}
    with_gpus = np.flatnonzero(demands.per_node[:, demands.resources.place["gpu"]])
    assert len(with_gpus) == 73
    shares = demands.per_node[~demands.whole]
    assert (shares[:, 0] >= 1).all()
    assert (shares[:, 1] > 0).all()
