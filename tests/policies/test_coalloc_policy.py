"""Agreement in rounds on the starts of jobs that need several clusters."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from schedlab.audit.feasible import find_violations
from schedlab.coalloc import SOLVERS, Limits, Objective, Problem, Solution, find_solver
from schedlab.coalloc.agents import Distributed, require_message_passing
from schedlab.errors import MemoryLimitError, ParameterError, UnknownNameError
from schedlab.platform import Cluster, Platform
from schedlab.policies import find_policy
from schedlab.policies.coallocating import Coalloc
from schedlab.policies.coallocating.negotiation import problem_of, still_open
from schedlab.policies.coallocating.places import NodeSpan
from schedlab.sim import Schedule, simulate
from schedlab.testing.instances import jobs
from schedlab.testing.strategies import multi_cluster_workloads
from schedlab.workload import Workload, generate
from schedlab.workload.needs import with_needs

SIZES = {"a": 4, "b": 3, "c": 2}
GRID = Platform(tuple(Cluster.homogeneous(nodes, name) for name, nodes in SIZES.items()), "grid")


def long_before_short() -> Workload:
    """Return a long job of two clusters and three later short ones of one, while job 1 runs."""
    return with_needs(
        jobs((0, 1, 90, 90), (1, 1, 60, 60), (2, 1, 10, 10), (3, 1, 20, 20), (4, 1, 10, 10)),
        [{"a": 4, "b": 3}, {"a": 4, "b": 3}, {"a": 4}, {"a": 4}, {"b": 3}],
    )


@pytest.mark.parametrize("solver", ["dpop", "wd:width=2", "restart-greedy", "lns", "cpsat"])
def test_short_jobs_go_before_the_long_one_of_their_round(solver: str) -> None:
    """With FCFS three jobs wait for one, which is not the least sum of starts."""
    workload = long_before_short()
    agreed = simulate(workload, GRID, f"coalloc:solver={solver},round_s=10")
    assert agreed.start_s.tolist() == [0, 120, 90, 100, 90]
    assert simulate(workload, GRID, "conservative").start_s.tolist() == [0, 90, 150, 160, 150]


@pytest.mark.parametrize("solver", SOLVERS)
def test_every_solver_can_be_named(solver: str) -> None:
    """All new jobs of the round start when they were promised."""
    agreed = simulate(long_before_short(), GRID, f"coalloc:solver={solver},round_s=10")
    assert agreed.provenance["counters"]["agreements"] == 1
    assert agreed.first_reserved_s.tolist() == agreed.start_s.tolist()


def test_newcomers_wait_for_the_round() -> None:
    """New jobs wait even though the clusters are idle."""
    workload = with_needs(jobs((1, 1, 5, 5), (61, 1, 5, 5)), [{"a": 1}, {"b": 1}])
    assert simulate(workload, GRID, "coalloc:round_s=60").start_s.tolist() == [60, 120]


def test_a_round_is_not_held_for_who_has_left() -> None:
    """Job 1 is withdrawn before the first round; job 2 waits for its own round."""
    workload = with_needs(
        jobs((1, 1, 5, 5), (70, 1, 5, 5), cancel_after_s=[9, -1]), [{"a": 1}, {"a": 1}]
    )
    assert simulate(workload, GRID, "coalloc:round_s=60").start_s.tolist() == [-1, 120]


def early_end() -> Workload:
    """Return a job of 100 s that ends at 7, and one that at 5 is promised a start after it."""
    return with_needs(jobs((0, 1, 100, 7), (1, 1, 10, 10)), [{"a": 4}, {"a": 1, "b": 1}])


@pytest.mark.parametrize(("replan", "start_s"), [("rounds", 10), ("always", 7)])
def test_promises_move_earlier_at_rounds_or_always(replan: str, start_s: int) -> None:
    """The plan is made by requests; a job that ends early leaves room."""
    schedule = simulate(early_end(), GRID, f"coalloc:round_s=5,replan={replan}")
    assert schedule.first_reserved_s.tolist() == [0, 100]
    assert schedule.start_s.tolist() == [0, start_s]


@given(
    workload=multi_cluster_workloads(SIZES),
    round_s=st.sampled_from((1, 7, 60)),
    replan=st.sampled_from(("rounds", "always")),
    solver=st.sampled_from(("greedy", "wd:rounds=3", "split", "dpop")),
    tick=st.sampled_from((0, 7)),
)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_what_newcomers_agree_on_is_feasible_and_kept(
    workload: Workload, round_s: int, replan: str, solver: str, tick: int
) -> None:
    """No promise slips where jobs are killed at their request."""
    policy = f"coalloc:solver={solver},round_s={round_s},replan={replan}"
    schedule = simulate(workload, GRID, policy, tick=tick)
    assert not find_violations(schedule)
    assert kept(schedule)


@given(workload=multi_cluster_workloads(SIZES), predict=st.sampled_from(("request", "last-two")))
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_overruns_break_promises_and_nothing_else(workload: Workload, predict: str) -> None:
    """Jobs that outlive their request or prediction hold their nodes, and all jobs still start."""
    schedule = simulate(workload, GRID, "coalloc", predict=predict, kill_at_request=False)
    assert not find_violations(schedule)


def kept(schedule: Schedule) -> bool:
    """Return whether every job started by the time it was first promised."""
    ran = schedule.started
    return bool(np.all(schedule.start_s[ran] <= schedule.first_reserved_s[ran]))


def test_a_simulation_leaves_nothing_behind() -> None:
    """The same object gives the same schedule again."""
    policy, workload = Coalloc("greedy"), long_before_short()
    assert simulate(workload, GRID, policy) == simulate(workload, GRID, policy)


def test_agents_agree_on_the_same() -> None:
    """One program that knows all new jobs and agents that know only their cluster's agree."""
    solver = find_solver("wd:width=1,rounds=3")
    one, agents = (
        simulate(long_before_short(), GRID, Coalloc(each, round_s=10))
        for each in (solver, Distributed(require_message_passing(solver)))
    )
    assert one == agents
    assert agents.provenance["counters"]["agreements"] == 1


def test_a_round_of_many_is_held_in_parts() -> None:
    """With one job at a time there is nothing to agree on: first come, first served."""
    workload = generate("multi-cluster:burst=20,clusters=2,nodes=8", 60, seed=1)
    platform = Platform((Cluster.homogeneous(8, "c1"), Cluster.homogeneous(8, "c2")))
    alone = simulate(workload, platform, "coalloc:round_s=1,replan=always,jobs=1")
    first_come = simulate(workload, platform, "conservative")
    assert alone.start_s.tolist() == first_come.start_s.tolist()
    agreed = simulate(workload, platform, "coalloc:round_s=1,replan=always,jobs=5,solver=greedy")
    assert agreed.start_s.tolist() != first_come.start_s.tolist()


def test_a_solver_without_memory_lets_first_come_be_served_first() -> None:
    """Every message is too large here, and the round without agreement is counted."""

    class Refusing:
        name: ClassVar[str] = "refusing"

        def solve(self, problem: Problem, objective: Objective, limits: Limits) -> Solution:
            raise MemoryLimitError("too wide")

    schedule = simulate(long_before_short(), GRID, Coalloc(Refusing(), round_s=10))
    assert schedule.start_s.tolist() == [0, 90, 150, 160, 150]
    assert schedule.provenance["counters"]["without agreement"] == 1


def test_who_is_put_into_a_hole_stays_there() -> None:
    """A settled job begins behind job 0 on node 0, and job 0 behind job 1 on node 1."""
    settled = [NodeSpan(0, 5, [2]), NodeSpan(20, 30, [0])]
    newcomers = {0: NodeSpan(10, 20, [0, 1]), 1: NodeSpan(0, 10, [1]), 2: NodeSpan(5, 9, [2])}
    assert still_open(settled, newcomers) == {2: 5}


def test_the_problem_of_a_round() -> None:
    """Nodes that serve the same jobs are one resource; settled jobs set the releases."""
    newcomers = {4: NodeSpan(10, 30, [0, 1, 2]), 7: NodeSpan(30, 50, [1, 2, 3])}
    problem = problem_of(10, newcomers, {4: 0, 7: 20}, slots=4)
    assert [(job.name, job.resources, job.slots, job.release) for job in problem.jobs] == [
        ("4", (0, 1), 2, 1),
        ("7", (1, 2), 2, 2),
    ]
    assert problem.slots == 6


@pytest.mark.parametrize(
    ("text", "error", "reason"),
    [
        ("coalloc:solver=wdd", UnknownNameError, r'unknown solver "wdd"; did you mean "wd"'),
        ("coalloc:round=60", UnknownNameError, r'"round"; did you mean "round_s"'),
        ("coalloc:round_s=0", ParameterError, r'round_s is "0"; must be an integer >= 1'),
        ("coalloc:objective=value", ParameterError, r"must not leave out jobs"),
        ("coalloc:replan=never", ParameterError, r'replan is "never"; must be rounds or always'),
        ("coalloc+easy", UnknownNameError, r'unknown policy "coalloc\+easy"'),
        ("coaloc", UnknownNameError, r'did you mean "coalloc"'),
    ],
)
def test_a_policy_that_is_misspelt(text: str, error: type[Exception], reason: str) -> None:
    """Every word of a name is checked before anything runs."""
    with pytest.raises(error, match=reason):
        find_policy(text)


def test_the_name_says_what_was_chosen() -> None:
    """As for every other policy, so that results can be told apart."""
    chosen = find_policy("coalloc:solver=wd:width=3,round_s=60")
    assert chosen.name == "coalloc:solver=wd:width=3,round_s=60"
    assert chosen.parameters == {"solver": "wd:width=3", "round_s": 60}
    assert find_policy("coalloc", predict="last-two").name == "coalloc:predict=last-two"


@pytest.mark.parametrize("arguments", [{"round_s": 0}, {"slots": 0}, {"jobs": 0}, {"replan": "x"}])
def test_impossible_settings_in_code(arguments: dict[str, object]) -> None:
    """The same rules as in text."""
    with pytest.raises((ParameterError, UnknownNameError)):
        Coalloc(**arguments)  # type: ignore[arg-type]
