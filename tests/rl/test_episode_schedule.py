"""An episode is a schedule like any other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("gymnasium")

from schedlab import Workload, simulate
from schedlab.metrics import find_metric
from schedlab.policies.learned.settings import MODES
from schedlab.rl import QueueEnv
from schedlab.sim import JobOutcome
from schedlab.testing.instances import jobs
from schedlab.testing.strategies import workloads

NODES = 8


def played(env: QueueEnv, seed: int) -> tuple[dict[str, Any], float]:
    """Return the result and the last reward of an agent that takes any sensible action."""
    random, ended = np.random.default_rng(seed), False
    env.reset()
    while not ended:
        sensible = np.flatnonzero(env.action_masks())
        _, reward, terminated, truncated, info = env.step(random.choice(sensible))
        ended = terminated or truncated
    return info, reward


@settings(max_examples=60, deadline=None)
@given(
    workload=workloads(max_nodes=NODES, max_jobs=20),
    mode=st.sampled_from(sorted(MODES)),
    seed=st.integers(0, 100),
)
def test_figures_of_the_episode_are_those_of_its_schedule(
    workload: Workload, mode: str, seed: int
) -> None:
    """The episode may end or be truncated; the reward is made of the same figures."""
    max_steps = 30
    workload = workload.replace(cancel_after_s=np.full(len(workload), -1))
    env = QueueEnv(workload, None, nodes=NODES, visible_jobs=5, mode=mode, max_steps=max_steps)
    info, reward = played(env, seed)
    schedule = env.schedule()
    assert info["started"] == schedule.started.sum()
    assert info["share_started"] == schedule.started.mean()
    first_s, last_s = schedule.horizon_s()
    assert info["makespan_s"] == last_s - first_s
    for name, metric in (("utilisation", "utilisation"), ("mean_wait_s", "wait")):
        if info["makespan_s"]:
            assert info[name] == pytest.approx(find_metric(metric).value(schedule))
    steps_left = 1 - info["steps"] / max_steps
    assert reward == pytest.approx(info["share_started"] + info["utilisation"] + steps_left)


def test_jobs_that_have_not_started_wait() -> None:
    """One outlives its request and will be killed, one no longer fits, one is still to come."""
    env = QueueEnv(jobs((0, 3, 20, 30), (0, 4, 20, 20), (50, 1, 20, 20)), None, nodes=4)
    env.reset()
    env.step(0)
    schedule = env.schedule()
    assert schedule.start_s.tolist() == [0, -1, -1]
    assert schedule.end_s.tolist() == [20, -1, -1]
    assert schedule.state.tolist() == [JobOutcome.KILLED, JobOutcome.WAITING, JobOutcome.WAITING]
    assert schedule.named_nodes().of(0) == [(0, 2)]
    assert schedule.named_nodes().of(1) == []
    assert schedule.policy == "agent:mode=pick"
    assert find_metric("mean_queue_length").value(schedule) == 1


def test_a_finished_episode_equals_the_simulator_s_schedule() -> None:
    """States and nodes are equal, too; the agent is not asked for a head that changes nothing."""
    workload = jobs((0, 2, 30, 40), (0, 4, 30, 30), (0, 1, 40, 40), (0, 1, 30, 20), (90, 4, 9, 9))
    env = QueueEnv(workload, None, nodes=4, mode="order", estimate="request", sim_step_s=10)
    env.reset()
    ended = False
    while not ended:
        ended = env.step(0)[2]
    ours, theirs = env.schedule(), simulate(workload, 4, "easy", tick=10)
    for name in ("start_s", "end_s", "eligible_s", "state"):
        assert getattr(ours, name).tolist() == getattr(theirs, name).tolist()
    assert ours.node_ranges == theirs.node_ranges
