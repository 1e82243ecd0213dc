"""The plain simulator when nodes fail: attempts, requeues and checkpoints."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedlab.errors import PlatformError
from schedlab.platform import Failure, Platform
from schedlab.sim import JobOutcome, WhyEnded
from schedlab.testing import ORDERS
from schedlab.testing.instances import jobs
from schedlab.testing.reference.attempts import Attempt
from schedlab.testing.reference.calendar import ClosedTime
from schedlab.testing.reference.given import jobs_of
from schedlab.testing.reference.job import Job
from schedlab.testing.reference.machine import Machine
from schedlab.testing.reference.predictors import PREDICTORS
from schedlab.testing.reference.simulation import ReferenceSimulation
from schedlab.testing.reference.ways import WAYS
from schedlab.testing.strategies import examples, workloads
from schedlab.workload import Workload

NODES = 3


def run(
    workload: Workload,
    *failures: Failure,
    way: str = "easy",
    order: str = "fcfs",
    checkpoint_s: int = 0,
    requeue: bool = True,
    tick: int = 0,
    kill_at_request: bool = True,
    calendar: tuple[ClosedTime, ...] = (),
    nodes: int = NODES,
    predict: str = "request",
) -> list[Job]:
    """Return the jobs after they have run on whole nodes that fail."""
    machine = Machine(((1,),) * nodes, tick, kill_at_request, calendar=calendar)
    made = jobs_of(workload, Platform.homogeneous(nodes))
    for job in made:
        job.checkpoint_s, job.requeue = checkpoint_s, requeue
    sim = ReferenceSimulation(made, machine, 0.3, PREDICTORS[predict](), failures)
    sim.run(ORDERS[order], WAYS[way](), None)
    return made


def rows(job: Job) -> list[tuple[int, int, WhyEnded, tuple[int, ...]]]:
    """Return start, end, reason and nodes of the job's attempts."""
    return [(each.start_s, each.end_s, each.why, each.nodes) for each in job.attempts]


def test_a_job_that_is_never_interrupted_has_one_attempt() -> None:
    """The table of attempts has all jobs that ran, including those that were killed."""
    made = run(jobs((0, 2, 5, 4), (1, 1, 3, 9)))
    assert made[0].attempts == [Attempt(0, 1, 0, 4, WhyEnded.COMPLETED, 0, (0, 1))]
    assert made[1].attempts == [Attempt(1, 1, 1, 4, WhyEnded.KILLED, 0, (2,))]


@pytest.mark.parametrize("way", WAYS)
def test_a_job_runs_again_when_its_node_fails(way: str) -> None:
    """All its work is repeated, at once, on the lowest-numbered node that is up."""
    (job,) = run(jobs((0, 1, 10, 10)), Failure(0, 4, 100), way=way)
    assert rows(job) == [(0, 4, WhyEnded.FAILURE, (0,)), (4, 14, WhyEnded.COMPLETED, (1,))]
    assert (job.start_s, job.end_s, job.node_numbers) == (4, 14, [1])
    assert [each.lost_s for each in job.attempts] == [4, 0]


@pytest.mark.parametrize("way", WAYS)
def test_a_checkpoint_keeps_the_work_before_it(way: str) -> None:
    """At 7 the checkpoints of 3 and 6 are written: 1 s is repeated, 4 s are left."""
    (job,) = run(jobs((0, 1, 10, 10)), Failure(0, 7, 1), checkpoint_s=3, way=way)
    assert rows(job) == [(0, 7, WhyEnded.FAILURE, (0,)), (7, 11, WhyEnded.COMPLETED, (1,))]
    assert job.attempts[0].lost_s == 1
    assert job.estimate_s == 4


def test_predictors_learn_the_work_of_all_attempts() -> None:
    """The predictor learns 10 s, although the last attempt took only 4 s."""
    workload = jobs((0, 1, 20, 10), (50, 1, 20, 10), user=[1, 1])
    made = run(workload, Failure(0, 7, 1), checkpoint_s=3, predict="last-two")
    assert made[1].predicted_s == 10


def test_an_estimate_is_corrected_up_to_what_is_left_of_the_request() -> None:
    """The third job is expected to run for 2 s, then for 62 s.

    At 20 s it has saved 10 s of work. After 52 s more, the attempt may take 190 s in all.
    """
    workload = jobs((0, 1, 99, 2), (3, 1, 99, 2), (10, 1, 200, 200), user=[1, 1, 1])
    made = run(workload, Failure(0, 20, 500), checkpoint_s=5, predict="last-two")
    assert [each.start_s for each in made[2].attempts] == [10, 20]
    assert made[2].estimate_s == 190


def test_a_later_attempt_saves_its_work_too() -> None:
    """The second attempt goes on from 6 s of work and saves 9 s, 3 s after its start."""
    (job,) = run(jobs((0, 1, 20, 20)), Failure(0, 7, 50), Failure(1, 11, 50), checkpoint_s=3)
    assert [each.lost_s for each in job.attempts] == [1, 1, 0]
    assert (job.start_s, job.end_s) == (11, 22)


def test_the_request_limits_the_work_of_all_attempts() -> None:
    """The job saved 6 of 8 s, so its second attempt is killed after 2 s."""
    (job,) = run(jobs((0, 1, 8, 50)), Failure(0, 7, 50), checkpoint_s=3)
    assert rows(job) == [(0, 7, WhyEnded.FAILURE, (0,)), (7, 9, WhyEnded.KILLED, (1,))]
    assert job.state is JobOutcome.KILLED


@pytest.mark.parametrize("way", WAYS)
def test_a_job_that_may_not_run_again_ends(way: str) -> None:
    """Its end frees the job that depends on it."""
    workload = jobs((0, 1, 10, 10), (0, 1, 5, 5), depends_on=[-1, 1])
    made = run(workload, Failure(0, 4, 100), requeue=False, way=way)
    assert (made[0].end_s, made[0].state) == (4, JobOutcome.KILLED)
    assert made[0].attempts[0].lost_s == 4
    assert (made[1].eligible_s, made[1].start_s) == (4, 4)


@pytest.mark.parametrize("way", WAYS)
def test_a_dependant_waits_for_the_last_end(way: str) -> None:
    """The end that was expected at 10 does not come."""
    workload = jobs((0, 1, 10, 10), (0, 1, 5, 5), depends_on=[-1, 1])
    made = run(workload, Failure(0, 9, 100), way=way)
    assert (made[1].eligible_s, made[1].start_s) == (19, 19)


@pytest.mark.parametrize("way", WAYS)
def test_a_node_is_out_until_its_repair(way: str) -> None:
    """The second job needs all three nodes, and one is down from 2 to 30."""
    made = run(jobs((0, 1, 5, 5), (3, 3, 4, 4)), Failure(2, 2, 28), way=way)
    assert [job.start_s for job in made] == [0, 30]


def test_easy_knows_the_end_of_a_repair_once_the_node_is_down() -> None:
    """The head starts at 30; a job that ends by then may pass, a longer one finds no extra node."""
    workload = jobs((3, 3, 4, 4), (4, 1, 26, 26), (4, 1, 27, 27))
    made = run(workload, Failure(2, 2, 28))
    assert made[0].first_reserved_s == 30
    assert [job.start_s for job in made] == [30, 4, 34]


@pytest.mark.parametrize("way", ["conservative", "all-reserved", "one-reserved"])
def test_no_plan_knows_a_failure_before_it_happens(way: str) -> None:
    """The second job is planned for 10; then the node fails and is up again at 25."""
    made = run(jobs((0, 3, 10, 10), (1, 3, 4, 4)), Failure(2, 6, 19), requeue=False, way=way)
    assert made[1].first_reserved_s == 10
    assert made[1].start_s == 25


def test_a_job_keeps_its_place_when_it_waits_again() -> None:
    """It arrived before the two that wait for all nodes."""
    workload = jobs((0, 3, 10, 10), (1, 3, 4, 4), (2, 3, 4, 4))
    made = run(workload, Failure(0, 6, 0), way="none")
    assert [job.start_s for job in made] == [6, 16, 20]
    assert made[0].eligible_s == 0


def test_a_job_that_has_run_is_not_withdrawn() -> None:
    """Its user would have withdrawn it at 12 if it had not started by then."""
    workload = jobs((0, 3, 10, 10), cancel_after_s=[12])
    (job,) = run(workload, Failure(0, 6, 50))
    assert (job.start_s, job.state) == (56, JobOutcome.COMPLETED)


def test_a_job_may_end_as_its_node_fails() -> None:
    """Completions come before failures."""
    (job,) = run(jobs((0, 1, 10, 10)), Failure(0, 10, 5))
    assert rows(job) == [(0, 10, WhyEnded.COMPLETED, (0,))]


def test_a_job_that_outlives_its_estimate_runs_again_after_the_outage() -> None:
    """It asked for 8 s and needs 12: the outage at 10 interrupts it, from 15 on it runs to its end.

    The second time nothing is in the way.
    """
    block = ClosedTime("outage", 10, 15, frozenset({0}))
    (job,) = run(jobs((0, 1, 8, 12)), kill_at_request=False, calendar=(block,), nodes=1)
    assert rows(job) == [(0, 10, WhyEnded.OUTAGE, (0,)), (15, 27, WhyEnded.COMPLETED, (0,))]


def test_what_was_learnt_of_a_run_time_is_kept() -> None:
    """The prediction of 2 s was corrected to 62: this is the estimate of the second attempt."""
    workload = jobs((0, 1, 99, 2), (3, 1, 99, 2), (8, 1, 99, 50), (8, 2, 99, 5), user=[1, 1, 1, 2])
    made = run(workload, Failure(0, 20, 500), predict="last-two")
    assert rows(made[2])[0] == (8, 20, WhyEnded.FAILURE, (0,))
    assert made[2].predicted_s == 2
    assert made[2].estimate_s == 62


def test_failures_are_seen_at_the_next_tick() -> None:
    """The node is down from 11 to 13, between two ticks of 10: the job is interrupted at 20."""
    (job,) = run(jobs((0, 3, 30, 30)), Failure(0, 11, 2), tick=10)
    assert [each.start_s for each in job.attempts] == [0, 20]


@pytest.mark.parametrize("failures", [[Failure(3, 1, 1)], [Failure(0, 5, 10), Failure(0, 14, 1)]])
def test_a_node_that_is_not_there_or_down_can_not_fail(failures: list[Failure]) -> None:
    """Such a list is a mistake."""
    with pytest.raises(PlatformError, match=r"node \d fails"):
        run(jobs((0, 1, 5, 5)), *failures)


@st.composite
def failure_lists(draw: st.DrawFn) -> list[Failure]:
    """Return up to three failures of each of three nodes, some just as the node comes up again."""
    drawn = []
    for node in range(NODES):
        up_s = 0
        pairs = st.tuples(st.sampled_from((0, 1, 3, 5, 10, 30)), st.sampled_from((0, 1, 5, 20)))
        for wait_s, repair_s in draw(st.lists(pairs, max_size=3)):
            drawn.append(Failure(node, up_s + wait_s, repair_s))
            up_s += wait_s + max(1, repair_s)
    return drawn


def check_attempts(made: list[Job]) -> None:
    """Check that attempts are in order, no node has two at a time, and no work is forgotten."""
    for job in made:
        assert [each.number for each in job.attempts] == list(range(1, len(job.attempts) + 1))
        for one, other in zip(job.attempts, job.attempts[1:], strict=False):
            assert one.end_s <= other.start_s
            assert one.why > WhyEnded.KILLED
        if job.attempts:
            last = job.attempts[-1]
            assert (job.start_s, job.end_s) == (last.start_s, last.end_s)
            held_s = sum(each.end_s - each.start_s for each in job.attempts)
            lost_s = sum(each.lost_s for each in job.attempts)
            done_s = job.done_s if last.why <= WhyEnded.KILLED else 0
            assert held_s == lost_s + done_s
    attempts = [each for job in made for each in job.attempts]
    for one in attempts:
        for other in attempts:
            if one is not other and set(one.nodes) & set(other.nodes):
                assert one.end_s <= other.start_s or other.end_s <= one.start_s


@pytest.mark.parametrize("way", WAYS)
@examples(50)
@given(
    workload=workloads(NODES, 10),
    failures=failure_lists(),
    order=st.sampled_from(("fcfs", "sjf", "wfp3", "wrsa")),
    checkpoint_s=st.sampled_from((0, 1, 5)),
    requeue=st.booleans(),
    tick=st.sampled_from((0, 0, 7)),
    kill_at_request=st.booleans(),
)
def test_whatever_fails_every_job_ends_in_the_end(
    way: str,
    workload: Workload,
    failures: list[Failure],
    order: str,
    checkpoint_s: int,
    requeue: bool,
    tick: int,
    kill_at_request: bool,
) -> None:
    """No job is lost, all lost work is in the table, and no job runs on a node that is down."""
    made = run(
        workload,
        *failures,
        way=way,
        order=order,
        checkpoint_s=checkpoint_s,
        requeue=requeue,
        tick=tick,
        kill_at_request=kill_at_request,
    )
    check_attempts(made)
    for job in made:
        assert job.attempts or job.state is JobOutcome.CANCELLED
        if job.attempts and requeue:
            most_s = min(job.run_s, job.request_s) if kill_at_request else job.run_s
            assert job.done_s == most_s
        assert requeue or len(job.attempts) <= 1
    seen = Machine((), tick).seen
    for each in (each for job in made for each in job.attempts):
        for failure in failures:
            down_s, up_s = seen(failure.at_s), seen(failure.at_s + failure.repair_s)
            if failure.node in each.nodes:
                assert each.end_s <= down_s or each.start_s >= up_s


@pytest.mark.parametrize("way", WAYS)
@examples(30)
@given(workload=workloads(NODES, 10), order=st.sampled_from(("fcfs", "sjf")))
def test_failures_after_all_jobs_change_nothing(way: str, workload: Workload, order: str) -> None:
    """A failure that is unknown beforehand and hits no job has no effect."""
    far = run(workload, Failure(0, 10**6, 9), way=way, order=order)
    without = run(workload, way=way, order=order)
    assert [job.attempts for job in far] == [job.attempts for job in without]
    assert [job.first_reserved_s for job in far] == [job.first_reserved_s for job in without]
