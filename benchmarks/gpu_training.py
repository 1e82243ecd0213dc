"""The paper's training run on one device: ``python -m benchmarks.gpu_training --device cuda``.

4,000,000 steps of Proposal NN1 on the first 1,000 jobs of a WL1 workload; prints steps per second
and where the time goes.
"""

from __future__ import annotations

import argparse
import json
import os
import time

import torch

from schedlab.rl.episodes import FixedEpisode
from schedlab.rl.lean_ppo import LeanPpo, PpoSettings, Progress
from schedlab.rl.settings import QueueSettings
from schedlab.workload import apply, generate


def main() -> None:
    """Train and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--steps", type=int, default=4_000_000)
    parser.add_argument("--envs", type=int, default=4096)
    parser.add_argument("--n-steps", type=int, default=64)
    parser.add_argument("--batch-size", type=int, default=16_384)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--learning-rate", type=float, default=3e-4)
    parser.add_argument("--gamma", type=float, default=0.99)
    parser.add_argument("--fp32", action="store_true", help="without bf16")
    parser.add_argument("--quiet", action="store_true")
    given = parser.parse_args()
    began = time.perf_counter()
    jobs = apply(generate("wl1", 2000, seed=1), ["head=1000"])
    settings = PpoSettings(
        envs=given.envs,
        n_steps=given.n_steps,
        batch_size=given.batch_size,
        n_epochs=given.epochs,
        learning_rate=given.learning_rate,
        gamma=given.gamma,
        bf16=not given.fp32,
    )
    trainer = LeanPpo(QueueSettings(), FixedEpisode(jobs), settings, device=given.device, seed=1)
    ready = time.perf_counter()
    trainer.learn(given.steps, None if given.quiet else show)
    total = time.perf_counter() - began
    progress = trainer.progress
    found = {
        "device": torch.cuda.get_device_name() if given.device == "cuda" else "cpu",
        "threads": len(os.sched_getaffinity(0)),
        **vars(given),
        "total_s": round(total, 2),
        "start_up_s": round(ready - began, 2),
        "steps_per_s": round(progress.steps / progress.seconds),
        "environments_s": round(progress.env_seconds, 2),
        "update_s": round(progress.update_seconds, 2),
        "rest_s": round(progress.seconds - progress.env_seconds - progress.update_seconds, 2),
        "episodes": len(progress.episodes),
        "utilisation": _mean(progress, "utilisation"),
        "return": _mean(progress, "return"),
    }
    print(json.dumps(found))


def show(progress: Progress) -> None:
    """One line per rollout."""
    print(
        f"{progress.steps:>9,} steps {progress.seconds:6.1f} s "
        f"return {_mean(progress, 'return'):.3f} utilisation {_mean(progress, 'utilisation'):.3f}",
        flush=True,
    )


def _mean(progress: Progress, name: str) -> float:
    last = [episode[name] for episode in progress.episodes[-100:]]
    return round(sum(last) / len(last), 3) if last else float("nan")


if __name__ == "__main__":
    main()
