"""The lean trainer: its arithmetic by hand, and that it learns."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("gymnasium")

import torch

from schedlab.errors import ParameterError
from schedlab.rl import FixedEpisode, QueueSettings
from schedlab.rl.lean_ppo import LeanPpo, PpoSettings
from schedlab.testing.instances import crowd

RULES = QueueSettings(
    nodes=16, visible_jobs=8, mode="order", reward="slowdown", observation="jobs", max_steps=300
)


def trainer(**changes: object) -> LeanPpo:
    """A small one, on thirty jobs that are the same in every episode."""
    small = {"envs": 16, "n_steps": 128, "batch_size": 256, "n_epochs": 4, "net_arch": (64, 64)}
    settings = PpoSettings(**{**small, "masked": True, "gamma": 1.0, **changes})  # type: ignore[arg-type]
    return LeanPpo(RULES, FixedEpisode(crowd(count=30)), settings, seed=1)


@pytest.fixture(autouse=True)
def one_thread() -> None:
    """Tests run side by side: more threads would only get in each other's way."""
    torch.set_num_threads(1)


def test_advantages_by_hand() -> None:
    """With values of 0 and lambda 1 they are discounted sums of rewards up to the episode's end."""
    made = trainer(envs=2, n_steps=3, batch_size=6, gamma=0.5, gae_lambda=1.0)
    for parameter in made.policy.critic.parameters():
        torch.nn.init.zeros_(parameter)
    made.rewards[:] = [[1, 1], [2, 2], [4, 4]]
    made.ended[:] = [[0, 0], [0, 1], [0, 0]]
    advantages, returns = made.advantages()
    assert advantages.tolist() == [[3, 2], [4, 2], [4, 4]]
    assert torch.equal(advantages, returns)


def test_what_has_not_come_yet_is_the_value_of_the_last_observation() -> None:
    """A value of 8 everywhere: the reward 1 and half of 8 make 5, which is 3 less than expected."""
    made = trainer(envs=1, n_steps=1, batch_size=1, gamma=0.5)
    for parameter in made.policy.critic.parameters():
        torch.nn.init.zeros_(parameter)
    *_, bias = made.policy.critic.parameters()
    torch.nn.init.constant_(bias, 8.0)
    made.rewards[:], made.ended[:] = 1, 0
    advantages, returns = made.advantages()
    assert (advantages.item(), returns.item()) == (-3, 5)


def test_masked_actions_are_never_drawn() -> None:
    """Whatever was drawn was allowed."""
    made = trainer()
    made.collect()
    assert made.masks.gather(-1, made.actions.unsqueeze(-1)).all()


def test_the_seed_decides() -> None:
    """Same seed, same weights after an update."""
    one, other = trainer(), trainer()
    for each in (one, other):
        each.learn(2048)
    for ours, theirs in zip(one.policy.parameters(), other.policy.parameters(), strict=True):
        assert torch.equal(ours, theirs)


@pytest.mark.slow
def test_it_learns_to_order_jobs() -> None:
    """The slowdowns of the last thirty episodes are well below those of the first thirty."""
    made = trainer(learning_rate=1e-3)
    made.learn(30_000)
    returns = [episode["return"] for episode in made.progress.episodes]
    assert np.mean(returns[-30:]) > np.mean(returns[:30]) + 4


def test_a_rollout_must_be_whole_minibatches() -> None:
    """Otherwise the last one would be smaller and weigh more."""
    with pytest.raises(ParameterError, match="does not divide"):
        PpoSettings(envs=3, n_steps=10, batch_size=64)
