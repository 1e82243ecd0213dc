"""One of the trainings that run side by side."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from inspect import signature
from typing import Any

import numpy as np
import torch
from gymnasium.spaces import Box, Discrete
from stable_baselines3 import PPO
from stable_baselines3.common.utils import LinearSchedule

from schedlab.policies.learned.own_agent import numbers_and_actions
from schedlab.policies.learned.settings import QueueSettings
from schedlab.rl.algorithms import ALGORITHMS
from schedlab.rl.environments import environment_of
from schedlab.rl.stacked_networks import Parameters
from schedlab.rl.train_policy import policy_class, policy_settings
from schedlab.rl.training_config import TrainingConfig
from schedlab.workload.episodes import Episodes

_DEFAULTS = {name: each.default for name, each in signature(PPO.__init__).parameters.items()}


def can_be_stacked(config: TrainingConfig) -> bool:
    """Return whether a training can run side by side with others."""
    train = config.train
    return (
        environment_of(config.environment).stacks
        and ALGORITHMS[train.algorithm].on_gpu
        and not train.is_kernel
        and train.baseline is None
        and config.ppo.target_kl is None
        and config.clone.teacher is None
        and not config.evaluation.sampled
    )


def gpu_is_there() -> bool:
    """Return whether there is a GPU on which trainings can run side by side."""
    return torch.cuda.is_available()


@dataclass(frozen=True)
class Member:
    """A training with its jobs and its parameters, completed by Stable-Baselines3's defaults."""

    config: TrainingConfig
    settings: QueueSettings
    episodes: Episodes
    held_out: Episodes

    @classmethod
    def of(cls, config: TrainingConfig) -> Member:
        """Open the jobs of a training."""
        episodes, held_out = config.open_episodes()
        time_scale_s = environment_of(config.environment).time_scale_s(episodes)
        settings = replace(config.require_queue(), time_scale_s=time_scale_s)
        return cls(config, settings, episodes, held_out)

    def __getattr__(self, name: str) -> Any:
        """Return a parameter of PPO, by Stable-Baselines3's name."""
        if name not in _DEFAULTS:
            raise AttributeError(name)
        given = getattr(self.config.ppo, name)
        return _DEFAULTS[name] if given is None else given

    @property
    def shape(self) -> tuple[Any, ...]:
        """What is the same in all trainings that are stepped as one."""
        train = self.config.train
        return (
            replace(self.settings),
            self.config.masked,
            train.widths,
            train.activation,
            train.shared_trunk,
            train.envs,
            train.reward_scale,
            train.precision,
            train.steps,
            self.config.evaluation,
            self.config.greedy_masked,
        )

    @property
    def order(self) -> tuple[int, int, int]:
        """The key by which members are sorted: those that learn together are side by side."""
        return self.n_steps, self.batch_size, -self.n_epochs

    @property
    def rollouts(self) -> int:
        """The number of rollouts that it learns from."""
        train = self.config.train
        return int(-(-train.steps // (self.n_steps * train.envs)))

    @property
    def rate(self) -> Callable[[float], float]:
        """The learning rate, by the share of steps that is left."""
        if self.config.ppo.anneal:
            return LinearSchedule(self.learning_rate, 0.0, 1.0)
        return lambda _: float(self.learning_rate)

    @property
    def schedule(self) -> tuple[Any, ...]:
        """What its learning rate depends on."""
        return self.learning_rate, self.config.ppo.anneal, self.n_steps


def first_policy(member: Member) -> tuple[Parameters, torch.Tensor]:
    """Return the initial network, and the state of torch's generator after it was drawn."""
    train = member.config.train
    random.seed(train.seed)
    np.random.seed(train.seed)
    torch.manual_seed(train.seed)
    numbers, actions = numbers_and_actions(member.settings)
    policy = policy_class(train)(
        Box(0, member.settings.largest, (numbers,), np.float32),
        Discrete(actions),
        lambda _: 0.0,
        **policy_settings(train, member.settings),
    )
    return policy.state_dict(), torch.get_rng_state()


def generator_of(seed: int, after: torch.Tensor, device: torch.device) -> torch.Generator:
    """Return the random generator that the training would have alone on that device."""
    generator = torch.Generator(device)
    if device.type == "cpu":
        generator.set_state(after)
    else:
        generator.manual_seed(seed)
    return generator
