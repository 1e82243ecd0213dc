"""The core and the plain reference agree on nodes that are shared, unlike or in partitions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.sim.described_machines import Drawn, described, in_partitions, shared
from tests.sim.test_against_reference import POLICIES, Policy, simulate_natively

from schedlab import Simulation, simulate
from schedlab.audit.feasible import find_violations
from schedlab.errors import ParameterError, WorkloadError
from schedlab.platform import Cluster, NodeGroup, Partition, Platform
from schedlab.sim import NodeRanges
from schedlab.sim.node_demands import demands_if_any
from schedlab.testing import ReferenceSchedule, reference_simulate
from schedlab.testing.instances import jobs
from schedlab.testing.strategies import SimulationOptions, drawn_apart, examples, simulation_options
from schedlab.workload import Workload, apply

ON_ANY_MACHINE = [each for each in POLICIES if not each.pinned]


def check_agreement(drawn: Drawn, options: SimulationOptions, policies: list[Policy]) -> None:
    """Compare all columns of both simulators under every policy."""
    platform, workload = drawn
    for policy in policies:
        native = simulate_natively(policy, platform, workload, options)
        plain = reference_simulate(workload, platform, policy, **options)
        assert ReferenceSchedule.of(native) == plain, (
            f"{policy.name} with {options} on {platform}:\n{workload.frame().to_dicts()}"
        )


FEW = st.lists(st.sampled_from(ON_ANY_MACHINE), min_size=5, max_size=5)


@examples(150)
@given(drawn=described(max_jobs=12), options=simulation_options(), policies=FEW)
def test_the_core_agrees_with_the_reference(
    drawn: Drawn, options: SimulationOptions, policies: list[Policy]
) -> None:
    """They agree on all kinds of machines.

    There are shares, exclusive jobs, memory, GPUs, partitions that overlap, and jobs on several
    clusters at once.
    """
    check_agreement(drawn, options, policies)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(2))
def test_the_core_agrees_with_the_reference_at_length(part: int) -> None:
    """There are more jobs, and more of them wait."""

    @drawn_apart(part)
    @examples(300)
    @given(drawn=described(max_jobs=20), options=simulation_options(), policies=FEW)
    def agrees(drawn: Drawn, options: SimulationOptions, policies: list[Policy]) -> None:
        check_agreement(drawn, options, policies)

    agrees()


@examples(60)
@given(drawn=described(max_jobs=15), policy=st.sampled_from(("fcfs", "sjf+easy", "conservative")))
def test_the_audit_finds_all_feasible(drawn: Drawn, policy: str) -> None:
    """The audit counts room and allowed nodes a second time, from the schedule alone."""
    platform, workload = drawn
    assert find_violations(simulate(workload, platform, policy)) == []


def shared_pair() -> tuple[Platform, Workload]:
    """Return two jobs of three cores that run at the same time on two nodes of four cores."""
    platform = Platform.homogeneous(2, cores=4)
    return platform, jobs((0, 1, 10, 10), (0, 1, 10, 10)).replace(cores_per_node=[3, 3])


def test_the_audit_sees_an_overfull_node() -> None:
    """Three and three cores are more than four."""
    platform, workload = shared_pair()
    made = simulate(workload, platform, "easy")
    assert made.named_nodes().of(1) == [(1, 1)]
    both = NodeRanges(np.array([0, 1, 2]), np.array([0, 0], np.int32), np.array([0, 0], np.int32))
    (found,) = find_violations(replace(made, node_ranges=both))
    assert found.sentence == "job 2 started at 0 on node 0, which had not enough free for it"


def test_the_audit_sees_a_job_outside_its_partition() -> None:
    """The partition is node 1 alone."""
    partitions = (Partition("all", default=True), Partition("one", "1"))
    platform = Platform((Cluster("c", (NodeGroup(count=2),), partitions=partitions),))
    workload = in_partitions(jobs((0, 1, 10, 10)), ["one"])
    made = simulate(workload, platform, "easy")
    wrong = NodeRanges(np.array([0, 1]), np.array([0], np.int32), np.array([0], np.int32))
    assert find_violations(made) == []
    (found,) = find_violations(replace(made, node_ranges=wrong))
    assert found.sentence == "job 1 ran on node 0, which it may not have"


def test_jobs_share_a_node_unless_whole_nodes_are_asked_for() -> None:
    """Two jobs of one core fit on one node of two; with whole nodes one has to wait."""
    platform = Platform.homogeneous(1, cores=2)
    workload = jobs((0, 1, 10, 10), (0, 1, 10, 10)).replace(cores_per_node=[1, 1])
    assert simulate(workload, platform, "easy").start_s.tolist() == [0, 0]
    assert simulate(workload, platform, "easy", whole_nodes=True).start_s.tolist() == [0, 10]


@examples(40)
@given(drawn=shared(max_jobs=12), policy=st.sampled_from(("easy", "conservative", "wrsabf-or")))
def test_a_fork_ends_as_the_run_that_was_not_stopped(drawn: Drawn, policy: str) -> None:
    """This holds on shared nodes too, with a fork in the middle of the jobs."""
    platform, workload = drawn
    middle = int(workload["submit_s"][len(workload) // 2])
    whole = simulate(workload, platform, policy)
    stopped = Simulation(workload, platform, policy).run(middle)
    assert stopped.fork().run().schedule().start_s.tolist() == whole.start_s.tolist()
    assert stopped.run().schedule().start_s.tolist() == whole.start_s.tolist()


def test_jobs_are_added_to_shared_nodes() -> None:
    """One core of two is free, so a job of one core starts at once and a job of two waits."""
    platform = Platform.homogeneous(1, cores=2)
    first = jobs((0, 1, 10, 10)).replace(cores_per_node=[1])
    added = jobs((1, 1, 3, 3), (1, 1, 5, 5)).replace(job_id=[7, 8], cores_per_node=[1, 2])
    run = Simulation(first, platform, "easy").run(0).submit(added).run()
    assert run.schedule().start_s.tolist() == [0, 1, 10]


def test_nodes_of_one_core_are_counted() -> None:
    """Jobs cannot share the processors of a trace, whatever memory they ask for."""
    platform = Platform.homogeneous(4, cores=1)
    asked = jobs((0, 2, 10, 10), (0, 3, 10, 10)).replace(requested_memory_kb=[8, 8])
    assert demands_if_any(asked, platform) is None
    assert simulate(asked, platform, "easy").start_s.tolist() == [0, 10]


def test_shared_jobs_cannot_join_whole_ones() -> None:
    """The simulation counts whole nodes and cannot hold parts of them."""
    platform = Platform.homogeneous(2, cores=2)
    run = Simulation(jobs((0, 1, 10, 10)), platform, "easy")
    added = jobs((1, 1, 3, 3)).replace(job_id=[7], cores_per_node=[1])
    with pytest.raises(WorkloadError, match="job 7 and those added with it ask for parts of nodes"):
        run.submit(added)


def one_node_for_three() -> tuple[Platform, Workload]:
    """Return a node with four cores and jobs that ask for 3, 2 and 1 cores, the last for longer."""
    workload = jobs((0, 1, 10, 10), (0, 1, 10, 10), (0, 1, 30, 30))
    return Platform.homogeneous(1, cores=4), workload.replace(cores_per_node=[3, 2, 1])


@pytest.mark.parametrize(
    "policy",
    ["conservative:rebuild=true", "fcfs+all-reserved", "fcfs+one-reserved:alpha=1", "easy"],
)
def test_a_reservation_may_hold_whole_nodes(policy: str) -> None:
    """The third job fits beside both others.

    With reserve=nodes the second job holds the whole node from 10 on, until it runs.
    """
    platform, workload = one_node_for_three()
    assert simulate(workload, platform, policy).start_s.tolist() == [0, 10, 0]
    on_nodes = f"{policy}{',' if ':' in policy else ':'}reserve=nodes"
    assert simulate(workload, platform, on_nodes).start_s.tolist() == [0, 10, 10]


@pytest.mark.parametrize(
    ("policy", "reason"),
    [
        ("conservative:reserve=nodes", "conservative: reserve=nodes needs rebuild=true"),
        ("wrsabf-or:reservation=frozen,reserve=nodes", "is for reservation=replan, not frozen"),
        ("wrsabf-ar:reserve=cores", r'reserve is "cores"; must be shares or nodes'),
    ],
)
def test_whole_nodes_are_for_plans_of_each_pass(policy: str, reason: str) -> None:
    """A kept promise fixes a start, but what it holds would change when another job starts."""
    platform, workload = one_node_for_three()
    with pytest.raises(ParameterError, match=reason):
        simulate(workload, platform, policy)


@pytest.mark.parametrize("policy", ["conservative:promises=1", "coalloc"])
def test_a_policy_that_counts_whole_nodes_is_refused(policy: str) -> None:
    """Its plan has no shares of a node."""
    platform, workload = one_node_for_three()
    with pytest.raises(ParameterError, match="counts whole nodes, but these jobs share nodes"):
        simulate(workload, platform, policy)


def test_tasks_may_need_more_nodes_than_are_told() -> None:
    """Six tasks, two on each node, need three nodes; the second job waits for the third node."""
    workload = jobs((0, 1, 10, 10), (0, 2, 10, 10))
    workload = workload.replace(tasks=[6, -1], tasks_per_node=[2, -1])
    platform = Platform.homogeneous(4, cores=2)
    for policy in ("easy", "conservative", "wrsabf-or"):
        made = simulate(workload, platform, policy)
        assert made.named_nodes().of(0) == [(0, 2)]
        assert made.start_s.tolist() == [0, 10]
        assert find_violations(made) == []


def test_cores_turned_into_whole_nodes_are_not_shared() -> None:
    """The transform counts nodes of a trace that counts cores: each job has its nodes to itself."""
    workload = apply(jobs((0, 2, 10, 10), (0, 2, 10, 10)), ["cores_per_node=4"])
    assert workload["cores_per_node"].tolist() == [2, 2]
    platform = Platform.homogeneous(1, cores=4)
    assert simulate(workload, platform, "easy").start_s.tolist() == [0, 10]
