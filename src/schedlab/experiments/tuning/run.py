"""Search for the best parameters of a training."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from schedlab.errors import MissingExtraError
from schedlab.experiments.engine import Engine
from schedlab.experiments.engine_local import LocalEngine
from schedlab.experiments.run_folder import RunFolder
from schedlab.experiments.tuning.best import write_best
from schedlab.experiments.tuning.config import Tuning
from schedlab.experiments.tuning.grid_search import grid_search
from schedlab.experiments.tuning.ranking import write_ranking
from schedlab.experiments.tuning.side_by_side import SideBySide, on_the_gpu
from schedlab.experiments.tuning.trainings import TRAININGS, Progress, Trainings
from schedlab.experiments.tuning.trial import SearchResult, Trial, in_order


@dataclass(frozen=True)
class Tuned:
    """The result of a search.

    Args:
        folder: the folder with the ranking, the best training file and its model.
        trials: all trials, the best first.
        left_out: settings that cannot be trained, with the reason for each.
        computed: number of trainings done now, not found finished.
        failures: trainings that failed, with the reason for each.
    """

    folder: Path
    trials: tuple[Trial, ...]
    left_out: Mapping[str, str]
    computed: int
    failures: Mapping[str, str]


Search = Callable[[Tuning, Trainings], SearchResult]


def tune(
    tuning: Tuning,
    out: str | Path,
    *,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> Tuned:
    """Train the settings that the search asks for, rank them, and keep the best.

    Args:
        tuning: from ``read_tuning``.
        out: the folder; trainings finished there are not done again, and those interrupted go on.
        engine: runs the trainings. Default: this process, with all settings side by side, if there
            is a GPU and the settings allow that; else processes on this machine.
        progress: called as trainings finish.
    """
    if engine is None and (moved := on_the_gpu(tuning)) is not None:
        tuning, engine = moved, SideBySide()
    tuning.training.open_episodes()  # unreadable jobs are an error before anything runs
    search = _search(tuning)
    folder = RunFolder(Path(out).resolve())
    folder.create(TRAININGS)
    trainings = Trainings(tuning, folder, engine or LocalEngine(), progress)
    if isinstance(engine, SideBySide):
        engine.tell_steps = trainings.tell_steps
    found = search(tuning, trainings)
    trials = in_order(found.trials, tuning.about.larger_is_better)
    write_ranking(tuning, trials, found.left_out, folder.path)
    write_best(tuning, trials[0], folder.path)
    return Tuned(Path(out), tuple(trials), found.left_out, trainings.computed, trainings.failures)


def _search(tuning: Tuning) -> Search:
    if tuning.about.trials is None:
        return grid_search
    try:
        from schedlab.experiments.tuning.optuna_search import optuna_search
    except ModuleNotFoundError:
        raise MissingExtraError("Optuna", "rl") from None
    return optuna_search
