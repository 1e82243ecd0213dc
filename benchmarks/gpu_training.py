"""The paper's training run on one device: ``python -m benchmarks.gpu_training``.

4,000,000 steps of Proposal NN1 on the first 1,000 jobs of a WL1 workload; prints steps per second
and where the time goes.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch

from schedlab.processors import usable_processors
from schedlab.rl.algorithm_sections import PpoSection
from schedlab.rl.train import Training
from schedlab.rl.training_config import read_training

EXAMPLE = Path(__file__).parents[1] / "examples/train/paper-proposal-nn1-gpu.toml"


def main() -> None:
    """Train and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--precision", default="bf16")
    parser.add_argument("--steps", type=int)
    parser.add_argument("--envs", type=int)
    parser.add_argument("--n-steps", type=int)
    parser.add_argument("--batch-size", type=int)
    parser.add_argument("--learning-rate", type=float)
    parser.add_argument("--gamma", type=float)
    given = {key: value for key, value in vars(parser.parse_args()).items() if value is not None}
    with TemporaryDirectory() as folder:
        print(json.dumps(measure(Path(folder), **given)))


def measure(folder: Path, **changes: Any) -> dict[str, Any]:
    """Measure the paper's training with these changes in ``[train]`` and ``[ppo]``."""
    began = time.perf_counter()
    own = {each.name for each in fields(PpoSection)}
    config = read_training(EXAMPLE)
    config = config.with_parameters(**{key: changes[key] for key in changes if key in own})
    config = config.with_train(**{key: changes[key] for key in changes if key not in own})
    training = Training(config, folder, None)
    timer = Timer()
    env, trainer = timer.time(training.env, "advance"), training.trainer
    timer.time(trainer, "collect_rollouts")
    timer.time(trainer, "train", then=_wait)
    ready = time.perf_counter()
    trained = training.run()
    ended = time.perf_counter()
    spent = timer.spent
    rollouts, updates = spent["collect_rollouts"], spent["train"]
    train = config.train
    on_gpu = trainer.device.type == "cuda"
    return {
        "device": torch.cuda.get_device_name() if on_gpu else "cpu",
        "threads": usable_processors(),
        "envs": env.num_envs,
        "T": config.ppo.n_steps,
        "M": config.ppo.batch_size,
        "precision": train.precision,
        "steps": trained.steps,
        "total_s": round(ended - began, 2),
        "start_up_s": round(ready - began, 2),
        "environments_s": round(spent["advance"], 2),
        "actions_s": round(rollouts - spent["advance"], 2),
        "updates_s": round(updates, 2),
        "rest_s": round(ended - ready - rollouts - updates, 2),
        "steps_per_s": round(trained.steps / (rollouts + updates)),
        "utilisation": round(trained.results["utilisation"], 3),
        "return": round(trained.results["return"], 3),
    }


def _wait() -> None:
    if torch.cuda.is_available():
        torch.cuda.synchronize()


class Timer:
    """Adds up how long methods take."""

    def __init__(self) -> None:
        self.spent: dict[str, float] = {}

    def time(self, owner: Any, name: str, then: Callable[[], None] | None = None) -> Any:
        """Time the owner's method."""
        method = getattr(owner, name)
        self.spent.setdefault(name, 0.0)

        def timed(*arguments: Any, **settings: Any) -> Any:
            began = time.perf_counter()
            result = method(*arguments, **settings)
            if then is not None:
                then()
            self.spent[name] += time.perf_counter() - began
            return result

        setattr(owner, name, timed)
        return owner


if __name__ == "__main__":
    main()
