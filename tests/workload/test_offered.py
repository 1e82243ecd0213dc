"""The offered load of jobs that share nodes, by resource."""

from __future__ import annotations

import math

import pytest

from schedlab.errors import ParameterError, UnknownNameError
from schedlab.workload import Workload, apply
from schedlab.workload.offered import Capacity, offered_loads

GIB_KB = 1 << 20


def two_jobs(**columns: list[float]) -> Workload:
    """Return two jobs of ten seconds, the second 100 s after the first."""
    base = {"job_id": [1, 2], "submit_s": [0, 100], "nodes": [1, 2]}
    return Workload({**base, "request_s": [10, 10], "run_s": [10, 10], **columns})


def test_each_resource_by_itself() -> None:
    """Cores: (2 + 2·4) · 10 / (20 · 100); memory: (1 + 2·2) · 10 / (10 · 100)."""
    jobs = two_jobs(cores_per_node=[2, 4], memory_per_node_kb=[GIB_KB, 2 * GIB_KB])
    loads = offered_loads(jobs, Capacity(5, cores=20, memory_bytes=10 << 30, gpus=4))
    assert loads == pytest.approx({"cores": 0.05, "memory_bytes": 0.05, "gpus": 0})


def test_a_job_with_whole_nodes_counts_with_all_they_have() -> None:
    """The first job asks for no cores, the second must be alone: shares of 1 and 2 in 5 nodes."""
    jobs = two_jobs(cores_per_node=[-1, 4], exclusive=[0, 1])
    assert offered_loads(jobs, Capacity(5, cores=20)) == pytest.approx({"cores": 0.06})


def test_without_resources_nodes_are_whole() -> None:
    """The load is then the plain one: (1 + 2) · 10 / (5 · 100)."""
    jobs = two_jobs(cores_per_node=[2, 4])
    assert offered_loads(jobs, Capacity(5)) == {"nodes": jobs.offered_load(5)}


def test_totals_are_shared_by_the_nodes() -> None:
    """Cores are given in total and memory by core, as in Slurm and SWF."""
    jobs = two_jobs(cores=[2, 8], requested_memory_kb=[GIB_KB, GIB_KB])
    loads = offered_loads(jobs, Capacity(5, cores=20, memory_bytes=20 << 30))
    assert loads == pytest.approx({"cores": 0.05, "memory_bytes": 0.05})


def test_all_at_once_is_an_endless_load() -> None:
    """There is no time span to divide by."""
    jobs = two_jobs(submit_s=[0, 0], cores_per_node=[1, 1])
    assert offered_loads(jobs, Capacity(5, cores=20)) == {"cores": math.inf}


def test_the_transform_takes_the_most_demanded() -> None:
    """The GPUs have the load that was asked for; provenance has the machine."""
    jobs = two_jobs(cores_per_node=[1, 1], gpus_per_node=[4, 4])
    scaled = apply(jobs, ["load=0.5:5,cores=20,gpus=20"])
    loads = offered_loads(scaled, Capacity(5, cores=20, gpus=20))
    assert loads == pytest.approx({"cores": 0.125, "gpus": 0.5})
    assert scaled.provenance[-1]["gpus"] == 20
    assert "memory_bytes" not in scaled.provenance[-1]


def test_mistakes_in_the_text() -> None:
    """For an unknown resource the error suggests the nearest; a total must be at least 1."""
    jobs = two_jobs(cores_per_node=[1, 1])
    with pytest.raises(UnknownNameError, match='resource of load "core"; did you mean "cores"'):
        apply(jobs, ["load=0.5:5,core=20"])
    with pytest.raises(ParameterError, match="cores is 0; must be from 1"):
        apply(jobs, ["load=0.5:5,cores=0"])
    with pytest.raises(ParameterError, match='"lots" is not an amount of memory'):
        apply(jobs, ["load=0.5:5,memory=lots"])
