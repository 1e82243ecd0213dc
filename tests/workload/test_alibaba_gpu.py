"""Alibaba's GPU cluster trace: tasks, nodes, and tasks that fill the cluster."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from schedlab.errors import InputError, ParameterError, WorkloadError
from schedlab.platform import read_platform
from schedlab.workload import Workload, apply, read_workload
from schedlab.workload.transforms import fill

TASKS = """\
name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time
a,12000,16384,1,1000,,LS,Running,5,105,15
b,6000,12288,1,460,V100|T4,BE,Pending,7,27,
c,4000,1024,0,0,,BE,Failed,9,9,9
d,8000,1024,4,1000,,LS,Running,9,19,9
"""
NODES = """\
sn,cpu_milli,memory_mib,gpu,model
n0,64000,262144,2,P100
n1,64000,262144,2,P100
n2,96000,524288,0,
"""


@pytest.fixture
def tasks(tmp_path: Path) -> Workload:
    """Four tasks: with a whole GPU, part of one, none, and four."""
    path = tmp_path / "pods.csv"
    path.write_text(TASKS)
    return read_workload(path)


def test_tasks_are_jobs_on_one_node(tasks: Workload) -> None:
    """Requests become our columns; a task that was never placed runs from its creation."""
    assert tasks["submit_s"].tolist() == [5, 7, 9, 9]
    assert tasks["run_s"].tolist() == [90, 20, 0, 10]
    assert tasks["cores_per_node"].tolist() == [12000, 6000, 4000, 8000]
    assert tasks["memory_per_node_kb"].tolist() == [16384 * 1024, 12288 * 1024, 2**20, 2**20]
    assert tasks["gpus_per_node"].tolist() == [1, 1, -1, 4]
    assert tasks["gpu_milli"].tolist() == [-1, 460, -1, -1]
    assert tasks.labels["constraint"] == ("V100|T4",)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (",12000,", ",12k,", ':2: cpu_milli is "12k"; must be a whole number'),
        (",scheduled_time", ",scheduled", "has no column scheduled_time"),
        ("c,4000", "c,4000,1,2,3,4,5,6,7,8,9,10,11,12", "is not a table"),
    ],
)
def test_a_broken_list_of_tasks_is_told(old: str, new: str, said: str, tmp_path: Path) -> None:
    """The error is one sentence with the place."""
    path = tmp_path / "pods.csv"
    path.write_text(TASKS.replace(old, new))
    with pytest.raises(InputError) as told:
        read_workload(path)
    assert said in str(told.value)


def test_nodes_are_a_platform(tmp_path: Path) -> None:
    """Neighbouring nodes that are alike form one group; the model is a feature."""
    path = tmp_path / "nodes.csv"
    path.write_text(NODES)
    platform = read_platform(path)
    assert [group.nodes for group in platform.groups] == [2, 1]
    assert platform.node_names() == ["n0", "n1", "n2"]
    first, last = (group.type for group in platform.groups)
    assert (first.cores, first.memory_bytes, first.gpus) == (64000, 262144 << 20, {"gpu": 2})
    assert (first.features, last.features, last.gpus) == (("P100",), (), {})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (NODES.replace("96000", "many"), ":4: cpu_milli, memory_mib and gpu must be whole numbers"),
        (NODES.replace(",0,", ",-1,"), "-1 gpu; must be >= 1, >= 1, >= 0"),
        (NODES.partition("\n")[0] + "\n", "has no node"),
    ],
)
def test_a_broken_list_of_nodes_is_told(text: str, said: str, tmp_path: Path) -> None:
    """The error is one sentence with the place."""
    path = tmp_path / "nodes.csv"
    path.write_text(text)
    with pytest.raises(InputError) as told:
        read_platform(path)
    assert said in str(told.value)


def test_jobs_fill_the_machine(tasks: Workload) -> None:
    """All jobs come once before any comes again; together they ask for at most the target."""
    filled = fill(tasks, 1.3, 20, seed=1)
    milli = np.where(filled["gpu_milli"] > 0, filled["gpu_milli"], 1000)
    asked = np.maximum(filled["gpus_per_node"], 0) * milli
    assert sorted(filled["cores_per_node"][:4].tolist()) == [4000, 6000, 8000, 12000]
    assert 26_000 - 4_000 < asked.sum() <= 26_000
    assert filled["submit_s"].tolist() == list(range(0, 2 * len(filled), 2))
    assert set(filled["cancel_after_s"].tolist()) == {1}
    assert fill(tasks, 1.3, 20, seed=1) == filled
    assert fill(tasks, 1.3, 20, seed=2) != filled


def test_few_gpus_are_filled_by_some_of_the_jobs(tasks: Workload) -> None:
    """The list is cut where the target is reached."""
    assert len(fill(tasks, 0.5, 1, seed=3)) < 4


def test_what_cannot_be_filled_is_told(tasks: Workload) -> None:
    """An error says that no GPUs are asked for, or that there is no target."""
    with pytest.raises(WorkloadError, match="asks for no GPU"):
        fill(tasks.replace(gpus_per_node=[-1] * 4, gpu_milli=[-1] * 4), 1.3, 20)
    with pytest.raises(ParameterError, match="must be above 0 times at least 1"):
        apply(tasks, ["fill=0:6212"])
