"""The plain simulator when jobs preempt others: by tier, and by what is left to run."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedlab.platform import CapacityStep, Consumable, Failure, Platform
from schedlab.sim import JobOutcome, WhyEnded
from schedlab.testing import ORDERS
from schedlab.testing.instances import jobs
from schedlab.testing.reference.calendar import ClosedTime
from schedlab.testing.reference.given import jobs_of
from schedlab.testing.reference.job import Job
from schedlab.testing.reference.machine import Machine, NodesAsked
from schedlab.testing.reference.predictors import PREDICTORS
from schedlab.testing.reference.preemption import RULES, PreemptionStep
from schedlab.testing.reference.simulation import ReferenceSimulation
from schedlab.testing.reference.ways import WAYS
from schedlab.testing.strategies import examples, workloads
from schedlab.workload import Workload

NODES = 3
MODES = ("no", "cancel", "requeue", "suspend")


def run(
    workload: Workload,
    *settings: dict[str, Any],
    rule: str = "tier",
    way: str = "easy",
    order: str = "fcfs",
    failures: tuple[Failure, ...] = (),
    **machine: Any,
) -> list[Job]:
    """Return the jobs, each with its settings, after they have run on three whole nodes."""
    made = jobs_of(workload, Platform.homogeneous(NODES))
    for job, given_ones in zip(made, settings or [{}] * len(made), strict=True):
        for name, value in given_ones.items():
            setattr(job, name, value)
    built = Machine(((1,),) * NODES, **machine)
    preemption = PreemptionStep(RULES[rule]())
    sim = ReferenceSimulation(made, built, 0.3, PREDICTORS["request"](), failures, preemption)
    sim.run(ORDERS[order], WAYS[way](), None)
    return made


def rows(job: Job) -> list[tuple[int, int, WhyEnded, tuple[int, ...]]]:
    """Return start, end, reason and nodes of the job's attempts."""
    return [(each.start_s, each.end_s, each.why, each.nodes) for each in job.attempts]


def low(mode: str, **others: Any) -> dict[str, Any]:
    """Return the settings of a job of tier 0 that is preempted in this mode."""
    return {"when_preempted": mode, **others}


HIGH: dict[str, Any] = {"tier": 1}


@pytest.mark.parametrize("way", WAYS)
def test_a_cancelled_job_ends(way: str) -> None:
    """The job of the higher tier gets its node at once."""
    made = run(jobs((0, 3, 10, 10), (4, 1, 5, 5)), low("cancel"), HIGH, way=way)
    assert rows(made[0]) == [(0, 4, WhyEnded.PREEMPTED, (0, 1, 2))]
    assert made[0].state is JobOutcome.KILLED
    assert (made[1].start_s, made[1].node_numbers) == (4, [0])


@pytest.mark.parametrize("way", WAYS)
def test_a_requeued_job_repeats_its_work_since_the_last_checkpoint(way: str) -> None:
    """3 of 4 s are saved; the job needs all nodes again and gets them at 9."""
    settings = low("requeue", checkpoint_s=3)
    made = run(jobs((0, 3, 10, 10), (4, 1, 5, 5)), settings, HIGH, way=way)
    assert rows(made[0])[1:] == [(9, 16, WhyEnded.COMPLETED, (0, 1, 2))]
    assert made[0].attempts[0].lost_s == 1


@pytest.mark.parametrize("way", WAYS)
def test_a_suspended_job_goes_on_where_it_was(way: str) -> None:
    """The job waits for its own node 0 until 9, though others are free from 5; no work is lost."""
    workload = jobs((0, 1, 10, 10), (0, 2, 5, 5), (4, 1, 5, 5))
    made = run(workload, low("suspend"), low("no"), HIGH, way=way)
    assert rows(made[0]) == [(0, 4, WhyEnded.SUSPENDED, (0,)), (9, 15, WhyEnded.COMPLETED, (0,))]
    assert made[0].attempts[0].lost_s == 0


def test_checkpoints_count_work_and_not_the_time_of_an_attempt() -> None:
    """The job worked 4 s before it was suspended and 3 s after it: 6 of the 7 s are saved."""
    workload = jobs((0, 3, 20, 20), (4, 1, 5, 5))
    settings = low("suspend", checkpoint_s=3)
    made = run(workload, settings, HIGH, failures=(Failure(0, 12, 1),))
    assert rows(made[0])[1:] == [
        (9, 12, WhyEnded.FAILURE, (0, 1, 2)),
        (13, 27, WhyEnded.COMPLETED, (0, 1, 2)),
    ]
    assert [each.lost_s for each in made[0].attempts] == [0, 1, 0]


@pytest.mark.parametrize("way", WAYS)
def test_a_requeued_job_may_start_elsewhere_at_the_same_instant(way: str) -> None:
    """The job of the higher tier may use only node 0; its victim takes node 1."""
    made = jobs_of(jobs((0, 1, 10, 10), (4, 1, 5, 5)), Platform.homogeneous(NODES))
    made[0].when_preempted, made[1].tier = "requeue", 1
    made[1].demand = (NodesAsked(frozenset({0}), 1),)
    preemption = PreemptionStep(RULES["tier"]())
    machine = Machine(((1,),) * NODES)
    sim = ReferenceSimulation(made, machine, 0.3, PREDICTORS["request"](), (), preemption)
    sim.run(ORDERS["fcfs"], WAYS[way](), None)
    assert rows(made[0]) == [(0, 4, WhyEnded.PREEMPTED, (0,)), (4, 14, WhyEnded.COMPLETED, (1,))]


@pytest.mark.parametrize("way", WAYS)
def test_nobody_is_preempted_by_an_equal_or_against_its_setting(way: str) -> None:
    """First both jobs are of the same tier; then the running one may not be preempted."""
    made = run(jobs((0, 3, 10, 10), (4, 1, 5, 5)), low("cancel"), low("cancel"), way=way)
    assert [job.start_s for job in made] == [0, 10]
    made = run(jobs((0, 3, 10, 10), (4, 1, 5, 5)), low("no"), HIGH, way=way)
    assert [job.start_s for job in made] == [0, 10]


def test_the_lowest_tier_and_the_latest_start_go_first() -> None:
    """Of jobs of tiers 0, 1 and 0 the last is preempted first, then the first and the second."""
    workload = jobs((0, 1, 50, 50), (0, 1, 50, 50), (1, 1, 50, 50), (2, 1, 5, 5), (3, 2, 5, 5))
    settings = (low("cancel"), low("cancel", tier=1), low("cancel"), {"tier": 2}, {"tier": 2})
    made = run(workload, *settings)
    assert [job.end_s for job in made] == [3, 3, 2, 7, 8]


def test_no_job_is_preempted_in_vain() -> None:
    """The latest job's one node is too few; the wide job's are enough, so the latest runs on."""
    workload = jobs((0, 2, 50, 50), (1, 1, 50, 50), (2, 2, 5, 5))
    made = run(workload, low("requeue"), low("requeue"), HIGH)
    assert len(made[1].attempts) == 1
    assert rows(made[0])[0] == (0, 2, WhyEnded.PREEMPTED, (0, 1))


def test_nobody_is_preempted_for_a_job_that_does_not_fit_even_so() -> None:
    """A later job for the same nodes preempts none either, so the first does not wait for ever."""
    workload = jobs((0, 1, 50, 50), (0, 2, 20, 20), (2, 3, 5, 5), (3, 1, 5, 5))
    made = run(workload, low("no"), low("requeue"), HIGH, HIGH, way="none")
    assert len(made[1].attempts) == 1
    assert [job.start_s for job in made] == [0, 0, 50, 55]


def test_nodes_of_a_job_that_fits_are_set_aside() -> None:
    """Both jobs of tier 1 start at 2: one on the free node, one in place of the low job."""
    workload = jobs((0, 2, 50, 50), (2, 1, 5, 5), (2, 2, 5, 5))
    made = run(workload, low("cancel"), HIGH, HIGH)
    assert [job.start_s for job in made] == [0, 2, 2]
    assert [job.node_numbers for job in made[1:]] == [[2], [0, 1]]
    made = run(jobs((0, 2, 50, 50), (2, 1, 5, 5), (2, 1, 5, 5)), low("cancel"), HIGH, HIGH)
    assert [job.start_s for job in made] == [0, 2, 2]


def test_a_higher_tier_comes_first_in_the_queue() -> None:
    """This holds whatever the order says, and even if no job can be preempted."""
    workload = jobs((0, 3, 10, 10), (1, 3, 1, 1), (2, 3, 9, 9))
    made = run(workload, {}, {}, HIGH, order="sjf")
    assert [job.start_s for job in made] == [0, 19, 10]


def test_work_of_a_suspended_job_is_lost_with_its_node() -> None:
    """A job suspended at 4 on node 0, which fails at 6, goes on from its checkpoint on any node."""
    workload = jobs((0, 1, 10, 10), (0, 2, 4, 4), (4, 3, 5, 5))
    failures = (Failure(0, 6, 100),)
    last = {"tier": 1, "requeue": False}
    made = run(workload, low("suspend", checkpoint_s=3), {}, last, failures=failures)
    assert rows(made[0]) == [(0, 4, WhyEnded.SUSPENDED, (0,)), (6, 13, WhyEnded.COMPLETED, (1,))]
    assert made[0].attempts[0].lost_s == 1
    made = run(workload, low("suspend", requeue=False), {}, last, failures=failures)
    assert made[0].state is JobOutcome.KILLED
    assert made[0].attempts[0].lost_s == 4


def test_a_job_that_depends_on_a_suspended_one_follows_when_that_is_lost() -> None:
    """Job 1 is suspended at 4 and lost at 6, when its node fails."""
    workload = jobs((0, 3, 10, 10), (0, 1, 1, 1), (4, 2, 5, 5), depends_on=[-1, 1, -1])
    failures = (Failure(2, 6, 1),)
    made = run(workload, low("suspend", requeue=False), {}, HIGH, failures=failures)
    assert (made[1].eligible_s, made[1].start_s) == (6, 7)


def test_a_suspended_job_returns_in_a_drain() -> None:
    """A suspended job has not left its nodes; the drain only keeps others from starting."""
    workload = jobs((0, 3, 10, 10), (4, 3, 2, 2), (5, 3, 1, 1))
    drain = ClosedTime("drain", 5, 100, frozenset(range(NODES)))
    made = run(workload, low("suspend"), HIGH, {}, calendar=(drain,))
    assert [job.start_s for job in made] == [6, 4, 100]


def test_srpt_serves_the_shortest_remaining_time_first() -> None:
    """All need all nodes. When D comes, C has 1 s left; then D is shorter than the rest of B.

    0   2 3   5     8       12              20
    A A B C C D D D B B B B A A A A A A A A
    """
    workload = jobs((0, 3, 10, 10), (2, 3, 5, 5), (3, 3, 2, 2), (4, 3, 3, 3))
    kept = low("requeue", checkpoint_s=1)
    made = run(workload, *[kept] * 4, rule="srpt", order="sjf", way="none")
    assert [job.end_s for job in made] == [20, 12, 5, 8]
    assert [len(job.attempts) for job in made] == [2, 2, 1, 1]


def test_srpt_preempts_the_one_with_the_most_left() -> None:
    """At 5 the second job has more left, though it is the shorter one."""
    workload = jobs((0, 1, 30, 30), (4, 2, 27, 27), (5, 1, 3, 3))
    made = run(workload, *[low("requeue")] * 3, rule="srpt", order="sjf")
    assert [len(job.attempts) for job in made] == [1, 2, 1]


settings_of_job = st.fixed_dictionaries(
    {
        "tier": st.integers(0, 2),
        "when_preempted": st.sampled_from(MODES),
        "checkpoint_s": st.sampled_from((0, 1, 5)),
        "requeue": st.booleans(),
    }
)


def check_feasible(made: list[Job], broken: bool) -> None:
    """Check that no node has two attempts at a time, held time adds up, and every job ends.

    Suspended jobs go on where they were, unless nodes have been broken.
    """
    attempts = [each for job in made for each in job.attempts]
    for one in attempts:
        for other in attempts:
            if one is not other and set(one.nodes) & set(other.nodes):
                assert one.end_s <= other.start_s or other.end_s <= one.start_s
    for job in made:
        assert job.attempts or job.state is JobOutcome.CANCELLED
        held_s = sum(each.end_s - each.start_s for each in job.attempts)
        lost_s = sum(each.lost_s for each in job.attempts)
        done = bool(job.attempts) and job.attempts[-1].why <= WhyEnded.KILLED
        assert held_s == lost_s + (min(job.run_s, job.request_s) if done else 0)
        taken = {each.why for each in job.attempts} & {WhyEnded.PREEMPTED, WhyEnded.SUSPENDED}
        assert job.when_preempted != "no" or not taken
        for one, other in zip(job.attempts, job.attempts[1:], strict=False):
            assert one.end_s <= other.start_s
            assert one.why is not WhyEnded.SUSPENDED or one.nodes == other.nodes or broken


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("rule", RULES)
@examples(40)
@given(
    workload=workloads(NODES, 10),
    settings=st.lists(settings_of_job, min_size=10, max_size=10),
    order=st.sampled_from(("fcfs", "sjf", "wfp3")),
    tick=st.sampled_from((0, 0, 7)),
    failures=st.lists(
        st.builds(Failure, st.just(0), st.integers(0, 40), st.sampled_from((0, 5))), max_size=1
    ),
    outages=st.lists(
        st.builds(
            ClosedTime,
            st.sampled_from(("outage", "drain", "reservation")),
            st.integers(0, 30),
            st.integers(31, 60),
            st.frozensets(st.integers(0, NODES - 1), min_size=1),
        ),
        max_size=2,
    ),
)
def test_preemption_is_feasible(
    rule: str,
    way: str,
    workload: Workload,
    settings: list[dict[str, Any]],
    order: str,
    tick: int,
    failures: list[Failure],
    outages: list[ClosedTime],
) -> None:
    """With failures and a calendar too, held time adds up and every job ends."""
    made = run(
        workload,
        *settings[: len(workload)],
        rule=rule,
        way=way,
        order=order,
        failures=tuple(failures),
        tick=tick,
        calendar=tuple(outages),
    )
    check_feasible(made, broken=bool(failures or outages))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("rule", RULES)
@examples(30)
@given(workload=workloads(NODES, 10), order=st.sampled_from(("fcfs", "sjf", "wfp3")))
def test_a_rule_that_nobody_is_subject_to_changes_nothing(
    rule: str, way: str, workload: Workload, order: str
) -> None:
    """By default no job may be preempted."""
    with_rule = run(workload, rule=rule, way=way, order=order)
    made = jobs_of(workload, Platform.homogeneous(NODES))
    sim = ReferenceSimulation(made, Machine(((1,),) * NODES), 0.3, PREDICTORS["request"]())
    sim.run(ORDERS[order], WAYS[way](), None)
    assert [job.attempts for job in with_rule] == [job.attempts for job in made]


def test_a_victim_s_licences_count_until_it_would_have_ended() -> None:
    """From 5 on there is one licence; without the victim it suffices for the high job until 12."""
    consumable = Consumable("licences", 2, (CapacityStep(5, 1), CapacityStep(99, 2)))
    machine = Machine(((1,),) * NODES, consumables=(consumable,))
    made = jobs_of(jobs((0, 1, 4, 9), (0, 1, 5, 5), (2, 1, 10, 10)), Platform.homogeneous(NODES))
    for job in made:
        job.demand += (machine.some_of("licences", 1),)
        job.when_preempted = "requeue"
    made[2].tier = 1
    preemption = PreemptionStep(RULES["tier"]())
    sim = ReferenceSimulation(made, machine, 0.3, PREDICTORS["request"](), (), preemption)
    sim.run(ORDERS["fcfs"], WAYS["easy"](), None)
    assert rows(made[2]) == [(2, 12, WhyEnded.COMPLETED, (1,))]
    assert [len(job.attempts) for job in made] == [1, 2, 1]
