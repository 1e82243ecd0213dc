"""ACER finds known optima."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest

pytest.importorskip("stable_baselines3")
pytest.importorskip("sb3_contrib")

import torch
from gymnasium.spaces import Box, Discrete
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.evaluation import evaluate_policy
from torch import nn

from schedlab.rl.acer import ACER, Segment

pytestmark = pytest.mark.usefixtures("one_thread")

ARMS = (0.2, 0.5, 0.8)
PAPER: dict[str, Any] = {"net_arch": {"pi": [20], "vf": [20]}, "activation_fn": nn.ReLU}
SETTINGS: dict[str, Any] = {
    "device": "cpu",
    "seed": 1,
    "n_steps": 4,
    "learning_rate": 5e-3,
    "use_rms_prop": False,
    "buffer_size": 2_000,
    "replay_start": 100,
    "policy_kwargs": PAPER,
}


class Bandit(gymnasium.Env[Any, Any]):
    """A bandit whose arms always pay the same; an episode is one pull."""

    observation_space = Box(0, 1, (1,), np.float32)
    action_space = Discrete(len(ARMS))

    def reset(self, **_: Any) -> Any:
        """Return the only situation."""
        return np.ones(1, np.float32), {}

    def step(self, action: Any) -> Any:
        """Pull an arm."""
        return np.ones(1, np.float32), ARMS[action], True, False, {}


def bandit(**changes: Any) -> ACER:
    """Return ACER on eight bandits side by side."""
    return ACER("MlpPolicy", make_vec_env(Bandit, 8), **{**SETTINGS, **changes})


def decided(model: ACER) -> tuple[list[float], list[float]]:
    """Return the probabilities of the arms, and their values."""
    with torch.no_grad():
        log_probs, q = model.policy.evaluate(torch.ones(1, 1))
    return log_probs.exp()[0].tolist(), q[0].tolist()


@pytest.mark.parametrize("replay_ratio", [0.0, 4.0])
def test_the_best_arm_is_found(replay_ratio: float) -> None:
    """ACER finds it with and without replay."""
    probabilities, _ = decided(bandit(ent_coef=0.0, replay_ratio=replay_ratio).learn(3_000))
    assert probabilities[2] > 0.9


@pytest.mark.parametrize("trust_region", [True, False])
def test_entropy_has_its_own_optimum(trust_region: bool) -> None:
    """Mean pay plus weighted entropy is largest if arms are drawn by the softmax of their pay."""
    model = bandit(ent_coef=0.3, trust_region=trust_region).learn(4_000)
    probabilities, values = decided(model)
    best = torch.tensor(ARMS).div(0.3).softmax(0).tolist()
    assert probabilities == pytest.approx(best, abs=0.04)
    assert values == pytest.approx(ARMS, abs=0.02)


def test_other_people_s_experience_is_enough() -> None:
    """ACER learns from a policy that mostly pulls bad arms, without one pull of its own."""
    model = bandit(ent_coef=0.0, c=2.0)
    random, behaviour = np.random.default_rng(0), np.array([0.6, 0.3, 0.1])
    for _ in range(20):
        actions = random.choice(3, (4, 8), p=behaviour)
        model.replay_buffer.add(
            Segment(
                observations=np.ones((5, 8, 1), np.float32),
                masks=np.ones((5, 8, 3), bool),
                actions=actions,
                rewards=np.array(ARMS, np.float32)[actions],
                ended=np.ones((4, 8), bool),
                log_probs=np.tile(np.log(behaviour).astype(np.float32), (4, 8, 1)),
            )
        )
    for _ in range(400):
        model._update(model.replay_buffer.sample())
    probabilities, values = decided(model)
    assert probabilities[2] > 0.95
    assert values == pytest.approx(ARMS, abs=0.05)


@pytest.mark.slow
def test_cartpole_is_solved() -> None:
    """The problem's first version asked for a mean return of 195 over 100 episodes."""
    env = make_vec_env("CartPole-v1", 8, seed=0)
    model = ACER(
        "MlpPolicy",
        env,
        n_steps=10,
        learning_rate=2e-3,
        buffer_size=10_000,
        replay_start=1_000,
        seed=0,
        device="cpu",
    ).learn(60_000)
    mean, _ = evaluate_policy(model, make_vec_env("CartPole-v1", 10, seed=1000), 100)
    assert float(np.mean(mean)) >= 195
