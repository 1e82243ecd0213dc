"""The grid's environments are what Gymnasium and Stable-Baselines3 expect."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("gymnasium")
pytest.importorskip("stable_baselines3")

import gymnasium
from gymnasium.utils.env_checker import check_env
from stable_baselines3 import PPO
from stable_baselines3.common.env_checker import check_env as check_sb3_env

from schedlab.errors import ParameterError, UnknownNameError, WorkloadError
from schedlab.rl import GanttBatch, GanttEnv, GanttSettings, GanttVectorEnv, GridEpisodes
from schedlab.rl.gantt.settings import OBSERVATIONS
from schedlab.rl.sb3_env import NativeVecEnv
from schedlab.testing.instances import jobs, withdrawn

SHORT: dict[str, Any] = {"units": 8, "load": 1.5}


@pytest.mark.parametrize("observation", OBSERVATIONS)
def test_every_observation_passes_gymnasium_s_check(observation: str) -> None:
    """Warnings count as failures: spaces, seeds, copies, rendering and closing are as expected."""
    pytest.importorskip("matplotlib")
    env = gymnasium.make("schedlab/Gantt-v0", observation=observation, **SHORT)
    check_env(env.unwrapped)


@pytest.mark.parametrize("observation", ["flat", "vector"])
def test_flat_observations_pass_sb3_s_check(observation: str) -> None:
    """Warnings count as failures."""
    check_sb3_env(GanttEnv(observation=observation, **SHORT))


def test_sb3_recommends_to_flatten_the_image() -> None:
    """SB3 wants one dimension, or three of bytes; its policies flatten the image themselves."""
    with pytest.warns(UserWarning, match="unconventional shape"):
        check_sb3_env(GanttEnv(**SHORT))


def test_the_default_is_the_paper_s_grid() -> None:
    """20 rows and 114 columns, 11 actions, new jobs at 100 % load in each episode."""
    env = gymnasium.make("schedlab/Gantt-v0")
    assert env.observation_space == gymnasium.spaces.Box(0, 1, (20, 114), np.float32)
    assert env.action_space == gymnasium.spaces.Discrete(11)
    grid = env.unwrapped
    assert isinstance(grid, GanttEnv)
    lengths, loads = set(), []
    for seed in range(200):
        env.reset(seed=seed)
        workload = grid.batch.workload(0)
        lengths.add(len(workload))
        loads.append(workload["run_s"] @ workload["nodes"] / 1000)
    assert len(lengths) > 10
    assert np.mean(loads) == pytest.approx(1.0, abs=0.06)


def test_a_given_workload_is_played_as_it_is() -> None:
    """It is given with a reset, or for every episode of all environments in a batch."""
    pair = jobs((3, 2, 4, 4), (9, 10, 1, 1))
    env = GanttEnv()
    env.reset(options={"sequence": pair})
    assert env.schedule().workload is pair
    vector = GanttVectorEnv(2, pair)
    vector.reset()
    assert [vector.batch.workload(place) for place in range(2)] == [pair, pair]


def test_observations_are_written_into_the_caller_s_array() -> None:
    """The array may be a view of pinned memory; it must have the right shape."""
    mine = np.ones((2, 20, 114), np.float32)
    batch = GanttBatch(GanttSettings(), GridEpisodes(), 2, observation=mine)
    for place in range(2):
        batch.reset(place)
    assert (mine[:, :, :10] == 0).all()
    with pytest.raises(ParameterError, match=r"shape \(2, 114\); must be \(2, 20, 114\)"):
        GanttBatch(GanttSettings(), GridEpisodes(), 2, observation=mine[:, 0])


@pytest.mark.usefixtures("one_thread")
@pytest.mark.parametrize("observation", OBSERVATIONS)
def test_sb3_learns_on_the_batch(observation: str) -> None:
    """A few hundred steps: returns of episodes are minus their mean slowdowns."""
    settings = GanttSettings(observation=observation)
    env = NativeVecEnv(GanttBatch(settings, GridEpisodes((1.5,), 8), 4, threads=1))
    model = PPO("MlpPolicy", env, n_steps=64, batch_size=64, n_epochs=1, device="cpu", seed=1)
    model.learn(512)
    episodes = list(model.ep_info_buffer or ())
    assert len(episodes) > 3
    for episode in episodes:
        assert episode["r"] <= -1
    env.reset()
    infos: list[dict[str, Any]] = []
    while not any("episode" in info for info in infos):
        *_, infos = env.step(env.action_masks().argmax(axis=1))
    last = next(info for info in infos if "episode" in info)
    assert last["episode"]["r"] == pytest.approx(-last["mean_slowdown"])


@pytest.mark.parametrize(
    ("rules", "sentence"),
    [
        ({"observation": "imag"}, 'unknown observation "imag"; did you mean "image"?'),
        ({"resources": 0}, "resources is 0; must be from 1 to 10,000"),
        ({"window": 20_000}, "window is 20000; must be from 1 to 10,000"),
        ({"load": -1.0}, "load is -1.0; must be above 0"),
        ({"workload": jobs((0, 1, 1, 1)), "load": 1.0}, "load is for generated jobs; omit it"),
        ({"jobs": 50}, "jobs is for jobs of a workload; give a workload or omit it"),
        ({"resources": 5}, "jobs of 10 nodes do not fit on 5"),
        ({"render_mode": "human"}, 'render_mode is "human"; must be rgb_array'),
    ],
)
def test_wrong_rules_meet_one_clear_sentence(rules: dict[str, Any], sentence: str) -> None:
    """The sentence has the value and what is allowed."""
    with pytest.raises((ParameterError, UnknownNameError)) as raised:
        GanttEnv(**rules)
    assert sentence in str(raised.value)


@pytest.mark.parametrize(
    ("workload", "sentence"),
    [
        (jobs((0, 11, 9, 9)), "needs 11 nodes but the cluster has 10"),
        (jobs((0, 1, 21, 21)), "requests 21 time units but the window has 20"),
        (jobs((0, 1, 9, 8)), "requests 9 time units and runs 8"),
        (
            jobs((0, 1, 1, 1), (0, 1, 1, 1), depends_on=[-1, 1]),
            "waits for more than its",
        ),
        (withdrawn(), "is withdrawn while it waits"),
        (jobs((0, 1, 1, 1)).take(np.array([False])), "an episode needs at least one job"),
    ],
    ids=["too wide", "too long", "ends early", "depends", "withdrawn", "nobody"],
)
def test_jobs_that_cannot_be_reserved_are_refused(workload: Any, sentence: str) -> None:
    """The chart could not hold them, or would show something wrong."""
    with pytest.raises(WorkloadError, match=sentence):
        GanttEnv().reset(options={"sequence": workload})


def test_an_episode_begins_with_reset_and_knows_its_actions() -> None:
    """Before it there is nothing to step or to show, and there is no twelfth action."""
    env = GanttEnv()
    with pytest.raises(ParameterError, match="reset"):
        env.step(0)
    with pytest.raises(ParameterError, match="reset"):
        env.schedule()
    env.reset()
    with pytest.raises(ParameterError, match="action is 11; must be from 0 to 10"):
        env.step(11)
