"""The plain simulator with outages, drains and reservations."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedlab.errors import WorkloadError
from schedlab.platform import Cluster, Drain, NodeGroup, NodeType, Outage, Platform, Reservation
from schedlab.sim import JobOutcome
from schedlab.testing import ORDERS
from schedlab.testing.instances import jobs
from schedlab.testing.reference.calendar import KINDS, ClosedTime, calendar_of
from schedlab.testing.reference.given import jobs_of
from schedlab.testing.reference.job import Job
from schedlab.testing.reference.machine import Machine
from schedlab.testing.reference.predictors import PREDICTORS
from schedlab.testing.reference.simulation import ReferenceSimulation
from schedlab.testing.reference.ways import WAYS
from schedlab.testing.strategies import examples, workloads
from schedlab.workload import Workload

NODES = 3
ALL = frozenset(range(NODES))


def run(
    workload: Workload,
    *calendar: ClosedTime,
    way: str = "easy",
    order: str = "fcfs",
    tick: int = 0,
    kill_at_request: bool = True,
    predict: str = "request",
) -> list[Job]:
    """Return the jobs after they have run on three whole nodes, none of them twice."""
    machine = Machine(((1,),) * NODES, tick, kill_at_request, calendar=calendar)
    made = jobs_of(workload, Platform.homogeneous(NODES))
    for job in made:
        job.requeue = False
    ReferenceSimulation(made, machine, 0.3, PREDICTORS[predict]()).run(
        ORDERS[order], WAYS[way](), None
    )
    return made


def starts(made: list[Job]) -> list[int]:
    """Return when the jobs started."""
    return [job.start_s for job in made]


def outage(begin_s: int, end_s: float, *nodes: int) -> ClosedTime:
    """Return an outage of these nodes, or of all."""
    return ClosedTime("outage", begin_s, end_s, frozenset(nodes or ALL))


@pytest.mark.parametrize("way", WAYS)
def test_a_job_that_would_run_into_an_outage_waits_for_its_end(way: str) -> None:
    """A job that ends as the outage begins may start; so may one that starts as the outage ends.

    0                   10        15
    A A A A A A A A A A x x x x x B      all nodes are out from 10 to 15
    """
    made = run(jobs((0, 1, 10, 10), (0, 1, 11, 11)), outage(10, 15), way=way)
    assert starts(made) == [0, 15]


@pytest.mark.parametrize("way", WAYS)
def test_a_job_avoids_the_nodes_of_an_outage(way: str) -> None:
    """Nodes 0 and 1 go out at 10: the long job takes node 2, the short one node 0."""
    made = run(jobs((0, 1, 20, 20), (0, 1, 5, 5)), outage(10, 30, 0, 1), way=way)
    assert [job.node_numbers for job in made] == [[2], [0]]
    assert starts(made) == [0, 0]


@pytest.mark.parametrize("way", WAYS)
def test_a_job_that_outlives_its_estimate_is_ended_by_an_outage(way: str) -> None:
    """It asked for 8 s and is not killed at its request; the outage ends it at 10."""
    workload = jobs((0, 1, 8, 30), (0, 1, 5, 5, ), depends_on=[-1, 1])  # fmt: skip
    made = run(workload, outage(10, 15), way=way, kill_at_request=False)
    assert (made[0].end_s, made[0].state) == (10, JobOutcome.KILLED)
    assert (made[1].eligible_s, made[1].start_s) == (10, 15)


@pytest.mark.parametrize("way", WAYS)
def test_a_job_with_too_short_a_prediction_is_ended_by_an_outage(way: str) -> None:
    """The user's last jobs took 2 s, so the third is expected to end before the outage at 20."""
    workload = jobs((0, 1, 40, 2), (3, 1, 40, 2), (8, 1, 40, 40), user=[1, 1, 1])
    made = run(workload, outage(60, 61), way=way, predict="last-two")
    assert [(job.start_s, job.end_s) for job in made] == [(0, 2), (3, 5), (8, 48)]
    made = run(workload, outage(20, 21, 0), way=way, predict="last-two")
    late = [job.start_s for job in made]
    assert late[2] == 8
    assert (made[2].end_s, made[2].state) == (20, JobOutcome.KILLED)


@pytest.mark.parametrize("way", WAYS)
def test_a_drain_lets_running_jobs_go_on_and_no_other_start(way: str) -> None:
    """From 5 to 12 no job starts; the first job runs through the drain."""
    made = run(jobs((0, 1, 20, 20), (6, 1, 2, 2)), ClosedTime("drain", 5, 12, ALL), way=way)
    assert starts(made) == [0, 12]
    assert made[0].end_s == 20


@pytest.mark.parametrize("way", WAYS)
def test_a_reservation_is_for_its_guests(way: str) -> None:
    """All nodes are reserved for the second job from 5 to 20: it passes, the others wait."""
    held = ClosedTime("reservation", 5, 20, ALL, frozenset({1}))
    made = run(jobs((0, 1, 6, 6), (0, 2, 30, 30), (6, 1, 2, 2)), held, way=way)
    assert starts(made) == [20, 20 if way == "none" else 0, 26]


def test_a_reservation_ends_no_job() -> None:
    """A job that outlives its request runs on in the reservation; the guest waits for its node."""
    held = ClosedTime("reservation", 5, 50, ALL, frozenset({1}))
    made = run(jobs((0, 3, 5, 9), (5, 1, 2, 2)), held, kill_at_request=False)
    assert [(job.start_s, job.end_s) for job in made] == [(0, 9), (9, 11)]


def test_the_shadow_time_knows_the_calendar() -> None:
    """The head would start at 10 but for the outage of node 2 from 12 to 20.

    0                   10   12                  20
    A A A A A A A A A A . .                      B B B B
    . . . . . . . . . .                          B B B B      C runs on node 1 until 20,
    . C C C C C C C C C C C                                   D would be too long.
    """
    workload = jobs((0, 1, 10, 10), (1, 3, 4, 4), (1, 1, 19, 19), (2, 1, 19, 19))
    made = run(workload, outage(12, 20, 2))
    assert made[1].first_reserved_s == 20
    assert starts(made) == [0, 20, 1, 24]
    assert made[2].node_numbers == [1]


def test_a_head_s_spare_nodes_are_those_it_is_not_barred_from() -> None:
    """The head gets nodes 0 and 1 at 10; a job may hold node 2, barred to the head, until 30.

    Node 2 has an outage from 30, before the head would end; the last job ends as the outage begins.
    """
    workload = jobs((0, 2, 10, 10), (1, 2, 40, 40), (2, 1, 28, 28))
    made = run(workload, outage(30, 40, 2))
    assert starts(made) == [0, 10, 2]
    assert [job.node_numbers for job in made] == [[0, 1], [0, 1], [2]]


def test_plans_name_nodes_around_an_outage() -> None:
    """By count, one node is always free for the second job, but it would have to change nodes.

    0         5                   15
    A A A A A . . . . . B B B B B B      node 0
    . . . . . x x x x x x x x x x .      nodes 1 and 2 are out from 5 to 15
    """
    workload = jobs((0, 1, 5, 5), (0, 1, 6, 6), (0, 1, 8, 8))
    made = run(workload, outage(5, 15, 1, 2), way="conservative")
    assert [job.first_reserved_s for job in made] == [0, 5, 11]
    assert [job.node_numbers for job in made] == [[0], [0], [0]]


def test_the_calendar_is_seen_at_the_next_tick() -> None:
    """With a tick of 10, an outage from 11 to 13 is not seen; one from 11 to 23 lasts until 30."""
    assert starts(run(jobs((0, 1, 30, 30)), outage(11, 13), tick=10)) == [0]
    assert starts(run(jobs((0, 1, 30, 30)), outage(11, 23), tick=10)) == [30]


def test_a_job_that_would_wait_for_ever_is_an_error() -> None:
    """Two nodes that stay out leave one; the second job asks for two."""
    with pytest.raises(WorkloadError, match="job 2 can not start any more after 50 s"):
        run(jobs((0, 1, 5, 5), (0, 2, 5, 5)), outage(50, math.inf, 0, 1))


def test_the_calendar_of_a_platform() -> None:
    """Numbers of nodes run through the clusters; users and accounts go by name."""
    small = Cluster("a", (NodeGroup(NodeType(), 2),), outages=(Outage(5, 9),))
    large = Cluster(
        "b",
        (NodeGroup(NodeType(), 3),),
        drains=(Drain(7, nodes="0"),),
        reservations=(Reservation(1, 2, "1,2", users=("ann",), accounts=("bio",)),),
    )
    workload = Workload(
        {
            "job_id": [1, 2, 3],
            "submit_s": [0, 0, 0],
            "nodes": [1, 1, 1],
            "request_s": [5, 5, 5],
            "run_s": [5, 5, 5],
            "user": [0, 1, 1],
            "account": [-1, 0, 1],
        },
        labels={"user": ["ann", "bob"], "account": ["art", "bio"]},
    )
    assert calendar_of(Platform((small, large)), workload) == (
        ClosedTime("outage", 5, 9, frozenset({0, 1})),
        ClosedTime("drain", 7, math.inf, frozenset({2})),
        ClosedTime("reservation", 1, 2, frozenset({3, 4}), frozenset({0, 2})),
    )


@st.composite
def calendars(draw: st.DrawFn) -> tuple[ClosedTime, ...]:
    """Return a few intervals that overlap, touch and repeat, on some of three nodes."""
    drawn = draw(
        st.lists(
            st.tuples(
                st.sampled_from(sorted(KINDS.values())),
                st.integers(0, 40),
                st.sampled_from((1, 5, 10, 60)),
                st.frozensets(st.integers(0, NODES - 1), min_size=1),
                st.frozensets(st.integers(0, 9), max_size=4),
            ),
            max_size=4,
        )
    )
    return tuple(
        ClosedTime(
            kind, begin, begin + length, nodes, who if kind == "reservation" else frozenset()
        )
        for kind, begin, length, nodes, who in drawn
    )


@pytest.mark.parametrize("way", WAYS)
@examples(50)
@given(
    workload=workloads(NODES, 10),
    calendar=calendars(),
    order=st.sampled_from(("fcfs", "sjf", "wfp3")),
    tick=st.sampled_from((0, 7)),
)
def test_no_job_is_where_it_is_barred(
    way: str, workload: Workload, calendar: tuple[ClosedTime, ...], order: str, tick: int
) -> None:
    """As requests are limits, no job meets an outage or another's reservation, and none starves."""
    made = run(workload, *calendar, way=way, order=order, tick=tick)
    seen = Machine((), tick).seen
    assert all(job.start_s >= 0 or job.cancel_after_s >= 0 for job in made)
    for job in (job for job in made if job.start_s >= 0):
        assert job.end_s - job.start_s == min(job.run_s, job.request_s)
        for block in calendar:
            begin_s, end_s = seen(block.begin_s), seen(int(block.end_s))
            if begin_s == end_s or block.nodes.isdisjoint(job.node_numbers):
                continue
            if block.kind == "drain":
                assert not begin_s <= job.start_s < end_s
            elif job.position not in block.guests:
                assert job.end_s <= begin_s or job.start_s >= end_s


@pytest.mark.parametrize("way", WAYS)
@examples(30)
@given(workload=workloads(NODES, 10), calendar=calendars(), predict=st.sampled_from(("last-two",)))
def test_no_job_runs_on_in_an_outage(
    way: str, workload: Workload, calendar: tuple[ClosedTime, ...], predict: str
) -> None:
    """Even if jobs overrun, no job holds a node in its outage, and no node has two jobs."""
    made = run(workload, *calendar, way=way, kill_at_request=False, predict=predict)
    ran = [job for job in made if job.start_s >= 0]
    for block in calendar:
        if block.kind == "outage":
            for job in ran:
                apart = block.nodes.isdisjoint(job.node_numbers)
                assert apart or job.end_s <= block.begin_s or job.start_s >= block.end_s
    for one in ran:
        for other in ran:
            if one is not other and set(one.node_numbers) & set(other.node_numbers):
                assert one.end_s <= other.start_s or other.end_s <= one.start_s


@pytest.mark.parametrize("way", ["none", "easy"])
@examples(30)
@given(workload=workloads(NODES, 10), order=st.sampled_from(("fcfs", "sjf")))
def test_an_interval_beyond_all_jobs_changes_nothing(
    way: str, workload: Workload, order: str
) -> None:
    """An outage far ahead bars no job."""
    far = outage(10**6, 10**6 + 5)
    assert starts(run(workload, far, way=way, order=order)) == starts(
        run(workload, way=way, order=order)
    )
