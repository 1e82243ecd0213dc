"""Networks that are trained side by side become the same as when trained alone."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("stable_baselines3")
pytest.importorskip("sb3_contrib")

import torch

from schedlab.rl.algorithm_sections import PpoSection
from schedlab.rl.model_file import read_model
from schedlab.rl.stacked.training import train_many
from schedlab.rl.train import Trained, train
from schedlab.rl.training_config import TrainingConfig, training_config

ON_CPU = {"engine": "gpu", "device": "cpu", "precision": "fp32", "threads": 1}


@pytest.fixture(autouse=True)
def one_thread() -> None:
    """Use one thread, since tests run side by side and more threads would only compete."""
    torch.set_num_threads(1)


PPO_KEYS = {each.name for each in fields(PpoSection)}


def config(episodes: dict[str, Any] | None = None, **changes: Any) -> TrainingConfig:
    """Return a short training in which episodes end and are cut off."""
    ppo = {key: value for key, value in changes.items() if key in PPO_KEYS}
    train = {key: value for key, value in changes.items() if key not in PPO_KEYS}
    return training_config(
        {
            "environment": {"nodes": 16, "visible_jobs": 6, "max_steps": 40, "time_scale_s": 1e5},
            "episodes": {"workload": "lublin:nodes=16", "jobs": 12, **(episodes or {})},
            "train": {
                "network": [16, 12],
                "envs": 3,
                "steps": 384,
                **ON_CPU,
                **train,
            },
            "ppo": {"n_steps": 32, "batch_size": 48, "n_epochs": 2, **ppo},
            "evaluation": {"episodes": 2},
        }
    )


JOBS: list[dict[str, Any]] = [
    {},
    {"jobs": 20},
    {"workload": "lublin:nodes=8", "transforms": ["load=1.2:16"]},
]
THREE: dict[str, list[TrainingConfig]] = {
    "other parameters": [
        config(seed=1),
        config(seed=2, learning_rate=3e-3, clip_range=0.1, anneal=True, gamma=0.9, gae_lambda=0.8),
        config(seed=3, ent_coef=0.02, vf_coef=0.3, max_grad_norm=0.1),
    ],
    "other sizes": [
        config(seed=1, n_epochs=1),
        config(seed=1, n_epochs=3),
        config(seed=2, batch_size=24),
        config(seed=2, n_steps=16),
        config(seed=4, n_steps=64, batch_size=96),
    ],
    "other jobs, masks and a trunk": [
        config(episodes, algorithm="maskable-ppo", shared_trunk=True, activation="relu", seed=seed)
        for seed, episodes in enumerate(JOBS)
    ],
}


def models(trainings: list[TrainingConfig], folder: Path) -> dict[int, Trained]:
    """Train all side by side; return the models."""
    jobs = [(each, folder / str(number)) for number, each in enumerate(trainings)]
    return dict(train_many(jobs))


@pytest.mark.parametrize("which", THREE)
def test_each_becomes_what_it_becomes_alone(which: str, tmp_path: Path) -> None:
    """After the same steps the network is the same up to rounding, and so are its results."""
    trainings = THREE[which]
    together = models(trainings, tmp_path / "together")
    assert sorted(together) == list(range(len(trainings)))
    for number, each in enumerate(trainings):
        alone = train(each, tmp_path / f"alone{number}")
        assert together[number].steps == alone.steps
        first, second = read_model(together[number].model), read_model(alone.model)
        assert first.config == second.config
        assert first.parameters.keys() == second.parameters.keys()
        for name, values in second.parameters.items():
            np.testing.assert_allclose(first.parameters[name], values, rtol=0, atol=2e-5)
        assert together[number].results == pytest.approx(alone.results)


def test_they_are_not_all_the_same(tmp_path: Path) -> None:
    """Seeds and learning rates make them differ."""
    together = models(THREE["other parameters"], tmp_path)
    weights = [read_model(each.model).parameters["action_net.weight"] for each in together.values()]
    assert np.abs(weights[0] - weights[1]).max() > 0.01
    assert np.abs(weights[1] - weights[2]).max() > 0.01
