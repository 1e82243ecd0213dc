"""The environments step the same simulator: known choices give known policies, start by start."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("gymnasium")

from schedlab import Schedule, Workload, simulate
from schedlab.metrics import find_metric
from schedlab.rl import QueueBatch, QueueEnv, QueueSettings, QueueVectorEnv
from schedlab.testing.instances import crowd
from schedlab.testing.strategies import workloads
from schedlab.workload.episodes import FixedEpisode, WindowEpisodes

NODES = 8


def plain(workload: Workload) -> Workload:
    """Return the jobs without withdrawals, dependencies and run times of zero."""
    none = np.full(len(workload), -1)
    return workload.replace(
        cancel_after_s=none, depends_on=none, run_s=np.maximum(workload["run_s"], 1)
    )


def played(workload: Workload, **rules: Any) -> tuple[list[int], dict[str, Any], float]:
    """Return starts, result and return of an agent that takes the first sensible action."""
    env = QueueEnv(workload, None, nodes=NODES, visible_jobs=64, **rules)
    env.reset()
    ended, total = False, 0.0
    info: dict[str, Any] = {}
    while not ended:
        _, reward, terminated, truncated, info = env.step(int(np.argmax(env.action_masks())))
        ended, total = terminated or truncated, total + reward
    simulator = env.batch.simulator[0]
    assert simulator is not None
    return [int(start) for start in simulator.start_times()], info, total


def simulated(workload: Workload, policy: str, tick: int) -> Schedule:
    """Return the schedule of the same jobs in the simulator."""
    return simulate(workload, NODES, policy, tick=tick)


@settings(max_examples=150, deadline=None)
@given(workload=workloads(max_nodes=NODES, max_jobs=25), tick=st.sampled_from((1, 7, 60)))
def test_first_come_under_the_guard_is_easy(workload: Workload, tick: int) -> None:
    """The agent's class of policies contains the one to beat."""
    rules = {"mode": "order+guard", "sim_step_s": tick, "estimate": "request"}
    starts, *_ = played(plain(workload), **rules)
    assert starts == simulated(plain(workload), "easy", tick).start_s.tolist()


@settings(max_examples=150, deadline=None)
@given(workload=workloads(max_nodes=NODES, max_jobs=25), tick=st.sampled_from((1, 7, 60)))
def test_first_come_in_order_is_easy(workload: Workload, tick: int) -> None:
    """The same holds where EASY backfills by itself, even by estimates."""
    rules = {"mode": "order", "sim_step_s": tick, "estimate": "last-two"}
    starts, *_ = played(plain(workload), **rules)
    assert starts == simulated(plain(workload), "easy:predict=last-two", tick).start_s.tolist()


@settings(max_examples=150, deadline=None)
@given(workload=workloads(max_nodes=NODES, max_jobs=25), tick=st.sampled_from((1, 7, 60)))
def test_always_the_first_that_fits_is_first_fit(workload: Workload, tick: int) -> None:
    """The paper's environment reserves nothing: the agent goes through the list."""
    starts, info, _ = played(plain(workload), sim_step_s=tick)
    schedule = simulated(plain(workload), "schedlab.testing.check_policy:FirstFit", tick)
    assert starts == schedule.start_s.tolist()
    assert info["utilisation"] == pytest.approx(find_metric("utilisation").value(schedule))
    assert info["mean_wait_s"] == pytest.approx(find_metric("wait").value(schedule))
    assert info["mean_bounded_slowdown"] == pytest.approx(
        find_metric("bounded_slowdown").value(schedule)
    )


@settings(max_examples=50, deadline=None)
@given(workload=workloads(max_nodes=NODES, max_jobs=25))
def test_rewards_for_slowdown_add_up(workload: Workload) -> None:
    """Their sum is minus the sum of the jobs' bounded slowdowns."""
    _, info, total = played(plain(workload), mode="order", reward="slowdown")
    assert total == pytest.approx(-info["mean_bounded_slowdown"] * len(workload))


@settings(max_examples=50, deadline=None)
@given(workload=workloads(max_nodes=NODES, max_jobs=25))
def test_rewards_for_utilisation_add_up(workload: Workload) -> None:
    """The bound grows from the best possible to the makespan, so no reward is positive."""
    jobs = plain(workload)
    env = QueueEnv(jobs, None, nodes=NODES, visible_jobs=64, mode="order", reward="utilisation")
    env.reset()
    rewards, ended = [], False
    while not ended:
        _, reward, ended, _, _ = env.step(int(np.argmax(env.action_masks())))
        rewards.append(reward)
    assert max(rewards) <= 1e-12


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**20), threads=st.sampled_from((1, 2, 3)))
def test_a_batch_is_so_many_environments(seed: int, threads: int) -> None:
    """Same seeds and actions give the same observations, rewards, masks and ends, row by row."""
    episodes = WindowEpisodes(crowd(count=60), 12)
    rules = QueueSettings(nodes=16, visible_jobs=5, max_steps=40, estimate="last-two")
    batch = QueueBatch(rules, episodes, 3, threads=threads)
    alone = [QueueBatch(rules, episodes, 1, threads=1) for _ in range(3)]
    batch.seed(seed)
    for place in range(3):
        batch.reset(place)
        alone[place].seed([seed + place])
        alone[place].reset(0)
    random = np.random.default_rng(seed)
    for _ in range(120):
        actions = random.integers(6, size=3)
        ended = batch.step(actions)
        for place, one in enumerate(alone):
            one.step(actions[place : place + 1])
            assert np.array_equal(batch.observation[place], one.observation[0])
            assert np.array_equal(batch.mask[place], one.mask[0])
            assert batch.reward[place] == one.reward[0]
            assert batch.terminated[place] == one.terminated[0]
            assert batch.truncated[place] == one.truncated[0]
        for place in ended:
            batch.reset(int(place))
            alone[place].reset(0)


def test_a_group_plays_the_same_jobs() -> None:
    """A sequence given at reset is played by all, whatever their seeds."""
    env = QueueVectorEnv(4, crowd(count=60), 12, nodes=16, visible_jobs=5)
    observation, _ = env.reset(seed=3, options={"sequence": crowd(count=9)})
    assert (observation == observation[0]).all()
    observation, _ = env.reset(seed=3)
    assert not (observation == observation[0]).all()


def test_an_episode_can_be_taken_as_a_schedule() -> None:
    """A fixed workload is the same at every reset."""
    episode = FixedEpisode(crowd(count=9))
    assert episode.draw(np.random.default_rng(1)) is episode.workload
