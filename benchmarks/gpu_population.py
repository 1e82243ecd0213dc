"""The paper's tuning grid on one GPU, side by side: ``python -m benchmarks.gpu_population``.

360 trainings of Proposal NN1, or of a part of their steps; prints the steps per second of all
together and where the time goes. With ``--out`` the figures are added to a file. With ``--folder``
the search is kept there, as ``schedlab learn tune`` keeps it: a part of the grid, by
``--batch-sizes``, that was trained before is not trained again.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch

from benchmarks.gpu_training import Timer
from schedlab.experiments.tuning import Tuned, Tuning, read_tuning, tune
from schedlab.experiments.tuning.space import Space
from schedlab.processors import usable_processors
from schedlab.rl.stacked import training as stacked
from schedlab.rl.stacked.evaluation import Evaluation
from schedlab.rl.stacked.population import Population

GRID = Path(__file__).parents[1] / "examples/tune/paper-grid.toml"
STEPS = "steps in all"


def main() -> None:
    """Train and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=4_000_000, help="of each training")
    parser.add_argument("--runs", type=int, default=5, help="of each setting")
    parser.add_argument("--batch-sizes", type=int, nargs="+", help="of the grid; all by default")
    parser.add_argument("--folder", type=Path, help="of the search; one that goes by default")
    parser.add_argument("--parts", type=int, default=stacked.PARTS)
    parser.add_argument("--learn-only", action="store_true", help="without the evaluations")
    parser.add_argument("--out", type=Path, help="add the figures to this file")
    parser.add_argument("--marks", type=Path, help="write how far it is to this file, meanwhile")
    given = parser.parse_args()
    stacked.PARTS = given.parts
    if given.learn_only:
        setattr(Evaluation, "run", _nothing)  # noqa: B010
    with TemporaryDirectory() as passing:
        tuning = grid(given.steps, given.runs, given.batch_sizes)
        found = measure(tuning, given.folder or Path(passing), given.marks)
    print(json.dumps(found))
    if given.out is not None:
        with given.out.open("a", encoding="utf-8") as file:
            file.write(json.dumps(found) + "\n")


def grid(steps: int, runs: int, batch_sizes: list[int] | None) -> Tuning:
    """Return the grid with trainings of this many steps, or its settings with these minibatches."""
    read = read_tuning(GRID, runs=runs)
    space = Space(
        tuple(
            replace(each, domain=tuple(batch_sizes))
            if each.key == "batch_size" and batch_sizes
            else each
            for each in read.space.parameters
        )
    )
    return replace(read, space=space, training=read.training.with_train(steps=steps))


def measure(tuning: Tuning, folder: Path, to: Path | None) -> dict[str, Any]:
    """Search the grid, and return the figures."""
    began = time.perf_counter()
    timer, marks = Timer(), Marks(began, to)
    _time_populations(timer)
    tuned = tune(tuning, folder, progress=marks)
    ended = time.perf_counter()
    (start, first), (learnt, last) = marks.kept[0], marks.kept[-1]
    on_gpu = torch.cuda.is_available()
    return {
        "device": torch.cuda.get_device_name() if on_gpu else "cpu",
        "processors": usable_processors(),
        "torch": torch.__version__,
        "trainings": tuned.computed,
        "failures": len(tuned.failures),
        "settings": len(tuned.trials),
        "steps_each": tuning.training.train.steps,
        "parts": stacked.PARTS,
        "steps_done": last,
        "total_s": round(ended - began, 1),
        "until_first_mark_s": round(start, 1),
        "until_learnt_s": round(learnt, 1),
        "steps_per_s": round((last - first) / max(learnt - start, 1e-9)),
        "of_all_parts_s": {name: round(spent, 1) for name, spent in timer.spent.items()},
        "most_memory_gib": round(torch.cuda.max_memory_allocated() / 2**30, 1) if on_gpu else 0,
        "best": _best(tuned),
    }


class Marks:
    """How many steps were done at which time."""

    def __init__(self, began: float, to: Path | None) -> None:
        self.kept: list[tuple[float, int]] = []
        self._began, self._to = began, to

    def __call__(self, done: int, total: int, note: str) -> None:
        """Keep a note that gives a number of steps."""
        if note.endswith(STEPS):
            self.kept.append((time.perf_counter() - self._began, _number(note)))
            if self._to is not None and len(self.kept) % 100 == 0:
                self._to.write_text(json.dumps(self.kept[:: max(1, len(self.kept) // 200)]))


def _number(note: str) -> int:
    return int(note.removesuffix(STEPS).replace(",", ""))


def _best(tuned: Tuned) -> list[dict[str, Any]]:
    """Return the first settings of the ranking."""
    return [
        {**trial.setting, "mean": trial.mean, "spread": trial.spread}
        for trial in tuned.trials[:5]
        if trial.ranked
    ]


def _time_populations(timer: Timer) -> None:
    """Time what every population does; its thread waits for the GPU."""

    def timed(*arguments: Any, **keywords: Any) -> Any:
        population = Population(*arguments, **keywords)
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
