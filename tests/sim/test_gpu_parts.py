"""Jobs that take parts of a GPU, and the place that leaves the fewest fragments of GPUs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.sim.described_machines import Drawn
from tests.sim.gpu_machines import with_gpus
from tests.sim.test_against_reference import Policy
from tests.sim.test_machines import ON_ANY_MACHINE
from tests.sim.test_places import check_places, nodes_of, with_weights_and_switches

from schedlab import Simulation, simulate
from schedlab.audit.feasible import find_violations
from schedlab.errors import PlatformError, WorkloadError
from schedlab.platform import Cluster, NodeGroup, NodeType, Platform
from schedlab.sim import NodeRanges
from schedlab.testing.instances import jobs
from schedlab.testing.strategies import SimulationOptions, examples, simulation_options
from schedlab.workload import Workload

PLACES = ("lowest", "lowest", "best-fit", "worst-fit", "switches", "fgd", "fgd", "random")
FEW = st.lists(st.sampled_from(ON_ANY_MACHINE), min_size=4, max_size=4)


@examples(150)
@given(
    drawn=with_gpus(max_jobs=14),
    options=simulation_options(),
    policies=FEW,
    place=st.sampled_from(PLACES),
)
def test_the_core_agrees_with_the_reference(
    drawn: Drawn, options: SimulationOptions, policies: list[Policy], place: str
) -> None:
    """They agree on parts of GPUs, whole GPUs beside them, and two types of GPU on one node."""
    platform, workload = drawn
    for policy in policies:
        check_places((with_weights_and_switches(platform), workload), options, policy, place)


@examples(60)
@given(drawn=with_gpus(max_jobs=14), policy=st.sampled_from(("fcfs", "easy", "conservative")))
def test_the_audit_finds_all_feasible(drawn: Drawn, policy: str) -> None:
    """The audit packs the parts of GPUs a second time, from the schedule alone."""
    platform, workload = drawn
    assert find_violations(simulate(workload, platform, policy)) == []


def parts(*milli: int) -> Workload:
    """Return jobs of one core and this part of a GPU (in 1/1000), which run from 0 for 10 s."""
    workload = jobs(*((0, 1, 10, 10) for _ in milli))
    count = len(milli)
    return workload.replace(
        cores_per_node=[1] * count, gpus_per_node=[1] * count, gpu_milli=list(milli)
    )


def test_a_part_is_of_one_gpu() -> None:
    """Three parts of 600 need three GPUs; the fourth finds only 400 free on each and waits."""
    platform = Platform.homogeneous(1, cores=8, gpus={"a": 3})
    made = simulate(parts(600, 600, 600, 600, 400), platform, "easy")
    assert made.start_s.tolist() == [0, 0, 0, 10, 0]


def test_whole_gpus_are_wholly_free() -> None:
    """A part of 1/1000 leaves one of two GPUs for a job with a whole GPU, and none for the next."""
    platform = Platform.homogeneous(1, cores=8, gpus={"a": 2})
    assert simulate(parts(1, 1000, 1000), platform, "easy").start_s.tolist() == [0, 0, 10]


def test_parts_fill_the_fullest_gpu() -> None:
    """The part of 300 goes beside that of 500, so that a whole GPU is left."""
    platform = Platform.homogeneous(1, cores=8, gpus={"a": 2})
    assert simulate(parts(500, 300, 1000), platform, "easy").start_s.tolist() == [0, 0, 0]
    spread = simulate(parts(500, 300, 1000), platform, "easy", place="worst-fit")
    assert spread.start_s.tolist() == [0, 0, 10]


def test_fgd_keeps_gpus_that_others_can_use() -> None:
    """The first job takes the GPU that jobs of 6 cores cannot use, not that of the lowest node."""
    types = (NodeType("rich", cores=8, gpus={"a": 1}), NodeType("poor", cores=4, gpus={"a": 1}))
    platform = Platform((Cluster("c", tuple(NodeGroup(each, count=1) for each in types)),))
    asked = jobs((0, 1, 10, 10), *((1, 1, 10, 10) for _ in range(5)))
    asked = asked.replace(cores_per_node=[2, 6, 6, 6, 6, 6], gpus_per_node=[1] * 6)
    assert nodes_of(simulate(asked, platform, "fcfs"), 0) == [0]
    assert nodes_of(simulate(asked, platform, "fcfs", place="fgd"), 0) == [1]


def test_the_audit_sees_a_gpu_that_two_jobs_cannot_share() -> None:
    """Two parts of 600 do not fit on the one GPU of node 0."""
    platform = Platform.homogeneous(2, cores=8, gpus={"a": 1})
    made = simulate(parts(600, 600), platform, "easy")
    assert made.named_nodes().of(1) == [(1, 1)]
    both = NodeRanges(np.array([0, 1, 2]), np.array([0, 0], np.int32), np.array([0, 0], np.int32))
    (found,) = find_violations(replace(made, node_ranges=both))
    assert found.sentence == "job 2 started at 0 on node 0, which had not enough free for it"


def test_the_audit_packs_parts() -> None:
    """Three parts of 600 are 1800 of 2000 in all, but do not fit on two GPUs."""
    platform = Platform.homogeneous(2, cores=8, gpus={"a": 2})
    made = simulate(parts(600, 600, 600), platform, "easy")
    assert made.named_nodes().of(2) == [(1, 1)]
    there = np.zeros(3, np.int32)
    (found,) = find_violations(replace(made, node_ranges=NodeRanges(np.arange(4), there, there)))
    assert found.sentence == "job 3 started at 0 on node 0, which had not enough free for it"


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"gpu_milli": [1200]}, "job 1: gpu_milli is 1200; must be 1 to 1000"),
        ({"gpu_milli": [0]}, "job 1: gpu_milli is 0; must be 1 to 1000"),
        ({"gpus_per_node": [2]}, "gpu_milli is of one GPU on each node, but it asks for 2"),
    ],
)
def test_what_is_no_part_of_a_gpu_is_told(changed: dict[str, list[int]], said: str) -> None:
    """The error is one sentence, before the run begins."""
    platform = Platform.homogeneous(1, cores=8, gpus={"a": 3})
    with pytest.raises(WorkloadError, match=said):
        simulate(parts(500).replace(**changed), platform, "easy")


def test_too_many_gpus_are_told() -> None:
    """The bit mask of a node's GPUs has 64 places."""
    platform = Platform.homogeneous(1, cores=8, gpus={"a": 60, "b": 5})
    with pytest.raises(PlatformError, match="has nodes with 65 GPUs"):
        simulate(parts(500), platform, "easy")


def test_parts_are_added_and_forked() -> None:
    """A fork keeps the GPUs; jobs with parts can be added to parts, but not to whole GPUs."""
    platform = Platform.homogeneous(1, cores=8, gpus={"a": 1})
    added = parts(400, 400).replace(job_id=[7, 8], submit_s=[1, 1])
    run = Simulation(parts(500), platform, "easy").run(0).fork().submit(added).run()
    assert run.schedule().start_s.tolist() == [0, 1, 10]
    whole = Simulation(parts(1000), platform, "easy").run(0)
    with pytest.raises(WorkloadError, match="job 7 and those added with it ask for parts of GPUs"):
        whole.submit(added)
