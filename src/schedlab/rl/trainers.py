"""The trainers that a training file can ask for."""

from __future__ import annotations

from typing import Any

import torch
from stable_baselines3.common.on_policy_algorithm import OnPolicyAlgorithm
from stable_baselines3.common.utils import LinearSchedule

from schedlab.errors import ParameterError
from schedlab.rl.device_ppo import DevicePPO
from schedlab.rl.stacked_networks import Layout
from schedlab.rl.train_policy import policy_class, policy_settings
from schedlab.rl.train_section import TrainSection
from schedlab.rl.training_config import TrainingConfig
from schedlab.rl.training_env import TrainingEnv


def make_trainer(config: TrainingConfig, env: TrainingEnv) -> OnPolicyAlgorithm:
    """Return the trainer of the training file, for these environments."""
    train = config.train
    settings: dict[str, Any] = {
        "seed": train.seed,
        "policy_kwargs": policy_settings(train, config.environment),
        **config.parameters.arguments(),
    }
    if config.parameters.anneal:
        settings["learning_rate"] = LinearSchedule(settings["learning_rate"], 0.0, 1.0)
    if train.engine == "gpu":
        device, precision = device_and_precision(train)
        return DevicePPO(
            policy_class(train),
            env,
            device=device,
            masked=config.masked,
            precision=precision,
            layout=acting_layout(train, device),
            **settings,
        )
    trainer: Any = config.algorithm.trainer()
    made: OnPolicyAlgorithm = trainer(policy_class(train), env, device="cpu", **settings)
    return made


def acting_layout(train: TrainSection, device: str) -> Layout | None:
    """Return the layout of the copy that acts on a GPU; the kernel network acts without one."""
    on_gpu = torch.device(device).type == "cuda"
    return Layout.of(train) if on_gpu and not train.is_kernel else None


def device_and_precision(train: TrainSection) -> tuple[str, str]:
    """Return the device and the precision of the engine ``gpu``."""
    device = _device(train.device or "cuda")
    return device, _precision(train.precision, device)


def _device(name: str) -> str:
    """Return the device; refuse one that is not there."""
    if name == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    try:
        torch.zeros(1, device=name)
    except (RuntimeError, AssertionError) as error:
        sentence, _, _ = str(error).partition("\n")
        raise ParameterError(
            f'engine gpu cannot use device "{name}": {sentence}; '
            'give another device (it may be "cpu"), or train with engine = "sb3"'
        ) from None
    return name


def _precision(asked: str | None, device: str) -> str:
    """Return the precision asked for; by default ``bf16`` on a GPU that has it, else ``fp32``."""
    on_gpu = torch.device(device).type == "cuda"
    if asked == "bf16" and not has_bf16(device):
        raise ParameterError(
            f'precision is "bf16", which device "{device}" does not have; must be "fp32"'
        )
    return asked or ("bf16" if on_gpu and has_bf16(device) else "fp32")


def has_bf16(device: str) -> bool:
    """Return whether a device has bf16 products; for processors torch has no public function."""
    if torch.device(device).type == "cuda":
        return bool(torch.cuda.is_bf16_supported(including_emulation=False))
    return torch.backends.mkldnn.is_available() and bool(
        torch.ops.mkldnn._is_mkldnn_bf16_supported()
    )
