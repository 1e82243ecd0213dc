"""The cells of an experiment: workloads × variants × platforms × policies × seeds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Protocol, TypeVar

from schedlab.errors import InputError, ParameterError
from schedlab.experiments.config import (
    Experiment,
    PlatformSection,
    PolicySection,
    WorkloadSection,
)
from schedlab.experiments.digest import key_of, outside_code
from schedlab.experiments.model_policy import ExperimentPolicy, ModelPolicy, model_policies
from schedlab.experiments.recipe import Recipe
from schedlab.experiments.simulation_task import SimulationTask
from schedlab.platform import Platform, read_platform

NAMES = ("workload", "variant", "platform", "policy", "seed")


class Named(Protocol):
    """A cell with a name for people."""

    @property
    def name(self) -> str:
        """All names of the cell in one."""
        ...


C = TypeVar("C", bound=Named)


@dataclass(frozen=True)
class Cell:
    """One simulation; without a platform it runs on the machine of the trace's header."""

    recipe: Recipe
    platform_name: str
    platform: Platform | None
    policy: PolicySection | ModelPolicy
    metrics: tuple[str, ...]

    @property
    def names(self) -> dict[str, str | int]:
        """The names of the cell in tables, by ``NAMES``."""
        recipe = self.recipe
        values = (recipe.workload.name, recipe.variant.name, self.platform_name, self.policy.name)
        return dict(zip(NAMES, (*values, recipe.seed), strict=True))

    @property
    def name(self) -> str:
        """All names of the cell in one."""
        return cell_name(self.names)

    def task(
        self, workload_key: str, workload: Path, policy: PolicySection | ExperimentPolicy
    ) -> SimulationTask:
        """Return the task for an engine, with a key of everything that determines the result."""
        key = key_of(
            workload=workload_key,
            platform=self.platform and self.platform.to_dict(),
            metrics=self.metrics,
            outside=outside_code(self.metrics),
            policy=policy.determined_by(),
        )
        return SimulationTask(
            key=key,
            name=self.name,
            workload=workload,
            platform=self.platform,
            metrics=self.metrics,
            seed=self.recipe.seed,
            **policy.rules(),
        )


def grid(experiment: Experiment, data: Path | None = None) -> list[Cell]:
    """Return every cell; where the seed makes no difference, only that of the first seed.

    Files of platforms are looked for in ``data``, then in the experiment's folder.
    """
    return [
        Cell(recipe, name, platform, policy, experiment.about.metrics)
        for workload in experiment.workloads
        for recipe in _recipes(experiment, workload)
        for name, platform in _platforms(experiment, workload, data)
        for policy in _policies(experiment, recipe)
    ]


def cell_name(names: Mapping[str, str | int]) -> str:
    """Return the names of a cell in one, such as ``lublin/original/64 nodes/easy/seed 1``."""
    *others, seed = names.values()
    return "/".join((*map(str, others), f"seed {seed}"))


def select(cells: Sequence[C], pattern: str | None) -> list[C]:
    """Return the cells whose name contains the pattern; * and ? mean what they do for files."""
    found = [cell for cell in cells if fnmatchcase(cell.name, f"*{pattern or ''}*")]
    if not found:
        raise ParameterError(f'no cell\'s name contains "{pattern}"; the first is {cells[0].name}')
    return found


def _recipes(experiment: Experiment, workload: WorkloadSection) -> Iterator[Recipe]:
    for variant in experiment.variants:
        for seed in experiment.about.seeds:
            yield Recipe(workload, variant, seed, experiment.jobs_limit)


def _policies(experiment: Experiment, recipe: Recipe) -> Iterator[PolicySection | ModelPolicy]:
    """Yield the policies for which this seed makes a difference; for the first seed, all.

    A seed always makes a difference to models, which are trained with it.
    """
    every = recipe.seeded or recipe.seed == experiment.about.seeds[0]
    yield from (policy for policy in experiment.policies if every or policy.drawn)
    for each in model_policies(experiment, recipe.seed):
        if each.trained_on == recipe or each.model.is_tested_on(recipe.name):
            yield each


def _platforms(
    experiment: Experiment, workload: WorkloadSection, data: Path | None
) -> list[tuple[str, Platform | None]]:
    if workload.nodes is not None:
        return [(f"{workload.nodes} nodes", Platform.homogeneous(workload.nodes))]
    if not experiment.platforms:
        return [("as in header", None)]
    folders = [each for each in (data, experiment.path.parent) if each is not None]
    return [(each.name, _platform(each, folders)) for each in experiment.platforms]


def _platform(section: PlatformSection, folders: Sequence[Path]) -> Platform:
    if section.nodes is not None:
        return Platform.homogeneous(section.nodes)
    places = [folder / str(section.file) for folder in folders]
    path = next((each for each in places if each.is_file()), None)
    if path is None:
        raise InputError(
            f'platform "{section.name}" needs {section.file}; give with --data the folder that '
            "holds it"
        )
    found = read_platform(path)
    chosen = found if section.cluster is None else found.only(section.cluster)
    return chosen.of_cores() if section.cores else chosen
