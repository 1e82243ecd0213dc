"""Trained models as policies of the grid."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from schedlab.experiments.config import Experiment
from schedlab.experiments.digest import outside_code
from schedlab.experiments.model_section import ModelSection
from schedlab.experiments.recipe import Recipe
from schedlab.experiments.simulation_task import SampledRuns


@dataclass(frozen=True)
class ModelPolicy:
    """A model trained on the jobs of one recipe, which decides greedily or draws its actions.

    Without a recipe it is trained on the episodes of its training file.
    """

    model: ModelSection
    seed: int
    trained_on: Recipe | None = None
    sampled: bool = False

    @property
    def name(self) -> str:
        """Its name in tables."""
        where = f" from {self.trained_on.name}" if self.trained_on else ""
        return f"{self.model.name}{where}{' (sampled)' if self.sampled else ''}"

    @property
    def family(self) -> str:
        """The name that it shares with the same model trained on other jobs."""
        return f"{self.model.name}{', sampled' if self.sampled else ''}: trained on"


@dataclass(frozen=True, kw_only=True)
class ExperimentPolicy:
    """A model policy with the file of its model, as a simulation needs it.

    Args:
        training_key: the key of the training; known before there is a file, unlike its digest.
        file: the model, once it is trained.
        predict: the predictor of run times; none on the grid of ``schedlab/Gantt-v0``.
        tick: as for every policy.
        kill_at_request: as for every policy.
        runs: 0 for greedy decisions, else the number of sampled runs.
    """

    training_key: str
    file: Path
    predict: str | None
    tick: int
    kill_at_request: bool
    runs: int

    def rules(self) -> dict[str, Any]:
        """Return the arguments of a ``SimulationTask``."""
        policy = f"learned:{self.file}:predict={self.predict}"
        if self.predict is None:
            policy = f"gantt:{self.file}"
        runs = SampledRuns(model=self.file, predict=self.predict, runs=self.runs)
        return {"policy": policy, "sampled": runs if self.runs else None, **self._rules()}

    def determined_by(self) -> dict[str, Any]:
        """Return the values that determine results; the place of the file is not one of them."""
        return {
            "training": self.training_key,
            "predict": self.predict,
            "code": outside_code([self.predict or ""]),
            "runs": self.runs,
            **self._rules(),
        }

    def _rules(self) -> dict[str, Any]:
        return {"tick": self.tick, "depth": None, "kill_at_request": self.kill_at_request}


def model_policies(experiment: Experiment, seed: int) -> Iterator[ModelPolicy]:
    """Yield each model on everything that it is trained on, with the jobs that the seed gives."""
    for model in experiment.models:
        if seed not in experiment.about.seeds[: model.seeds]:
            continue
        for recipe in _trained_on(experiment, model, seed):
            yield ModelPolicy(model, seed, recipe)
            if model.sampled:
                yield ModelPolicy(model, seed, recipe, sampled=True)


def _trained_on(experiment: Experiment, model: ModelSection, seed: int) -> Iterator[Recipe | None]:
    if not model.on:
        yield None
    for workload in experiment.workloads:
        for variant in experiment.variants:
            recipe = Recipe(workload, variant, seed, experiment.jobs_limit)
            if model.is_trained_on(recipe.name):
                yield recipe
