"""The conformance test passes correct policies and names the rule that others break."""

from __future__ import annotations

import importlib
import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import ArrayLike

from schedlab.errors import PolicyError
from schedlab.policies import POLICIES, Order, Policy, Queue, View
from schedlab.sim import Schedule, simulate
from schedlab.testing import check_policy
from schedlab.testing.instances import crowd, early_end, head_blocked
from schedlab.workload import Workload

MODULE = importlib.import_module("schedlab.testing.check_policy")  # the function has its name


class WidestFirst(Policy):
    """Starts whatever fits, widest first."""

    def schedule(self, view: View) -> None:
        """Try all, in order of width."""
        queue = view.queue
        for job in queue.job[np.argsort(-queue.nodes, kind="stable")].tolist():
            if view.fits(job):
                view.start(job)


class Lazy(Policy):
    """Never starts anything."""

    def schedule(self, view: View) -> None:
        """Do nothing."""


class Moody(Order):
    """Turns the queue around at every third call."""

    moods = itertools.cycle([1, -1, 1])

    def score(self, queue: Queue) -> ArrayLike:
        """Score the shortest job first, or the longest."""
        return queue.request_s * next(self.moods)


@pytest.mark.parametrize("policy", [*POLICIES, WidestFirst])
def test_policies_that_keep_the_rules_pass(policy: Any) -> None:
    """Every policy of the table keeps every rule, and so can one of your own."""
    check_policy(policy)


def test_a_policy_must_start_every_job() -> None:
    """A job left in the queue for ever is a fault of the policy."""
    with pytest.raises(PolicyError, match="left 4 jobs waiting for ever"):
        check_policy(Lazy, workloads=[head_blocked()])


def test_a_policy_must_be_deterministic() -> None:
    """Results that cannot be repeated are no results."""
    with pytest.raises(PolicyError, match="two runs on the same workload must give the same"):
        check_policy(Moody, workloads=[crowd()])


def test_a_policy_must_not_peek(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shortest job first by true run times uses what no policy can know yet."""

    def omniscient(workload: Workload, nodes: int, policy: str) -> Schedule:
        known = workload.replace(request_s=np.maximum(workload["run_s"], 1))
        return replace(simulate(known, nodes, policy), workload=workload)

    monkeypatch.setattr(MODULE, "simulate", omniscient)
    with pytest.raises(PolicyError, match="must not depend on run times that show only later"):
        check_policy("sjf", workloads=[crowd()])


@pytest.mark.parametrize(
    ("column", "value", "rule"),
    [
        ("start_s", [0, 3, 6], "no node may be used twice"),
        ("start_s", [0, 4, -1], "every job must start in the end"),
        ("eligible_s", [0, 5, 0], "a job must not start before it is submitted"),
    ],
)
def test_infeasible_schedules_are_named(
    monkeypatch: pytest.MonkeyPatch, column: str, value: list[int], rule: str
) -> None:
    """If the simulator itself broke a rule, the sentence would name it."""

    def faulty(workload: Workload, nodes: int, policy: str) -> Schedule:
        changed: dict[str, Any] = {column: np.array(value)}
        return replace(simulate(workload, nodes, policy), **changed)

    monkeypatch.setattr(MODULE, "simulate", faulty)
    with pytest.raises(PolicyError, match=rule):
        check_policy("fcfs", workloads=[early_end()])
