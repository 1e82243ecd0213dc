"""Trainings side by side on one GPU: ``python -m benchmarks.gpu_population``.

The paper's tuning grid (360 trainings of Proposal NN1), or every so many of its settings and a part
of its steps; prints steps per second of all together and where the time goes.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch

from benchmarks.gpu_training import Timer
from schedlab.experiments.tuning import read_tuning
from schedlab.experiments.tuning.grid_search import possible_settings
from schedlab.experiments.tuning.side_by_side import on_the_gpu
from schedlab.rl.stacked import training as stacked
from schedlab.rl.stacked.evaluation import Evaluation
from schedlab.rl.stacked.population import Population

GRID = Path(__file__).parents[1] / "examples/tune/paper-grid.toml"


def main() -> None:
    """Train and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=4_000_000)
    parser.add_argument("--every", type=int, default=1, help="take every so many of the settings")
    parser.add_argument("--first", type=int, default=0, help="the first setting taken")
    parser.add_argument("--parts", type=int, default=stacked.PARTS)
    parser.add_argument("--learn-only", action="store_true", help="without the evaluations")
    parser.add_argument("--out", type=Path, help="append the figures to this file")
    given = parser.parse_args()
    stacked.PARTS = given.parts
    if given.learn_only:
        setattr(Evaluation, "run", _nothing)  # noqa: B010
    with TemporaryDirectory() as folder:
        found = measure(Path(folder), given.steps, given.first, given.every)
    print(json.dumps(found))
    if given.out is not None:
        with given.out.open("a", encoding="utf-8") as file:
            file.write(json.dumps(found) + "\n")


def measure(folder: Path, steps: int, first: int, every: int) -> dict[str, Any]:
    """Train these settings of the grid with all their seeds."""
    began = time.perf_counter()
    read = read_tuning(GRID)
    tuning = on_the_gpu(read) or read
    settings = possible_settings(tuning)[first::every]
    jobs = [
        (tuning.config(setting).with_train(seed=seed, steps=steps), folder / f"{number}-{seed}")
        for number, setting in enumerate(settings)
        for seed in tuning.about.seeds
    ]
    marks: list[tuple[float, int]] = []
    timer = Timer()
    _time_populations(timer)
    results = dict(stacked.train_many(jobs, lambda done: marks.append((time.perf_counter(), done))))
    ended = time.perf_counter()
    learnt = sum(each.steps for each in results.values())
    (start, done_at_first), (end, done_at_last) = marks[0], marks[-1]
    on_gpu = torch.cuda.is_available()
    return {
        "device": torch.cuda.get_device_name() if on_gpu else "cpu",
        "processors": len(os.sched_getaffinity(0)),
        "torch": torch.__version__,
        "trainings": len(jobs),
        "settings": f"{first}::{every}",
        "parts": stacked.PARTS,
        "steps_each": steps,
        "steps_learnt": learnt,
        "total_s": round(ended - began, 1),
        "until_first_mark_s": round(start - began, 1),
        "until_learnt_s": round(end - began, 1),
        "after_learning_s": round(ended - end, 1),
        "steps_per_s": round((done_at_last - done_at_first) / max(end - start, 1e-9)),
        "of_all_parts_s": {name: round(spent, 1) for name, spent in timer.spent.items()},
        "most_memory_gib": round(torch.cuda.max_memory_allocated() / 2**30, 1) if on_gpu else 0,
        "utilisation": [
            round(each.results["utilisation"], 3) for _, each in sorted(results.items())
        ],
    }


def _time_populations(timer: Timer) -> None:
    """Time what every population does, where its thread waits for it."""
    made = Population

    def timed(*arguments: Any, **keywords: Any) -> Any:
        population = made(*arguments, **keywords)
        timer.time(population, "_learn", then=_wait)
        timer.time(population.batch, "step")
        return population

    setattr(stacked, "Population", timed)  # noqa: B010


def _nothing(evaluation: Evaluation) -> list[dict[str, float]]:
    return [{"return": 0.0, "utilisation": 0.0}] * evaluation.networks


def _wait() -> None:
    if torch.cuda.is_available():
        torch.cuda.current_stream().synchronize()


if __name__ == "__main__":
    main()
