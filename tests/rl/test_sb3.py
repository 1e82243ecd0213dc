"""Stable-Baselines3 learns on the native batch as on its own vector environments."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("gymnasium")
pytest.importorskip("stable_baselines3")
pytest.importorskip("sb3_contrib")

from sb3_contrib import MaskablePPO
from stable_baselines3 import A2C, PPO
from stable_baselines3.common.callbacks import EvalCallback
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import (
    DummyVecEnv,
    VecEnv,
    VecEnvWrapper,
    VecMonitor,
    VecNormalize,
)

from schedlab.policies.learned.settings import MODES, OBSERVATIONS
from schedlab.rl import QueueBatch, QueueEnv, QueueSettings, WindowEpisodes
from schedlab.rl.sb3_env import NativeVecEnv
from schedlab.testing.instances import crowd

RULES: dict[str, Any] = {"nodes": 16, "visible_jobs": 5, "max_steps": 40}
pytestmark = pytest.mark.usefixtures("one_thread")
SMALL_PPO: dict[str, Any] = {"n_steps": 64, "batch_size": 64, "n_epochs": 2, "device": "cpu"}


def native(size: int = 4, **rules: Any) -> NativeVecEnv[QueueBatch]:
    """Return a few small environments."""
    settings = QueueSettings(**(RULES | rules))
    return NativeVecEnv(QueueBatch(settings, WindowEpisodes(crowd(count=60), 12), size, threads=2))


def single(**rules: Any) -> QueueEnv:
    """Return one such environment."""
    return QueueEnv(crowd(count=60), 12, **(RULES | rules))


@pytest.mark.parametrize("observation", OBSERVATIONS)
@pytest.mark.parametrize("mode", MODES)
def test_every_mode_and_observation_pass_sb3_s_check(mode: str, observation: str) -> None:
    """Warnings count as failures."""
    check_env(single(mode=mode, observation=observation))


@pytest.mark.parametrize("algorithm", [PPO, A2C, MaskablePPO])
def test_the_algorithms_learn(algorithm: Any) -> None:
    """A few hundred steps: the networks change, and the returns of episodes are known."""
    parameters = {"n_steps": 32, "device": "cpu"} if algorithm is A2C else SMALL_PPO
    model = algorithm("MlpPolicy", native(), seed=1, **parameters)
    before = [each.detach().clone() for each in model.policy.parameters()]
    model.learn(512)
    pairs = zip(before, model.policy.parameters(), strict=True)
    assert any(not np.array_equal(old, new.detach()) for old, new in pairs)
    assert len(model.ep_info_buffer) > 3


def weights(env: VecEnv) -> list[Any]:
    """Return the weights of a network that has learnt a little on these environments."""
    model = PPO("MlpPolicy", env, seed=3, **SMALL_PPO)
    model.learn(512)
    return [each.detach().numpy() for each in model.policy.parameters()]


def test_one_seed_gives_the_same_model() -> None:
    """It determines the network, the choice of actions and the jobs."""
    np.testing.assert_equal(weights(native()), weights(native()))


def test_sb3_s_own_environments_give_the_same_model() -> None:
    """Rollouts keep what the agent saw when it decided, not what the step after it showed."""
    np.testing.assert_equal(weights(native()), weights(DummyVecEnv([single] * 4)))


@pytest.mark.parametrize("mode", MODES)
def test_the_batch_is_sb3_s_own_of_single_environments(mode: str) -> None:
    """The same seeds and actions give the same numbers, ends and last observations."""
    plain = DummyVecEnv([lambda: Monitor(single(mode=mode))] * 3)
    batch = native(3, mode=mode)
    for env in (plain, batch):
        env.seed(7)
    np.testing.assert_equal(batch.reset(), plain.reset())
    random, ended = np.random.default_rng(7), 0
    for _ in range(150):
        masks = batch.action_masks()
        assert np.array_equal(masks, plain.env_method("action_masks"))
        actions = np.where(masks, random.random(masks.shape), -1).argmax(axis=1)
        observation, reward, done, infos = batch.step(actions)
        expected, expected_reward, expected_done, expected_infos = plain.step(actions)
        np.testing.assert_equal(observation, expected)
        assert np.array_equal(reward, expected_reward)
        assert np.array_equal(done, expected_done)
        for place in np.flatnonzero(done):
            assert_same_end(infos[place], expected_infos[place])
            ended += 1
    assert ended > 3


def assert_same_end(info: dict[str, Any], expected: dict[str, Any]) -> None:
    """Check that the infos of an ended episode are equal, except for the time it took."""
    assert info.keys() == expected.keys()
    assert info["episode"]["l"] == expected["episode"]["l"]
    assert info["episode"]["r"] == pytest.approx(expected["episode"]["r"], abs=1e-6)
    assert np.array_equal(info["terminal_observation"], expected["terminal_observation"])
    for name in info.keys() - {"episode", "terminal_observation"}:
        assert info[name] == expected[name]


class Listening(VecEnvWrapper):
    """A wrapper that keeps the returns that its environments report."""

    def __init__(self, venv: VecEnv) -> None:
        super().__init__(venv)
        self.returns: list[float] = []

    def reset(self) -> Any:
        """Reset the environments."""
        return self.venv.reset()

    def step_wait(self) -> Any:
        """Keep the returns of ended episodes."""
        observations, rewards, dones, infos = self.venv.step_wait()
        self.returns += [info["episode"]["r"] for info in infos if "episode" in info]
        return observations, rewards, dones, infos


def test_learning_on_normalised_numbers_is_evaluated() -> None:
    """Evaluation takes the returns that the environment reports, before any normalisation."""
    listening = Listening(native(1))
    callback = EvalCallback(VecNormalize(listening), eval_freq=32, n_eval_episodes=3, verbose=0)
    model = PPO("MlpPolicy", VecNormalize(native()), seed=1, **SMALL_PPO)
    model.learn(256, callback=callback)
    assert callback.last_mean_reward == pytest.approx(np.mean(listening.returns[-3:]))
    assert len(listening.returns) == 3 * callback.n_calls // 32


def test_episodes_can_be_kept_in_a_file(tmp_path: Path) -> None:
    """SB3 rightly warns that the environment already reports its episodes."""
    with pytest.warns(UserWarning, match="already wrapped with a `Monitor`"):
        env = VecMonitor(native(), str(tmp_path / "monitor"), info_keywords=("utilisation",))
    env.reset()
    for _ in range(50):
        env.step(np.zeros(4, np.int64))
    env.close()
    assert "utilisation" in (tmp_path / "monitor.monitor.csv").read_text()


def test_a_group_plays_the_jobs_that_options_name() -> None:
    """The options count for one reset; the next draws jobs again."""
    env = native()
    env.seed(1)
    env.set_options({"sequence": crowd(count=9)})
    env.reset()
    assert [len(each or ()) for each in env.batch.workload] == [9] * 4
    env.reset()
    assert [len(each or ()) for each in env.batch.workload] == [12] * 4
