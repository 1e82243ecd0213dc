"""ACER keeps its experience in segments, with masks, ends and the value of what was to come."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest

pytest.importorskip("stable_baselines3")
pytest.importorskip("sb3_contrib")

import torch
from gymnasium.spaces import Box, Discrete
from gymnasium.wrappers import TimeLimit
from sb3_contrib.common.maskable.callbacks import MaskableEvalCallback
from stable_baselines3.common.vec_env import DummyVecEnv, VecEnv

from schedlab.errors import ParameterError
from schedlab.rl.acer import ACER, Segment, SegmentBuffer

pytestmark = pytest.mark.usefixtures("one_thread")


def acer(env: VecEnv, **changes: Any) -> ACER:
    """Return an agent that replays early."""
    settings: dict[str, Any] = {"buffer_size": 96, "replay_start": 64, "n_steps": 8, **changes}
    return ACER("MlpPolicy", env, device="cpu", seed=3, **settings)


class Masked(gymnasium.Env[Any, Any]):
    """An environment that allows two of three actions and shows which one is forbidden."""

    observation_space = Box(0, 1, (3,), np.float32)
    action_space = Discrete(3)

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        """Forbid one of the actions."""
        super().reset(seed=seed)
        self.forbidden = int(self.np_random.integers(3))
        return np.eye(3, dtype=np.float32)[self.forbidden], {}

    def step(self, action: Any) -> Any:
        """Check that the action is not the forbidden one."""
        assert action != self.forbidden
        observation, _ = self.reset()
        return observation, float(action), False, False, {}

    def action_masks(self) -> Any:
        """Return a mask of all actions but one."""
        return np.arange(3) != self.forbidden


def test_masks_are_kept() -> None:
    """They hold in training, in replay and in evaluation by sb3-contrib's callback."""
    env = DummyVecEnv([lambda: TimeLimit(Masked(), 10)] * 4)
    evaluation = MaskableEvalCallback(
        DummyVecEnv([lambda: TimeLimit(Masked(), 10)]), eval_freq=64, verbose=0, warn=False
    )
    model = acer(env, masked=True).learn(256, evaluation)
    assert evaluation.last_mean_reward > 0
    segment = model.replay_buffer.sample()
    assert np.take_along_axis(segment.masks[:-1], segment.actions[..., None], -1).all()
    assert (np.exp(segment.log_probs)[~segment.masks[:-1]] == 0).all()
    masks = np.array([[False, True, False]])
    assert model.predict(np.eye(3, dtype=np.float32)[:1], action_masks=masks)[0] == [1]


def test_where_there_are_no_masks_none_can_be_kept() -> None:
    """Learning without masks is an error if they are asked for."""
    with pytest.raises(ParameterError, match="has no action_masks"):
        acer(DummyVecEnv([lambda: gymnasium.make("CartPole-v1")]), masked=True).learn(8)


class Steady(gymnasium.Env[Any, Any]):
    """An environment that pays 1 for ever."""

    observation_space = Box(0, 9, (1,), np.float32)
    action_space = Discrete(2)

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        """Return to step 0."""
        self.steps = 0
        return np.zeros(1, np.float32), {}

    def step(self, action: Any) -> Any:
        """Return the number of steps as the situation."""
        self.steps += 1
        return np.full(1, self.steps, np.float32), 1.0, False, False, {}


def test_an_episode_cut_off_is_worth_what_was_to_come() -> None:
    """Its last reward includes the value of its last situation, as with SB3's algorithms."""
    model = acer(DummyVecEnv([lambda: TimeLimit(Steady(), 3)]), learning_rate=1e-9).learn(8)
    segment = model.replay_buffer.latest
    last = model.policy.predict_values(torch.tensor([[3.0]])).item()
    assert segment.ended[:, 0].tolist() == [False, False, True, False, False, True, False, False]
    expected = [1, 1, 1 + model.gamma * last, 1, 1, 1 + model.gamma * last, 1, 1]
    assert segment.rewards[:, 0].tolist() == pytest.approx(expected, rel=1e-5)
    assert segment.observations[:, 0, 0].tolist() == [0, 1, 2, 0, 1, 2, 0, 1, 2]


def numbered(number: int) -> Segment:
    """Return a segment of two steps in three environments that holds its number and theirs."""
    return Segment(
        observations=np.full((3, 3, 1), number) + np.arange(3).reshape(1, 3, 1) / 10,
        masks=np.ones((3, 3, 2), bool),
        actions=np.zeros((2, 3), np.int64),
        rewards=np.full((2, 3), number, np.float32),
        ended=np.zeros((2, 3), bool),
        log_probs=np.zeros((2, 3, 2), np.float32),
    )


def test_the_buffer_keeps_the_latest_segments() -> None:
    """Twenty steps are four segments of six, rounded up; the first of five is forgotten."""
    buffer = SegmentBuffer(20, 2, 3)
    for number in range(5):
        buffer.add(numbered(number))
    assert buffer.steps == 24
    assert [float(each.rewards[0, 0]) for each in buffer] == [1, 2, 3, 4]


def test_every_environment_is_replayed_from_a_time_of_its_own() -> None:
    """Its steps are still consecutive, and it stays in its place."""
    buffer = SegmentBuffer(60, 2, 3)
    for number in range(10):
        buffer.add(numbered(number))
    np.random.seed(0)
    drawn = [buffer.sample() for _ in range(50)]
    assert any(len(set(each.rewards[0])) > 1 for each in drawn)
    assert {float(each.rewards[0, 0]) for each in drawn} == set(range(10))
    for each in drawn:
        assert np.array_equal(each.rewards[0], each.rewards[1])
        np.testing.assert_allclose(each.observations[0, :, 0] - each.rewards[0], [0, 0.1, 0.2])
