"""ACER behaves as users of Stable-Baselines3 expect of an algorithm."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

pytest.importorskip("stable_baselines3")
pytest.importorskip("sb3_contrib")

import torch
from gymnasium.spaces import Box, Dict, Discrete
from gymnasium.wrappers import TimeLimit
from stable_baselines3 import A2C
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import configure
from stable_baselines3.common.vec_env import DummyVecEnv, VecEnv

from schedlab.errors import ParameterError
from schedlab.rl import QueueBatch, QueueEnv, QueueSettings, WindowEpisodes
from schedlab.rl.acer import ACER
from schedlab.rl.sb3_env import NativeVecEnv
from schedlab.testing.instances import crowd

pytestmark = pytest.mark.usefixtures("one_thread")

RULES: dict[str, Any] = {"nodes": 16, "visible_jobs": 5, "max_steps": 40}
SMALL: dict[str, Any] = {"n_steps": 8, "device": "cpu", "seed": 3, "buffer_size": 96}


def native(size: int = 4) -> NativeVecEnv[QueueBatch]:
    """Return a few small environments."""
    settings = QueueSettings(**RULES)
    return NativeVecEnv(QueueBatch(settings, WindowEpisodes(crowd(count=60), 12), size, threads=1))


def single() -> QueueEnv:
    """Return one such environment."""
    return QueueEnv(crowd(count=60), 12, **RULES)


def acer(env: VecEnv | None = None, **changes: Any) -> ACER:
    """Return an agent that replays early and has to forget early."""
    settings = {**SMALL, "replay_start": 64, **changes}
    return ACER("MlpPolicy", native() if env is None else env, **settings)


def weights(model: ACER) -> list[Any]:
    """Return the weights of its network and of the averaged one."""
    both = (*model.policy.parameters(), *model.averaged_policy.parameters())
    return [each.detach().numpy() for each in both]


class Events(BaseCallback):
    """A callback that records when it is called and may end the training."""

    def __init__(self, last_step: int = 10**9) -> None:
        super().__init__()
        self.seen: list[Any] = []
        self.last_step = last_step

    def _on_training_start(self) -> None:
        self.seen.append("training start")

    def _on_rollout_start(self) -> None:
        self.seen.append("rollout start")

    def _on_step(self) -> bool:
        told = {"new_obs", "rewards", "dones", "infos", "actions"} <= self.locals.keys()
        self.seen.append((self.num_timesteps, told))
        return self.num_timesteps < self.last_step

    def _on_rollout_end(self) -> None:
        self.seen.append("rollout end")

    def _on_training_end(self) -> None:
        self.seen.append("training end")


def test_one_seed_gives_the_same_model() -> None:
    """It determines the network, the choice of actions, the jobs and what is replayed."""
    model, again, other = acer().learn(256), acer().learn(256), acer(seed=4).learn(256)
    assert model._n_updates > 256 // 32
    np.testing.assert_equal(weights(model), weights(again))
    with pytest.raises(AssertionError):
        np.testing.assert_equal(weights(model), weights(other))


def test_sb3_s_own_environments_give_the_same_model() -> None:
    """The native batch equals SB3's, step by step; segments keep what the agent saw."""
    plain = DummyVecEnv([single] * 4)
    np.testing.assert_equal(weights(acer().learn(256)), weights(acer(plain).learn(256)))


@pytest.mark.parametrize("last_step", [10**9, 40])
def test_callbacks_are_called_as_by_a2c(last_step: int) -> None:
    """They come in the same order, with the same steps and variables, and can end the training."""
    ours, theirs = Events(last_step), Events(last_step)
    acer().learn(96, ours)
    A2C("MlpPolicy", native(), n_steps=8, device="cpu").learn(96, theirs)
    assert ours.seen == theirs.seen


def test_a_saved_model_is_loaded_whole(tmp_path: Path) -> None:
    """It has its networks, optimiser and parameters, answers the same, and can learn on."""
    model = acer(replay_ratio=2.5, delta=0.5).learn(128)
    model.save(tmp_path / "model")
    loaded = ACER.load(tmp_path / "model", native(), device="cpu")
    np.testing.assert_equal(weights(loaded), weights(model))
    assert (loaded.replay_ratio, loaded.delta, loaded.num_timesteps) == (2.5, 0.5, 128)
    mine, its = (each.policy.optimizer.state_dict() for each in (model, loaded))
    assert str(mine) == str(its)
    space: Any = model.observation_space
    rows = np.random.default_rng(0).random((9, *space.shape), np.float32)
    for deterministic in (True, False):
        torch.manual_seed(0)
        actions, _ = model.predict(rows, deterministic=deterministic)
        torch.manual_seed(0)
        again, _ = loaded.predict(rows, deterministic=deterministic)
        assert np.array_equal(actions, again)
    loaded.learn(64, reset_num_timesteps=False)
    assert loaded.num_timesteps == 192


def test_the_averaged_policy_begins_where_the_policy_does() -> None:
    """The policy may get other parameters before it learns, as by cloning a teacher."""
    model, given = acer(alpha=1.0), acer(seed=4).policy.state_dict()
    model.policy.load_state_dict(given)
    model.learn(96)
    for name, each in model.averaged_policy.state_dict().items():
        assert torch.equal(each, given[name])


def test_learning_is_told(tmp_path: Path) -> None:
    """The log uses SB3's names where SB3 has them."""
    model = acer()
    model.set_logger(configure(str(tmp_path), ["csv"]))
    model.learn(512, log_interval=4)
    model.logger.close()
    names, *_ = (tmp_path / "progress.csv").read_text().splitlines()
    for name in ("train/policy_loss", "train/value_loss", "train/replays", "rollout/ep_rew_mean"):
        assert name in names.split(",")


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"replay_start": 97}, "replay_start is 97; must be <= buffer_size"),
        ({"c": 0.0}, "c is 0.0; must be > 0"),
        ({"replay_ratio": -1.0}, "replay_ratio is -1.0; must be >= 0"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(changes: Any, sentence: str) -> None:
    """The error is one sentence, as for the training file."""
    with pytest.raises(ParameterError, match=sentence):
        acer(**changes)


def test_images_have_their_own_network() -> None:
    """``CnnPolicy``, as everywhere in Stable-Baselines3."""

    class Picture(gymnasium.Env[Any, Any]):
        observation_space, action_space = Box(0, 255, (1, 36, 36), np.uint8), Discrete(2)

        def reset(self, **_: Any) -> Any:
            return np.zeros((1, 36, 36), np.uint8), {}

        def step(self, action: Any) -> Any:
            return self.reset()[0], 1.0, False, False, {}

    env = DummyVecEnv([lambda: TimeLimit(Picture(), 5)])
    model = ACER("CnnPolicy", env, replay_start=8, **SMALL).learn(16)
    assert model.replay_buffer.latest.observations.dtype == np.uint8


def test_observations_in_parts_are_not_for_it() -> None:
    """SB3 itself raises the error."""

    class Parts(gymnasium.Env[Any, Any]):
        observation_space, action_space = Dict({"one": Box(0, 1)}), Discrete(2)

    with pytest.raises(ValueError, match="MultiInputPolicy"):
        ACER("MlpPolicy", DummyVecEnv([Parts]))
