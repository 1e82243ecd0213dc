"""The trainers that a training file can ask for."""

from __future__ import annotations

from typing import Any

import torch
from sb3_contrib import MaskablePPO
from stable_baselines3 import A2C, PPO
from stable_baselines3.common.on_policy_algorithm import OnPolicyAlgorithm

from schedlab.errors import ParameterError
from schedlab.rl.device_ppo import DevicePPO
from schedlab.rl.networks import policy_class, policy_settings
from schedlab.rl.training_config import TrainSection
from schedlab.rl.training_env import TrainingEnv

ALGORITHMS: dict[str, Any] = {"ppo": PPO, "a2c": A2C, "maskable-ppo": MaskablePPO}


def make_trainer(train: TrainSection, env: TrainingEnv) -> OnPolicyAlgorithm:
    """The trainer of the section, for these environments."""
    settings: dict[str, Any] = {
        "seed": train.seed,
        "policy_kwargs": policy_settings(train),
        **train.hyperparameters(),
    }
    if train.engine == "gpu":
        return DevicePPO(
            policy_class(train),
            env,
            device=_device(train.device or "cuda"),
            masked=train.algorithm == "maskable-ppo",
            precision=train.precision or "bf16",
            **settings,
        )
    trainer: OnPolicyAlgorithm = ALGORITHMS[train.algorithm](
        policy_class(train), env, device="cpu", **settings
    )
    return trainer


def _device(name: str) -> str:
    """The device, if it is there."""
    try:
        torch.zeros(1, device=name)
    except (RuntimeError, AssertionError) as error:
        sentence, _, _ = str(error).partition("\n")
        raise ParameterError(
            f'engine gpu cannot use device "{name}": {sentence}; '
            'give another device (it may be "cpu"), or train with engine = "sb3"'
        ) from None
    return name
