"""What a run computes: a simulation per cell, and before it the training of a model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from schedlab.experiments.config import Experiment
from schedlab.experiments.grid import Cell
from schedlab.experiments.model_policy import ModelPolicy
from schedlab.experiments.recipe import Recipe
from schedlab.experiments.run_folder import RunFolder
from schedlab.experiments.simulation_task import SimulationTask
from schedlab.workload import write_workload

if TYPE_CHECKING:
    from schedlab.experiments.model_training import ModelTrainings
    from schedlab.experiments.tuning.training_task import TrainingTask


@dataclass(frozen=True)
class PlannedCell:
    """A cell with its task and, if its policy is a model, the training that comes before."""

    cell: Cell
    task: SimulationTask
    training: TrainingTask | None = None

    def record(self) -> dict[str, str | int | None]:
        """Return its names and keys."""
        keys = {"key": self.task.key, "training": self.training.key if self.training else None}
        return {**self.cell.names, **keys}


@dataclass(frozen=True)
class RunPlan:
    """The cells of a run, and the keys of the jobs that they need."""

    cells: Sequence[PlannedCell]
    keys: Mapping[Recipe, str]
    folder: RunFolder

    def waiting(self) -> list[PlannedCell]:
        """Return the cells that are not finished yet; only one of those with the same key."""
        left = (each for each in self.cells if self.folder.kept(each.task.key) is None)
        return list({each.task.key: each for each in left}.values())

    def write_workloads(self, cells: Iterable[PlannedCell], sources: Mapping[str, Path]) -> None:
        """Write the jobs that these cells and their trainings read, each once."""
        for recipe in recipes(each.cell for each in cells):
            path = self.folder.workload(self.keys[recipe])
            if not path.exists():
                write_workload(recipe.make(sources.get(recipe.workload.name)), path)


def untrained(cells: Iterable[PlannedCell]) -> list[TrainingTask]:
    """Return the trainings that the cells need and that are not finished, each once.

    Those with the most steps come first, so that no long one is left to one worker at the end.
    """
    needed = {each.training.key: each.training for each in cells if each.training is not None}
    left = (task for task in needed.values() if not task.model.exists())
    return sorted(left, key=lambda task: task.config.train.steps, reverse=True)


def recipes(cells: Iterable[Cell]) -> list[Recipe]:
    """Return the jobs that the cells are run on and their models are trained on."""
    found: dict[Recipe, None] = {}
    for cell in cells:
        found[cell.recipe] = None
        if isinstance(cell.policy, ModelPolicy) and cell.policy.trained_on is not None:
            found[cell.policy.trained_on] = None
    return list(found)


def make_plan(
    experiment: Experiment, cells: Sequence[Cell], digests: Mapping[str, str], folder: RunFolder
) -> RunPlan:
    """Return the tasks of the cells; the digests are those of the files of their workloads."""
    keys = {each: each.key(digests.get(each.workload.name)) for each in recipes(cells)}
    trainings = _trainings(experiment, cells, keys, folder)
    planned = [_planned(cell, keys[cell.recipe], folder, trainings) for cell in cells]
    return RunPlan(planned, keys, folder)


def _trainings(
    experiment: Experiment, cells: Sequence[Cell], keys: Mapping[Recipe, str], folder: RunFolder
) -> ModelTrainings | None:
    """Return the trainings; None if nothing is trained, as then their libraries may be missing."""
    if not any(isinstance(cell.policy, ModelPolicy) for cell in cells):
        return None
    from schedlab.experiments.model_training import ModelTrainings, training_configs

    configs = training_configs(experiment, cells)
    return ModelTrainings(configs, keys, folder, experiment.steps_limit)


def _planned(
    cell: Cell, key: str, folder: RunFolder, trainings: ModelTrainings | None
) -> PlannedCell:
    workload = folder.workload(key)
    if isinstance(cell.policy, ModelPolicy):
        assert trainings is not None
        task = cell.task(key, workload, trainings.trained(cell.policy))
        return PlannedCell(cell, task, trainings.task(cell.policy))
    return PlannedCell(cell, cell.task(key, workload, cell.policy))
