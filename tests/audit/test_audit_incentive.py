"""Where a schedule departs from incentive backfilling, and the sentence that says why."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from schedlab.audit import Departure, audit
from schedlab.policies import PolicyLike
from schedlab.sim import Schedule, simulate
from schedlab.testing.instances import head_blocked, jobs, second_in_queue_at_risk
from schedlab.workload import Workload

MakePolicy = Callable[[Workload], PolicyLike]
INCENTIVE = ("easy-one-reserved", "wrsabf-or", "wrsabf-ar")


def departure(schedule: Schedule, policy: str) -> Departure:
    """Return the first departure of a feasible schedule, which must have one."""
    verdict = audit(schedule, policy)
    assert verdict.feasible
    assert verdict.departure is not None
    return verdict.departure


def hole_before_a_plan(request_s: int) -> Workload:
    """Return jobs with job 3 as the head, promised 10, and job 4 planned for 4.

    Job 2 ends at 4. Before that, one of four nodes is free for job 5.
    """
    return jobs(
        (0, 2, 10, 10), (0, 1, 4, 4), (0, 4, 5, 5), (0, 2, 6, 6), (0, 1, request_s, request_s)
    )


def two_users() -> Workload:
    """Return jobs of two users who both want the two nodes beside job 2 at 2.

    One of them asked for ten times too much before.
    """
    return jobs(
        (0, 1, 10, 1),
        (1, 2, 20, 20),
        (1, 4, 5, 5),
        (2, 2, 10, 10),
        (2, 2, 10, 10),
        user=[0, 2, 2, 0, 1],
    )


@pytest.mark.parametrize("policy", INCENTIVE)
def test_the_head_is_sacred(policy: str, wrong_easys: dict[str, MakePolicy]) -> None:
    """All families protect the oldest job from backfilled jobs that ask beyond its promise."""
    greedy = wrong_easys["ignores the reservation"](head_blocked())
    assert departure(simulate(head_blocked(), 4, greedy), policy).sentence == (
        "job 3 started at 0 and delayed {}job 2, promised for 6 "
        "(asks for 1 node until 7, 0 to spare)".format(
            "" if policy == "wrsabf-ar" else "the head, "
        )
    )


def test_a_missed_backfill() -> None:
    """Job 4 ends before the head starts, and job 3 is planned after it."""
    found = departure(simulate(head_blocked(), 4, "fcfs"), "easy-one-reserved")
    assert found.sentence == (
        "job 4 could have started at 0 (2 nodes free, needs 2; moves neither the head, job 2, "
        "promised 6, nor other plans) but started at 9"
    )


def test_a_hole_too_short() -> None:
    """EASY looks at the head alone; here a job may be 1.5 times as long as the hole: 6 s."""
    found = departure(simulate(hole_before_a_plan(8), 4, "easy"), "easy-one-reserved")
    assert found.reason == "hole too short"
    assert found.sentence == (
        "job 5 started at 0 in a hole of 4 s before job 4, planned for 4; "
        "it asks for 8 s, more than 1.5 times as long"
    )
    assert found.details == {"hole_s": 4, "request_s": 8, "alpha": 1.5, "next_job_id": 4}


def test_a_hole_just_long_enough() -> None:
    """6 s are 1.5 times 4 s: the policy lets job 5 push job 4 back."""
    workload = hole_before_a_plan(6)
    found = departure(simulate(workload, 4, "easy-one-reserved:alpha=1"), "easy-one-reserved")
    assert found.sentence == (
        "job 5 could have started at 0 (1 node free, needs 1; asks for 6 s in a hole of 4 s, at "
        "most 1.5 times as long, and does not delay the head, job 3, promised 10) "
        "but started at 15"
    )


def test_all_reserved_protects_every_plan() -> None:
    """Job 3 is not the head, but was planned before job 4."""
    found = departure(simulate(second_in_queue_at_risk(), 4, "easy"), "wrsabf-ar")
    assert found.sentence == (
        "job 4 started at 0 and delayed job 3, promised for 4 (asks for 1 node until 6, 0 to spare)"
    )


@pytest.mark.parametrize(
    ("policy", "why"),
    [
        ("wrsabf-or", "moves neither the head, job 3, promised 21, nor other plans"),
        ("wrsabf-ar", "delays no job ahead of it"),
    ],
)
def test_the_more_accurate_user_goes_first(policy: str, why: str) -> None:
    """Job 1 used a tenth of its request: its user's WRSA fell from 1 to 0.3 + 0.7 / 10."""
    found = departure(simulate(two_users(), 4, "easy-one-reserved"), policy)
    assert found.sentence == (
        f"job 5 could have started at 2 (2 nodes free, needs 2; {why}) but started at 26; "
        "job 4 started instead; its user's WRSA is 1.000, that of job 4's 0.370"
    )
    assert found.details["other_wrsa"] == pytest.approx(0.37)


def test_a_job_beyond_the_depth() -> None:
    """The head counts: with a depth of two, no job behind it is considered."""
    found = departure(simulate(head_blocked(), 4, "easy-one-reserved"), "easy-one-reserved:depth=2")
    assert found.sentence == (
        "job 4 started at 0 from place 4 in the queue, and the policy considers only 2"
    )


ENDS_EARLY = ((0, 1, 10, 4), (0, 2, 2, 2))


def test_a_head_that_does_not_wait_for_its_frozen_start() -> None:
    """Job 1 ends at 4 and makes room, but the head's start was fixed before."""
    found = departure(
        simulate(jobs(*ENDS_EARLY), 2, "easy-one-reserved"), "easy-one-reserved:reservation=frozen"
    )
    assert found.sentence == "job 2 started at 4 although its start is frozen at 10"


def test_a_depth_does_not_hide_a_frozen_start() -> None:
    """Job 2 is within the depth and so was promised a start, which all-reserved keeps."""
    frozen = "wrsabf-ar:reservation=frozen,depth=3"
    found = departure(simulate(jobs(*ENDS_EARLY), 2, "wrsabf-ar"), frozen)
    assert found.sentence == "job 2 started at 4 although its start is frozen at 10"


@pytest.mark.parametrize("policy", INCENTIVE)
def test_a_head_that_misses_its_frozen_start(policy: str, moved: Callable[..., Schedule]) -> None:
    """The head was promised 10, and nothing can move that start, earlier or later."""
    frozen = f"{policy}:reservation=frozen"
    schedule = moved(simulate(jobs(*ENDS_EARLY), 2, frozen), {2: 12})
    assert departure(schedule, frozen).sentence == "job 2 was promised 10 but started at 12"


@pytest.mark.parametrize("policy", INCENTIVE)
def test_the_oldest_job_was_next(policy: str, moved: Callable[..., Schedule]) -> None:
    """Nothing stood in the way of the oldest job."""
    late = moved(simulate(jobs((0, 1, 5, 5)), 4, policy), {1: 3})
    assert departure(late, policy).sentence == (
        "job 1 could have started at 0 (4 nodes free, needs 1; no job ahead of it had to wait) "
        "but started at 3"
    )


def test_plans_end_at_ticks() -> None:
    """Job 2 asks until 36, but its end is seen at 40, so the hole lasts until then."""
    workload = jobs(
        (0, 2, 100, 100), (0, 1, 36, 36), (0, 4, 50, 50), (0, 2, 60, 60), (0, 1, 80, 80)
    )
    found = departure(simulate(workload, 4, "easy", tick=10), "easy-one-reserved")
    assert found.sentence == (
        "job 5 started at 0 in a hole of 40 s before job 4, planned for 40; "
        "it asks for 80 s, more than 1.5 times as long"
    )
