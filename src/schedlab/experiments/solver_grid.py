"""The cells of an experiment on co-allocation: kinds × numbers of jobs × seeds × solvers."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from schedlab.experiments.coallocation.instance import InstanceRecipe
from schedlab.experiments.coallocation.section import SolverSection
from schedlab.experiments.coallocation.task import SolverTask
from schedlab.experiments.config import Experiment
from schedlab.experiments.digest import key_of, outside_code
from schedlab.experiments.grid import cell_name


@dataclass(frozen=True)
class SolverCell:
    """One solver on one problem.

    Tables use the names that simulations have: the kind of problem as the workload, the
    number of jobs as the variant, resources and slots as the platform, the solver as the policy.
    """

    names: dict[str, str | int]
    task: SolverTask

    @property
    def name(self) -> str:
        """All names of the cell in one."""
        return self.task.name


def solver_cells(experiment: Experiment) -> list[SolverCell]:
    """Return every cell, the solvers of a problem one after the other."""
    section = experiment.coalloc
    assert section is not None
    return [
        _cell(experiment, kind, jobs, seed, solver)
        for kind in section.kinds
        for jobs in section.jobs
        for seed in experiment.about.seeds
        for solver in experiment.solvers
    ]


def _cell(
    experiment: Experiment, kind: str, jobs: int, seed: int, solver: SolverSection
) -> SolverCell:
    section = experiment.coalloc
    assert section is not None
    names: dict[str, str | int] = {
        "workload": kind,
        "variant": f"{jobs} jobs",
        "platform": f"{section.resources} resources, {section.slots} slots",
        "policy": solver.name,
        "seed": seed,
    }
    limits = section.limits(seed)
    recipe = InstanceRecipe(
        kind,
        min(jobs, experiment.jobs_limit or jobs),
        section.resources,
        section.slots,
        section.objective,
        seed,
        limits.time_s,
    )
    key = key_of(
        recipe=asdict(recipe),
        solver=solver.solver,
        limits=asdict(limits),
        metrics=experiment.about.metrics,
        outside=outside_code([solver.solver]),
    )
    task = SolverTask(
        key=key,
        name=cell_name(names),
        recipe=recipe,
        solver=solver.solver,
        limits=limits,
        metrics=experiment.about.metrics,
    )
    return SolverCell(names, task)
