"""The plain simulator on nodes that are shared, unlike, or divided into partitions."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.sim.machines import Drawn, machines

from schedlab.platform import Platform
from schedlab.testing import ORDERS
from schedlab.testing.instances import jobs
from schedlab.testing.reference.given import jobs_of
from schedlab.testing.reference.job import Job
from schedlab.testing.reference.machine import Machine, NodesAsked, Vector
from schedlab.testing.reference.predictors import PREDICTORS
from schedlab.testing.reference.simulation import ReferenceSimulation
from schedlab.testing.reference.ways import WAYS
from schedlab.testing.strategies import examples, workloads
from schedlab.workload import Workload


def run(
    workload: Workload,
    capacity: Sequence[Vector],
    demands: Sequence[tuple[NodesAsked, ...]],
    way: str,
    order: str = "fcfs",
) -> list[Job]:
    """Return the jobs after the plain simulator has run them with these demands."""
    made = jobs_of(workload, Platform.homogeneous(max(len(capacity), 999)))
    for job, demand in zip(made, demands, strict=True):
        job.demand = demand
    sim = ReferenceSimulation(made, Machine(tuple(capacity)), 0.3, PREDICTORS["request"]())
    sim.run(ORDERS[order], WAYS[way](), None)
    return made


def starts(made: list[Job]) -> list[int]:
    """Return when the jobs started."""
    return [job.start_s for job in made]


def shares(*resources: int, nodes: int = 1, exclusive: bool = False) -> tuple[NodesAsked, ...]:
    """Return a demand for these resources on each of one or both of two nodes."""
    return (NodesAsked(frozenset({0, 1}), nodes, resources, exclusive),)


# cores, memory
TWO_NODES = ((4, 8), (4, 8))


def test_jobs_share_a_node_until_one_resource_is_used_up() -> None:
    """Node 0 has no memory left, though it has cores: the third job takes node 1."""
    workload = jobs((0, 1, 10, 10), (0, 1, 10, 10), (0, 1, 10, 10))
    made = run(workload, TWO_NODES, [shares(1, 4)] * 3, "none")
    assert [job.node_numbers for job in made] == [[0], [0], [1]]
    assert starts(made) == [0, 0, 0]


def test_an_exclusive_job_waits_for_an_idle_node() -> None:
    """Node 0 is in use until 10 and node 1 until 20: the job starts at 10 and shares nothing."""
    workload = jobs((0, 1, 10, 10), (0, 1, 20, 20), (1, 1, 5, 5), (2, 1, 5, 5))
    demands = [shares(1, 1), shares(4, 1), shares(1, 1, exclusive=True), shares(1, 1)]
    made = run(workload, TWO_NODES, demands, "none")
    assert starts(made) == [0, 0, 10, 15]
    assert made[2].node_numbers == [0]


def test_easy_lets_pass_what_leaves_the_head_its_nodes() -> None:
    """The head gets node 0 at 10; a long job may share node 1, which the head cannot use then."""
    workload = jobs((0, 1, 10, 10), (0, 1, 50, 50), (1, 1, 10, 10), (2, 1, 30, 30))
    demands = [shares(4, 4), shares(2, 2), shares(4, 8), shares(2, 2)]
    made = run(workload, TWO_NODES, demands, "easy")
    assert starts(made) == [0, 0, 10, 2]
    assert made[3].node_numbers == [1]


def test_easy_holds_back_what_would_spoil_the_head_s_node() -> None:
    """Only node 0 can serve the head at 10, and the long job would fit only there."""
    workload = jobs((0, 1, 10, 10), (0, 1, 50, 50), (1, 1, 10, 10), (2, 1, 30, 30))
    demands = [shares(3, 4), shares(4, 4), shares(4, 8), shares(1, 1)]
    made = run(workload, TWO_NODES, demands, "easy")
    assert starts(made) == [0, 0, 10, 20]


def test_a_head_of_another_partition_does_not_block() -> None:
    """Nodes 0 and 1 are one partition, 2 and 3 the other: each has its queue and its head."""
    left, right = frozenset({0, 1}), frozenset({2, 3})
    workload = jobs((0, 2, 10, 10), (1, 2, 10, 10), (2, 2, 10, 10), (3, 1, 99, 99))
    demands = [
        (NodesAsked(left, 2),),
        (NodesAsked(left, 2),),
        (NodesAsked(right, 2),),
        (NodesAsked(right, 1),),
    ]
    made = run(workload, ((1,),) * 4, demands, "easy")
    assert starts(made) == [0, 10, 2, 12]


def test_a_promise_names_nodes() -> None:
    """Job 3 is promised node 0 at 10.

    Frozen, it starts there though node 1 is free at 5; conservative backfilling moves it.
    """
    workload = jobs((0, 1, 10, 10), (0, 1, 20, 5), (1, 1, 10, 10), (1, 2, 10, 10))
    demands = [shares(4, 8), shares(4, 8), shares(3, 1), shares(4, 8, nodes=2)]
    kept = run(workload, TWO_NODES, demands, "all-reserved, frozen")
    assert (starts(kept)[2], kept[2].node_numbers) == (10, [0])
    moved = run(workload, TWO_NODES, demands, "conservative")
    assert (starts(moved)[2], moved[2].node_numbers) == (5, [1])


@pytest.mark.parametrize("way", WAYS)
@examples(80)
@given(drawn=machines(), order=st.sampled_from(("fcfs", "sjf", "lcfs", "wrsa")))
def test_every_job_runs_where_it_may_and_no_node_is_overfull(
    way: str, drawn: Drawn, order: str
) -> None:
    """Under every policy demands are met, resources always suffice, and no job starves."""
    workload, capacity, demands = drawn
    made = run(workload, capacity, demands, way, order)
    ran = [job for job in made if job.start_s >= 0]
    for job in ran:
        numbers = iter(job.node_numbers)
        for part in job.demand:
            assert len(own := set(islice(numbers, part.count))) == part.count
            assert own <= part.allowed
        assert job.start_s >= job.eligible_s
    for moment in {job.start_s for job in ran}:
        there = [job for job in ran if job.start_s <= moment < job.end_s]
        for node, has in enumerate(capacity):
            held = [each.resources for job in there for each in job.held if each.node == node]
            used = [sum(share[at] for share in held) for at in range(len(has))]
            assert all(some <= most for some, most in zip(used, has, strict=True))
            alone = [job for job in there if job.demand[0].exclusive and node in job.node_numbers]
            assert not alone or len(held) == 1
    assert all(job.start_s >= 0 or job.cancel_after_s >= 0 for job in made)


@pytest.mark.parametrize("way", ["easy", "rebuilt"])
@examples(60)
@given(
    sides=st.tuples(workloads(3, 8), workloads(2, 8)), order=st.sampled_from(("fcfs", "sjf", "laf"))
)
def test_partitions_without_common_nodes_are_machines_of_their_own(
    way: str, sides: tuple[Workload, Workload], order: str
) -> None:
    """One queue over both partitions gives each the schedule that it has alone.

    This is not so where promises are kept: an end on one side lets promises of the other move a
    second time, and then they may move further.
    """
    sizes, offsets = (3, 2), (0, 3)
    alone = []
    for side, size in zip(sides, sizes, strict=True):
        pool = frozenset(range(size))
        demands = [(NodesAsked(pool, nodes),) for nodes in side["nodes"].tolist()]
        alone.append(run(side, ((1,),) * size, demands, way, order))
    columns = {
        name: [*sides[0][name].tolist(), *sides[1][name].tolist()]
        for name in sides[0].columns
        if name not in ("job_id", "depends_on")
    }
    later = [dep + 1000 if dep >= 0 else -1 for dep in sides[1]["depends_on"].tolist()]
    both = Workload(
        {
            **columns,
            "job_id": [*sides[0]["job_id"].tolist(), *(sides[1]["job_id"] + 1000).tolist()],
            "depends_on": [*sides[0]["depends_on"].tolist(), *later],
        }
    )
    whose = [0 if job_id < 1000 else 1 for job_id in both["job_id"].tolist()]
    pools = [frozenset(range(at, at + size)) for at, size in zip(offsets, sizes, strict=True)]
    demands = [
        (NodesAsked(pools[side], nodes),)
        for side, nodes in zip(whose, both["nodes"].tolist(), strict=True)
    ]
    together = run(both, ((1,),) * 5, demands, way, order)
    for half in (0, 1):
        own = [job for job, at in zip(together, whose, strict=True) if at == half]
        assert starts(own) == starts(alone[half])
        assert [job.node_numbers for job in own] == [
            [node + offsets[half] for node in job.node_numbers] for job in alone[half]
        ]
