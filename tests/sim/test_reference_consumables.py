"""The plain simulator with licences and watts, whose capacity changes."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedlab.errors import WorkloadError
from schedlab.platform import CapacityStep, Consumable, Platform
from schedlab.testing import ORDERS
from schedlab.testing.instances import jobs
from schedlab.testing.reference.given import jobs_of
from schedlab.testing.reference.job import Job
from schedlab.testing.reference.machine import Machine
from schedlab.testing.reference.predictors import PREDICTORS
from schedlab.testing.reference.simulation import ReferenceSimulation
from schedlab.testing.reference.ways import WAYS
from schedlab.testing.strategies import examples, workloads
from schedlab.workload import Workload

NODES = 4


def licences(capacity: int, *steps: tuple[int, int]) -> Consumable:
    """Return licences with this capacity, and with others from these times on."""
    return Consumable("licences", capacity, tuple(CapacityStep(*step) for step in steps))


def run(
    workload: Workload,
    consumable: Consumable,
    amounts: Sequence[int],
    way: str,
    order: str = "fcfs",
    tick: int = 0,
) -> list[Job]:
    """Return the jobs after they have run on four whole nodes, each with its number of licences."""
    machine = Machine(((1,),) * NODES, tick, consumables=(consumable,))
    made = jobs_of(workload, Platform.homogeneous(NODES))
    for job, amount in zip(made, amounts, strict=True):
        job.demand += (machine.some_of("licences", amount),) if amount else ()
    ReferenceSimulation(made, machine, 0.3, PREDICTORS["request"]()).run(
        ORDERS[order], WAYS[way](), None
    )
    return made


def starts(made: list[Job]) -> list[int]:
    """Return when the jobs started."""
    return [job.start_s for job in made]


@pytest.mark.parametrize("way", WAYS)
def test_a_job_waits_for_licences_though_nodes_are_free(way: str) -> None:
    """Two of three licences are held until 10; the third job needs none."""
    workload = jobs((0, 1, 10, 10), (1, 1, 5, 5), (2, 1, 5, 5))
    made = run(workload, licences(3), [2, 2, 0], way)
    assert starts(made) == [0, 10, 10 if way == "none" else 2]
    assert made[0].node_numbers == [0]


@pytest.mark.parametrize("way", WAYS)
def test_a_job_does_not_start_if_licences_go_before_it_ends(way: str) -> None:
    """From 5 to 20 there is one licence: the first job ends in time, the second would not.

    0    5              20
    A A A A A . . . . . B B B B B B      two licences each
    """
    workload = jobs((0, 1, 5, 5), (0, 1, 6, 6))
    made = run(workload, licences(4, (5, 1), (20, 2)), [2, 2], way)
    assert starts(made) == [0, 20]


@pytest.mark.parametrize("way", WAYS)
def test_jobs_that_hold_too_much_go_on(way: str) -> None:
    """The first job, of 3 s, runs for 12 s while the licences fall to one; no other job starts."""
    workload = jobs((0, 1, 3, 12), (6, 1, 2, 2))
    machine = Machine(((1,),) * NODES, 0, False, (licences(2, (4, 1), (99, 2)),))
    made = jobs_of(workload, Platform.homogeneous(NODES))
    made[0].demand += (machine.some_of("licences", 2),)
    made[1].demand += (machine.some_of("licences", 1),)
    ReferenceSimulation(made, machine, 0.3, PREDICTORS["request"]()).run(
        ORDERS["fcfs"], WAYS[way](), None
    )
    assert [(job.start_s, job.end_s) for job in made] == [(0, 12), (12, 14)]


@pytest.mark.parametrize("way", WAYS)
def test_more_licences_are_an_event(way: str) -> None:
    """Nothing but the change of capacity happens at 7, and the job starts then."""
    assert starts(run(jobs((0, 1, 9, 9)), licences(1, (7, 2)), [2], way)) == [7]


def test_a_change_of_capacity_is_seen_at_the_next_tick() -> None:
    """Like any event, it waits for the tick: the licences of 7 can be used at 10."""
    assert starts(run(jobs((0, 1, 9, 9)), licences(1, (7, 2)), [2], "easy", tick=10)) == [10]


def test_easy_lets_nobody_take_the_head_s_licences() -> None:
    """The head gets two of three licences at 10; one long job may hold the third, no second may.

    A A A A A A A A A A B B B            A, B: two licences
    C C C C C C C C C C C C              C, D: one
    . . . . . . . . . . . . D D D D      three licences in all, nodes enough
    """
    workload = jobs((0, 1, 10, 10), (1, 1, 3, 3), (2, 1, 12, 12), (3, 1, 12, 12))
    made = run(workload, licences(3), [2, 2, 1, 1], "easy")
    assert starts(made) == [0, 10, 2, 13]
    assert made[1].first_reserved_s == 10


def test_the_shadow_time_knows_the_capacity_to_come() -> None:
    """At 10 there would be enough licences but for the announced loss from 12 to 30."""
    workload = jobs((0, 1, 10, 10), (1, 1, 5, 5), (2, 1, 27, 27), (3, 1, 28, 28))
    made = run(workload, licences(2, (12, 1), (30, 2)), [1, 2, 1, 1], "easy")
    assert made[1].first_reserved_s == 30
    assert starts(made) == [0, 30, 2, 35]


def test_a_plan_counts_nodes_and_licences_together() -> None:
    """Jobs 2 and 3 need all licences and follow each other; job 4 needs none and starts at once."""
    workload = jobs((0, 2, 10, 10), (0, 1, 10, 10), (0, 1, 10, 10), (0, 2, 10, 10))
    made = run(workload, licences(2), [2, 2, 2, 0], "conservative")
    assert [job.first_reserved_s for job in made] == [0, 10, 20, 0]


def test_a_job_that_would_wait_for_ever_is_an_error() -> None:
    """If licences run out, enough must come back for every job that asks for them."""
    with pytest.raises(WorkloadError, match="job 2 can not start any more after 50 s"):
        run(jobs((0, 1, 5, 5), (0, 1, 5, 5)), licences(9, (50, 1)), [1, 2], "easy")


capacities = st.lists(st.tuples(st.integers(1, 30), st.integers(0, 6)), max_size=4)


@pytest.mark.parametrize("way", WAYS)
@examples(40)
@given(
    workload=workloads(NODES, 10),
    steps=capacities,
    last=st.integers(3, 6),
    amounts=st.lists(st.integers(0, 3), min_size=10, max_size=10),
    order=st.sampled_from(("fcfs", "sjf", "wfp3")),
    tick=st.sampled_from((0, 7)),
)
def test_licences_suffice_whenever_a_job_starts(
    way: str,
    workload: Workload,
    steps: list[tuple[int, int]],
    last: int,
    amounts: list[int],
    order: str,
    tick: int,
) -> None:
    """Since requests are limits, there are enough at any time under every policy."""
    times = [sum(gap for gap, _ in steps[: place + 1]) for place in range(len(steps))]
    told = [(at, capacity) for at, (_, capacity) in zip(times, steps, strict=True)]
    there = licences(3, *told, (sum(gap for gap, _ in steps) + 40, last))
    asked = amounts[: len(workload)]
    made = run(workload, there, asked, way, order, tick)
    assert all(job.start_s >= 0 or job.cancel_after_s >= 0 for job in made)
    machine = Machine((), tick, consumables=(there,))
    ran = [(job, amount) for job, amount in zip(made, asked, strict=True) if job.start_s >= 0]
    for moment in {*machine.steps_s, *(job.start_s for job, _ in ran)}:
        held = sum(amount for job, amount in ran if job.start_s <= moment < job.end_s)
        ((most,),) = machine.capacity_at(moment)
        assert held <= most


@pytest.mark.parametrize("way", WAYS)
@examples(30)
@given(workload=workloads(NODES, 10), order=st.sampled_from(("fcfs", "sjf", "wfp3")))
def test_licences_enough_for_all_change_nothing(way: str, workload: Workload, order: str) -> None:
    """A consumable that is never short has no effect, whether jobs ask for it or not."""
    without = run(workload, licences(1), [0] * len(workload), way, order)
    asked = run(workload, licences(10**6), [1] * len(workload), way, order)
    assert starts(asked) == starts(without)
    assert [job.node_numbers for job in asked] == [job.node_numbers for job in without]
