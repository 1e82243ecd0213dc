"""Where a schedule departs from a policy, and the sentence that says why."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from schedlab.audit import Departure, audit
from schedlab.policies import Policy, PolicyLike, View
from schedlab.sim import Schedule, simulate
from schedlab.testing.instances import (
    early_end,
    head_blocked,
    jobs,
    second_in_queue_at_risk,
    two_candidates,
)
from schedlab.workload import Workload

MakePolicy = Callable[[Workload], PolicyLike]


def departure(schedule: Schedule, policy: PolicyLike) -> Departure:
    """Return the first departure of a feasible schedule, which must have one."""
    verdict = audit(schedule, policy)
    assert verdict.feasible
    assert not verdict.faithful
    assert verdict.departure is not None
    return verdict.departure


WRONG = {
    "ignores the reservation": (
        head_blocked(),
        "job 3 started at 0 and delayed the head, job 2, promised for 6 "
        "(asks for 1 node until 7, 0 to spare)",
    ),
    "tests the actual run time": (
        jobs((0, 2, 6, 6), (0, 4, 3, 3), (0, 1, 7, 5)),
        "job 3 started at 0 and delayed the head, job 2, promised for 6 "
        "(asks for 1 node until 7, 0 to spare); it ended at 5, in time, but only its request "
        "counts",
    ),
    "sorts candidates by time limit": (
        two_candidates(),
        "job 3 could have started at 0 (2 nodes free, needs 2; it asks until 8 and the head, "
        "job 2, is promised 10) but started at 12; job 4 started instead",
    ),
    "has no extra nodes": (
        second_in_queue_at_risk(),
        "job 4 could have started at 0 (1 node free, needs 1; the head, job 2, is promised 4 and "
        "leaves 2 to spare) but started at 8",
    ),
    "does not backfill": (
        head_blocked(),
        "job 4 could have started at 0 (2 nodes free, needs 2; it asks until 5 and the head, "
        "job 2, is promised 6) but started at 9",
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_easy_is_caught(what: str, wrong_easys: dict[str, MakePolicy]) -> None:
    """Each mistake occurs in a simulator in use; the sentence names the decision that was wrong."""
    workload, sentence = WRONG[what]
    schedule = simulate(workload, 4, wrong_easys[what](workload))
    assert departure(schedule, "easy").sentence == sentence


def test_sorting_candidates_is_right_under_its_own_name() -> None:
    """Tsafrir's order of candidates is a policy of its own, and is audited in that order."""
    schedule = simulate(two_candidates(), 4, "easy:backfill=sjf")
    assert audit(schedule, "easy:backfill=sjf").faithful
    found = departure(simulate(two_candidates(), 4, "easy"), "easy:backfill=sjf")
    assert (found.job_id, found.reason) == (4, "missed backfill")


def test_the_details_hold_the_numbers_of_the_sentence() -> None:
    """A program need not parse the sentence."""
    found = departure(simulate(head_blocked(), 4, "fcfs"), "easy")
    assert (found.time_s, found.observed_s, found.policy_s, found.late) == (0, 9, 0, True)
    assert found.details == {
        "free_nodes": 2,
        "needed_nodes": 2,
        "head_job_id": 2,
        "first_reserved_s": 6,
        "spare_nodes": 0,
        "asked_until_s": 5,
    }


def test_no_job_overtakes_without_backfilling() -> None:
    """Under FCFS the first job that does not fit blocks all jobs behind it."""
    found = departure(simulate(head_blocked(), 4, "easy"), "fcfs")
    assert found.sentence == (
        "job 4 started at 0 before job 2, which was ahead of it in the queue "
        "(2 nodes free, needs 4; no backfilling)"
    )


def test_a_job_that_was_next_is_named(moved: Callable[..., Schedule]) -> None:
    """Nothing stood in the way of the first job of all."""
    late = moved(simulate(jobs((0, 1, 5, 5)), 4, "easy"), {1: 3})
    assert departure(late, "easy").sentence == (
        "job 1 could have started at 0 (4 nodes free, needs 1; no job ahead of it had to wait) "
        "but started at 3"
    )


@pytest.mark.parametrize("policy", ["conservative", "conservative:rebuild=true"])
def test_conservative_protects_more_than_the_head(policy: str) -> None:
    """EASY lets job 4 start on a node that job 3, second in the queue, was promised."""
    found = departure(simulate(second_in_queue_at_risk(), 4, "easy"), policy)
    assert found.sentence == (
        "job 4 started at 0 and delayed job 3, promised for 4 (asks for 1 node until 6, 0 to spare)"
    )


def test_a_broken_promise(moved: Callable[..., Schedule]) -> None:
    """Job 2 was promised 4, the time when job 1 must end."""
    late = moved(simulate(second_in_queue_at_risk(), 4, "conservative"), {2: 9, 3: 9, 4: 13})
    assert departure(late, "conservative").sentence == "job 2 was promised 4 but started at 9"


def test_a_promise_that_moved(moved: Callable[..., Schedule]) -> None:
    """Job 1 ends early, so job 2 may start at 4 instead of at its first promise."""
    late = moved(simulate(early_end(), 2, "conservative"), {2: 6, 3: 8})
    assert departure(late, "conservative").sentence == (
        "job 2 was promised 10, moved to 4, but started at 6"
    )


def test_a_plan_made_anew_has_the_job_start_now(moved: Callable[..., Schedule]) -> None:
    """With plans rebuilt at every event there are no promises to break, only chances missed."""
    late = moved(simulate(early_end(), 2, "conservative:rebuild=true"), {2: 6, 3: 8})
    assert departure(late, "conservative:rebuild=true").sentence == (
        "job 2 could have started at 4 (2 nodes free, needs 2; delays no job ahead of it) "
        "but started at 6"
    )


def test_a_job_beyond_the_depth() -> None:
    """EASY with a depth of two never considers the fourth job."""
    found = departure(simulate(head_blocked(), 4, "easy"), "easy:depth=2")
    assert found.sentence == (
        "job 4 started at 0 from place 4 in the queue, and the policy considers only 2"
    )


def test_a_start_when_nothing_happened(moved: Callable[..., Schedule]) -> None:
    """At 3 job 3 is the first in WFP3's order, but there is no pass before 5."""
    workload = jobs((0, 1, 5, 5), (0, 4, 60, 60), (1, 1, 3, 3))
    found = departure(moved(simulate(workload, 4, "wfp3"), {3: 3, 2: 6}), "wfp3")
    assert found.sentence == (
        "job 3 started at 3 when no job was submitted, ended or withdrawn; "
        "under wfp3 it starts at 5"
    )


def test_a_start_between_ticks(moved: Callable[..., Schedule]) -> None:
    """With a tick of 10 s nothing can be decided at 13."""
    schedule = simulate(jobs((5, 1, 8, 8), (11, 1, 8, 8)), 1, "easy", tick=10)
    assert schedule.start_s.tolist() == [10, 20]
    found = departure(moved(schedule, {2: 18}), "easy")
    assert found.sentence == "job 2 started at 18 between the ticks of 10 s"


class OneAtATime(Policy):
    """A policy whose rules the audit cannot know."""

    def schedule(self, view: View) -> None:
        """Start the first job if none is running."""
        if not len(view.running):
            view.start(int(view.queue.job[0]))


def test_a_policy_of_ones_own(moved: Callable[..., Schedule]) -> None:
    """Where the rules are not known, the sentence gives only the two starts."""
    schedule = simulate(head_blocked(), 4, OneAtATime)
    assert audit(schedule, OneAtATime).faithful
    early = departure(simulate(head_blocked(), 4, "easy"), OneAtATime)
    assert early.sentence == "job 4 started at 0; under OneAtATime it starts at 16"
    late = departure(moved(schedule, {4: 20}), OneAtATime)
    assert late.sentence == (
        "job 4 could have started at 16 (as it does under OneAtATime) but started at 20"
    )


def test_a_policy_that_plans_by_predictions() -> None:
    """Its promises do not follow from requests, so the sentence gives only the starts."""
    found = departure(simulate(head_blocked(), 4, "fcfs"), "easy:predict=actual")
    assert found.sentence == (
        "job 4 could have started at 0 (as it does under easy:predict=actual) but started at 9"
    )


def test_a_job_that_could_have_started_before_it_gave_up(moved: Callable[..., Schedule]) -> None:
    """The job was withdrawn at 9; there was room from the beginning."""
    workload = jobs((0, 1, 5, 5), (0, 1, 5, 5), cancel_after_s=[-1, 9])
    found = departure(moved(simulate(workload, 4, "easy"), {2: -1}), "easy")
    assert (found.observed_s, found.policy_s) == (None, 0)
    assert found.sentence.endswith("but never started")


def test_a_job_that_started_after_it_gave_up(moved: Callable[..., Schedule]) -> None:
    """No policy can start a job that has left the queue."""
    workload = jobs((0, 1, 5, 5), (0, 1, 5, 5), cancel_after_s=[-1, 2])
    found = departure(moved(simulate(workload, 1, "easy"), {2: 5}), "easy")
    assert found.sentence == "job 2 started at 5 after it had been withdrawn"


def test_the_effect_on_the_mean_wait() -> None:
    """Information only: 4 jobs wait 0, 6, 9 and 9 s under FCFS, 0, 6, 9 and 0 s under EASY."""
    verdict = audit(simulate(head_blocked(), 4, "fcfs"), "easy")
    assert verdict.comparison is not None
    assert verdict.comparison.jobs_elsewhere == 1
    assert verdict.comparison.mean_wait_s == pytest.approx(6)
    assert verdict.comparison.policy_mean_wait_s == pytest.approx(3.75)
