"""Small trainings that take a moment, and networks that are not trained."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

if TYPE_CHECKING:
    from schedlab import Workload
    from schedlab.rl.training_config import TrainingConfig

# GPU kernels; without Triton there is nothing to test.
collect_ignore_glob = [] if find_spec("triton") else ["test_fused_*.py"]

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
        "reward_scale": 0.01,
    },
    "ppo": {"n_steps": 16, "batch_size": 24, "n_epochs": 2},
    "evaluation": {"episodes": 2},
}


@pytest.fixture
def one_thread() -> Iterator[None]:
    """Limit torch to one thread: small networks are faster without threads."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="session")
def small_training() -> Callable[..., TrainingConfig]:
    """A function that makes a short training; its arguments go into the sections."""
    from schedlab.rl.training_config import training_config

    def make(**changes: Mapping[str, Any]) -> TrainingConfig:
        sections = {
            name: {**SMALL.get(name, {}), **changes.get(name, {})} for name in {**SMALL, **changes}
        }
        if "ppo" not in sections["train"]["algorithm"]:
            del sections["ppo"]
        return training_config(sections)

    return make


@pytest.fixture
def drawn(small_training: Callable[..., TrainingConfig], tmp_path: Path) -> Callable[..., Path]:
    """A function that writes model files of random networks: odd choices, but decided ones."""
    from schedlab.rl.model_file import write_model
    from schedlab.rl.train import Training

    def make(seed: int = 0, **changes: Mapping[str, Any]) -> Path:
        own = changes.get("environment", {})
        rules = {"nodes": 16, "max_steps": 3000, "doubling": False, **own}
        train = {"seed": seed, **changes.get("train", {})}
        training = Training(small_training(environment=rules, train=train), tmp_path, None)
        path, random, model = (
            tmp_path / f"{seed}.zip",
            np.random.default_rng(seed),
            training.model(),
        )
        parameters = {
            name: random.normal(size=each.shape).astype(np.float32)
            for name, each in model.parameters.items()
        }
        write_model(path, replace(model, parameters=parameters))
        return path

    return make


@pytest.fixture
def scheduled_starts() -> Callable[[Path, Workload], list[int]]:
    """A function that returns the starts by a model file, under its own rules.

    A job may wait for ever, as in an episode.
    """
    from schedlab.policies import find_policy
    from schedlab.rl.model_file import read_model
    from schedlab.sim.native import build_simulator

    def starts(path: Path, workload: Workload) -> list[int]:
        settings = read_model(path.with_suffix(".zip")).settings
        policy = find_policy(f"learned:{path}", predict=settings.estimate)
        simulator = build_simulator(
            workload,
            settings.nodes,
            tick=settings.sim_step_s,
            kill_at_request=True,
            predictor=policy.predictor.make(workload),
        )
        simulator.use(policy.core)
        while simulator.run(policy.core, 1000):
            pass
        found: list[int] = simulator.start_times().tolist()
        return found

    return starts


@pytest.fixture
def interrupt() -> Callable[[TrainingConfig, Path, int], None]:
    """A function that starts a training and interrupts it after ``steps``, amid a rollout."""
    from schedlab.rl.train import Training

    def press(config: TrainingConfig, folder: Path, steps: int) -> None:
        folder.mkdir(exist_ok=True)
        training = Training(config, folder, None)
        advance = training.env.advance

        def interrupted(actions: Any) -> Any:
            if training.trainer.num_timesteps >= steps:
                raise KeyboardInterrupt
            return advance(actions)

        training.env.advance = interrupted  # type: ignore[method-assign]
        with pytest.raises(KeyboardInterrupt):
            training.run()

    return press
