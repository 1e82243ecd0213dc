"""Policies written in Python: the same simulator, the same rules, clear complaints."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from numpy.typing import ArrayLike

from schedlab import Order, Policy, Workload, simulate
from schedlab.errors import PolicyError
from schedlab.policies import Queue, View
from schedlab.testing.instances import crowd, head_blocked
from schedlab.testing.strategies import workloads


class PlainEasy(Policy):
    """EASY built with the methods of View."""

    def schedule(self, view: View) -> None:
        """Start in order, reserve for the first that does not fit, fill around it."""
        waiting = list(view.queue.job)
        while waiting and view.fits(waiting[0]):
            view.start(waiting.pop(0))
        if waiting:
            view.reserve(waiting.pop(0))
        for job in waiting:
            if view.can_start(job):
                view.start(job)


class PlainRebuild(Policy):
    """Conservative backfilling that is replanned at every pass."""

    def schedule(self, view: View) -> None:
        """Reserve for every job in order, and start those that may start now."""
        for job in view.queue.job:
            if view.reserve(job) == view.now:
                view.start(job)


class Shortest(Order):
    """Shortest request first."""

    def score(self, queue: Queue) -> ArrayLike:
        """Return the request itself."""
        return queue.request_s


@settings(max_examples=100, deadline=None)
@given(workload=workloads(max_nodes=8, max_jobs=15))
@pytest.mark.parametrize(
    ("policy", "native"),
    [(PlainEasy, "easy"), (PlainRebuild, "conservative:rebuild=true"), (Shortest, "sjf")],
)
def test_a_python_policy_equals_its_native_twin(
    policy: type[Policy] | type[Order], native: str, workload: Workload
) -> None:
    """Both drive the same engine through the same view; only the speed differs."""
    mine, theirs = simulate(workload, 8, policy), simulate(workload, 8, native)
    assert np.array_equal(mine.start_s, theirs.start_s)
    assert np.array_equal(mine.first_reserved_s, theirs.first_reserved_s)


def policy_that(act: Callable[[View], object]) -> Policy:
    """Return a policy that does this at every pass."""

    class Acting(Policy):
        def schedule(self, view: View) -> None:
            act(view)

    return Acting()


def start_twice(view: View) -> None:
    """Start the first job two times."""
    job = view.queue.job[0]
    view.start(job)
    view.start(job)


@pytest.mark.parametrize(
    ("act", "complaint"),
    [
        (start_twice, "job 1 is not waiting: it has been started already"),
        (lambda view: view.start(2), "is not waiting: it is not submitted yet"),
        (lambda view: view.start(99), "there is no job at position 99"),
        (lambda view: view.start(-1), "there is no job at position -1"),
        (lambda view: [view.start(job) for job in view.queue.job], "are free"),
        (lambda view: view.wake_at(view.now), "must be later"),
        (lambda view: None, "waiting for ever"),
    ],
)
def test_a_broken_rule_is_told_in_a_sentence(act: Callable[[View], object], complaint: str) -> None:
    """The author of a policy learns what was wrong, not where the core stood."""
    workload = Workload(
        {
            "job_id": [1, 2, 3],
            "submit_s": [0, 0, 50],
            "nodes": [2, 3, 1],
            "request_s": [9, 9, 9],
            "run_s": [9, 9, 9],
        }
    )
    with pytest.raises(PolicyError, match=complaint):
        simulate(workload, 4, policy_that(act))


def test_an_error_of_the_policy_itself_comes_through() -> None:
    """A bug in a policy must look like one."""
    with pytest.raises(ZeroDivisionError):
        simulate(head_blocked(), 8, policy_that(lambda view: 1 // 0))


class Constant(Order):
    """An order that returns the answer it was given."""

    def __init__(self, answer: ArrayLike) -> None:
        super().__init__()
        self.answer = answer

    def score(self, queue: Queue) -> ArrayLike:
        """Return the given answer."""
        return self.answer


def test_scores_must_be_one_per_job() -> None:
    """A wrong shape would silently rank the wrong jobs."""
    with pytest.raises(PolicyError, match="score returned 3 numbers"):
        simulate(crowd(), 16, Constant([1.0, 2.0, 3.0]))


def test_scores_must_be_numbers() -> None:
    """NaN has no place in an order."""
    with pytest.raises(PolicyError, match="NaN"):
        simulate(head_blocked(), 8, Constant([float("nan")] * 4))


def test_a_class_without_its_method_is_told_which() -> None:
    """The contract is one method, and the error names it."""
    with pytest.raises(PolicyError, match=r"Policy must define schedule\(self, view\)"):
        simulate(head_blocked(), 8, Policy)
    with pytest.raises(PolicyError, match=r"Order must define score\(self, queue\)"):
        simulate(head_blocked(), 8, Order)


def test_a_view_kept_after_the_end_is_harmless() -> None:
    """Python code may keep anything; the simulation stays alive and refuses decisions."""
    kept: list[View] = []

    def keep(view: View) -> None:
        kept.append(view)
        for job in view.queue.job:
            if view.fits(job):
                view.start(job)

    simulate(head_blocked(), 8, policy_that(keep))
    with pytest.raises(PolicyError, match="only during a pass"):
        kept[0].start(0)


def test_a_policy_that_only_waits_is_ended_with_a_sentence() -> None:
    """No job runs or arrives, so waking the policy again and again changes nothing."""

    class Sleeper(Policy):
        def schedule(self, view: View) -> None:
            view.wake_at(view.now + 1)

    with pytest.raises(PolicyError, match=r"woken 100000 times .* must start one"):
        simulate(head_blocked(), 10, Sleeper())


def test_wake_at_brings_a_pass_when_nothing_else_happens() -> None:
    """A policy may want to act at a time of its own."""
    seen: list[int] = []

    def act(view: View) -> None:
        seen.append(view.now)
        if view.now < 100:
            view.wake_at(100)
        else:
            view.start(view.queue.job[0])

    alone = Workload({"job_id": [1], "submit_s": [7], "nodes": [1], "request_s": [5], "run_s": [5]})
    assert simulate(alone, 1, policy_that(act)).start_s.tolist() == [100]
    assert seen == [7, 100]


def test_the_view_shows_running_jobs_by_their_request() -> None:
    """Truth and view are different types: the end of a running job is only expected."""
    shown: list[list[int]] = []

    def act(view: View) -> None:
        shown.append(view.running.release_s.tolist())
        for job in view.queue.job:
            if view.fits(job):
                view.start(job)

    two = Workload(
        {
            "job_id": [1, 2],
            "submit_s": [0, 3],
            "nodes": [1, 1],
            "request_s": [100, 100],
            "run_s": [10, 10],
        }
    )
    simulate(two, 2, policy_that(act))
    assert shown == [[], [100]]
