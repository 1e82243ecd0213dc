"""Behaviour cloning: a network first learns to decide as a teacher does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from schedlab.policies.learned.agent import Decider
from schedlab.rl.environments import environment_of
from schedlab.rl.networks import ActorCritic, scores_and_values
from schedlab.rl.ppo_loss import log_probabilities, taken
from schedlab.rl.training_config import CloneSection, TrainingConfig
from schedlab.rl.training_env import TrainingEnv
from schedlab.workload.episodes import Episodes

_ENVS = 32
_FIRST_SEED = 500_000  # other jobs than those of the training and of its evaluation
_GAMMA = 0.99  # Stable-Baselines3's
_HELD_OUT = 0.1


@dataclass(frozen=True)
class Demonstrations:
    """What a teacher saw and did, and the discounted rewards that followed."""

    observations: NDArray[np.float32]
    masks: NDArray[np.bool_]
    actions: NDArray[np.int64]
    returns: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.actions)


@dataclass
class _Episode:
    """The steps of the running episode of one environment."""

    observations: list[NDArray[np.float32]]
    masks: list[NDArray[np.bool_]]
    actions: list[int]
    rewards: list[float]

    @classmethod
    def empty(cls) -> _Episode:
        return cls([], [], [], [])

    def demonstrations(self, gamma: float) -> Demonstrations:
        """Return the steps, each with the discounted sum of the rewards from then on."""
        returns = np.zeros(len(self.rewards), np.float32)
        to_come = 0.0
        for step in reversed(range(len(returns))):
            to_come = self.rewards[step] + gamma * to_come
            returns[step] = to_come
        seen, masks = np.array(self.observations), np.array(self.masks)
        return Demonstrations(seen, masks, np.array(self.actions), returns)


def demonstrate(
    teacher: Decider, env: TrainingEnv, decisions: int, *, gamma: float
) -> Demonstrations:
    """Collect at least this number of the teacher's decisions, in whole episodes."""
    env.reset()
    batch, running = env.batch, [_Episode.empty() for _ in range(env.num_envs)]
    ended: list[Demonstrations] = []
    while sum(map(len, ended)) < decisions:
        seen, masks = batch.observation.copy(), batch.mask != 0
        actions = teacher.choose(batch.observation, batch.mask)
        rewards, dones, _ = env.advance(actions)
        for place, episode in enumerate(running):
            episode.observations.append(seen[place])
            episode.masks.append(masks[place])
            episode.actions.append(int(actions[place]))
            episode.rewards.append(float(rewards[place]))
        for place in map(int, np.flatnonzero(dones)):
            ended.append(running[place].demonstrations(gamma))
            running[place] = _Episode.empty()
    columns = ("observations", "masks", "actions", "returns")
    return Demonstrations(*(np.concatenate([getattr(e, c) for e in ended]) for c in columns))


def teacher_of(config: TrainingConfig, episodes: Episodes) -> Decider | None:
    """Return the teacher that a training file names; None if it names none."""
    name = config.clone.teacher
    if name is None:
        return None
    return environment_of(config.environment).teacher(name, config.folder, episodes)


def learn_from(
    teacher: Decider, policy: ActorCritic, config: TrainingConfig, episodes: Episodes
) -> Cloned:
    """Let the teacher play, and fit the policy to what it did."""
    section, train = config.clone, config.train
    batch = environment_of(config.environment).batch(episodes, _ENVS, threads=train.cores)
    env = TrainingEnv(batch, train.reward_scale, config.baseline)
    env.seed(train.seed + _FIRST_SEED)
    gamma = config.parameters.gamma
    shown = demonstrate(teacher, env, section.decisions, gamma=_GAMMA if gamma is None else gamma)
    return clone(policy, shown, section, seed=train.seed)


@dataclass(frozen=True)
class Cloned:
    """How often the network agrees with the teacher, on demonstrations it did not learn from."""

    decisions: int
    agreement: float


def clone(
    policy: ActorCritic, shown: Demonstrations, section: CloneSection, *, seed: int
) -> Cloned:
    """Fit the policy to the teacher's actions and the values to the returns."""
    cut = round(len(shown) * (1 - _HELD_OUT))
    random = np.random.default_rng(seed)
    optimizer = torch.optim.Adam(policy.parameters(), section.learning_rate)
    policy.set_training_mode(True)
    for _ in range(section.epochs):
        for rows in _minibatches(random.permutation(cut), section.batch_size):
            log_probs, values, actions, returns = _evaluated(policy, shown, rows)
            loss = -taken(log_probs, actions).mean()
            loss = loss + section.vf_coef * nn.functional.mse_loss(values, returns)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(policy.parameters(), 1.0)
            optimizer.step()
    policy.set_training_mode(False)
    rest = np.arange(cut, len(shown))
    return Cloned(len(shown), _agreement(policy, shown, rest, section.batch_size))


def _minibatches(rows: NDArray[np.intp], size: int) -> Iterator[NDArray[np.intp]]:
    for first in range(0, len(rows), size):
        yield rows[first : first + size]


def _evaluated(
    policy: ActorCritic, shown: Demonstrations, rows: NDArray[np.intp]
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    def on_device(column: NDArray[np.generic]) -> Tensor:
        return torch.from_numpy(column[rows]).to(policy.device)

    scores, values = scores_and_values(policy, on_device(shown.observations))
    log_probs = log_probabilities(scores, on_device(shown.masks))
    return log_probs, values, on_device(shown.actions), on_device(shown.returns)


@torch.no_grad()
def _agreement(
    policy: ActorCritic, shown: Demonstrations, rows: NDArray[np.intp], size: int
) -> float:
    """Return the share of situations in which the network chooses the teacher's action."""
    same = 0
    for part in _minibatches(rows, size):
        log_probs, _, actions, _ = _evaluated(policy, shown, part)
        same += int((log_probs.argmax(-1) == actions).sum())
    return same / max(len(rows), 1)
