"""Small trainings that take a moment."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from schedlab.rl.training_config import TrainingConfig

SMALL: Mapping[str, Mapping[str, Any]] = {
    "environment": {
        "nodes": 8,
        "visible_jobs": 6,
        "mode": "order+guard",
        "observation": "jobs",
        "reward": "slowdown",
        "sim_step_s": 1,
        "max_steps": 60,
    },
    "episodes": {"workload": "lublin:nodes=8", "jobs": 12},
    "train": {
        "algorithm": "maskable-ppo",
        "network": "kernel",
        "envs": 3,
        "steps": 192,
        "n_steps": 16,
        "batch_size": 24,
        "n_epochs": 2,
        "reward_scale": 0.01,
    },
    "evaluation": {"episodes": 2},
}


@pytest.fixture(scope="session")
def small_training() -> Callable[..., TrainingConfig]:
    """A training of a moment; what is given goes into its sections."""
    from schedlab.rl.training_config import training_config

    def make(**changes: Mapping[str, Any]) -> TrainingConfig:
        return training_config(
            {name: {**given, **changes.get(name, {})} for name, given in SMALL.items()}
        )

    return make
