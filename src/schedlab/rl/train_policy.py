"""The network that a training file asks for: its class, and the arguments that make it."""

from __future__ import annotations

from typing import Any

from torch import nn

from schedlab.rl.algorithms import ALGORITHMS
from schedlab.rl.environments import Settings, environment_of
from schedlab.rl.networks import ActorCritic, Trunk
from schedlab.rl.train_section import TrainSection


def policy_class(train: TrainSection) -> type[ActorCritic]:
    """Return the class of a training's network; parameters have the same names with any engine."""
    # The engine ``gpu`` applies masks itself.
    algorithm = ALGORITHMS["ppo" if train.engine == "gpu" else train.algorithm]
    return algorithm.policy(kernel=train.is_kernel)


def policy_settings(train: TrainSection, environment: Settings) -> dict[str, Any]:
    """Return the arguments of a policy, for ``Algorithm.policy``."""
    if train.is_kernel:
        return {"job_columns": environment_of(environment).job_columns}
    activation = nn.ReLU if train.activation == "relu" else nn.Tanh
    if not train.shared_trunk:
        return {"net_arch": list(train.widths), "activation_fn": activation}
    return {
        "net_arch": [],
        "features_extractor_class": Trunk,
        "features_extractor_kwargs": {"widths": train.widths, "activation": activation},
    }
