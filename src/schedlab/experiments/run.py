"""Run an experiment: compute every cell that is not finished yet."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from schedlab.errors import ParameterError
from schedlab.experiments.compute import Progress, compute
from schedlab.experiments.config import Experiment
from schedlab.experiments.digest import file_digest
from schedlab.experiments.engine import Engine, Task
from schedlab.experiments.engine_local import LocalEngine
from schedlab.experiments.grid import Cell, grid, select
from schedlab.experiments.model_policy import ModelPolicy
from schedlab.experiments.plan import PlannedCell, make_plan, recipes, untrained
from schedlab.experiments.record import Run, make_record
from schedlab.experiments.report import write_report
from schedlab.experiments.run_folder import MODELS, RunFolder
from schedlab.experiments.solver_run import run_solvers
from schedlab.experiments.sources import locate


def run_experiment(
    experiment: Experiment,
    out: str | Path,
    *,
    data: str | Path | None = None,
    engine: Engine | None = None,
    only: str | None = None,
    models: bool = False,
    progress: Progress | None = None,
) -> Run:
    """Compute the cells that are not finished yet, and write the tables and the report.

    Args:
        experiment: from ``read_experiment``, or its ``reduced()``.
        out: the folder of the run; what is finished there is not computed again.
        data: a folder with the traces.
        engine: computes the cells. Default: processes on this machine.
        only: a pattern; only the cells whose name contains it.
        models: train the models of the experiment too, and simulate with them.
        progress: called with the number of trainings and cells that are finished, and of all.
    """
    if models and not experiment.models:
        raise ParameterError(f"{experiment.path}: has no [[model]] to train")
    folder, computing = RunFolder(Path(out)), engine or LocalEngine()
    if experiment.coalloc is not None:
        return run_solvers(experiment, folder, computing, only, progress)
    everything = grid(experiment, None if data is None else Path(data))
    cells = select([each for each in everything if _is_run(each, experiment, models)], only)
    sources = _locate(experiment, cells, data)
    record = make_record(
        experiment,
        [cell.names for cell in everything],
        sources={name: _source(path) for name, path in sources.items()},
        models=_models(everything),
        versions=_versions(models),
    )
    digests = {name: each["sha256"] for name, each in record["sources"].items()}
    plan = make_plan(experiment, cells, digests, folder)
    record["cells"] = [each.record() for each in plan.cells]
    folder.create("workloads", MODELS)
    folder.write_record(record)
    waiting = plan.waiting()
    plan.write_workloads(waiting, sources)
    trainings = untrained(waiting)
    failures = _compute(waiting, trainings, computing, folder, progress)
    folder.write_record({**record, "failures": failures})
    write_report(folder.path)
    finished = sum(folder.kept(each.task.key) is not None for each in plan.cells)
    trained = sum(task.name not in failures for task in trainings)
    return Run(folder.path, len(cells), finished, len(waiting), trained, failures)


def _locate(
    experiment: Experiment, cells: Sequence[Cell], data: str | Path | None
) -> dict[str, Path]:
    """Return the traces of the workloads that the cells need, by the workloads' names."""
    needed = {recipe.workload for recipe in recipes(cells)}
    in_order = [each for each in experiment.workloads if each in needed]
    return locate(in_order, experiment.path.parent, None if data is None else Path(data))


def _is_run(cell: Cell, experiment: Experiment, models: bool) -> bool:
    """Return whether to run the cell: models only on request, and in a quick run only some."""
    if not isinstance(cell.policy, ModelPolicy):
        return True
    return models and any(fnmatchcase(cell.policy.name, each) for each in experiment.models_limit)


def _compute(
    waiting: Sequence[PlannedCell],
    trainings: Sequence[Task],
    engine: Engine,
    folder: RunFolder,
    progress: Progress | None,
) -> dict[str, str]:
    """Train, then simulate all cells but those whose training failed; return the failures."""
    total = len(trainings) + len(waiting)

    def report(done: int, _: int) -> None:
        if progress is not None:
            progress(done, total)

    failures = compute(trainings, engine, folder, report)
    ready = [
        each.task for each in waiting if not (each.training and each.training.name in failures)
    ]
    lost = total - len(ready)
    return failures | compute(ready, engine, folder, lambda done, _: report(lost + done, total))


def _source(path: Path) -> dict[str, str]:
    return {"file": path.name, "sha256": file_digest(path)}


def _models(cells: Sequence[Cell]) -> dict[str, list[str]]:
    """Return, for each policy that is a model, its family and what it was trained on."""
    return {
        cell.policy.name: [cell.policy.family, cell.policy.trained_on.name]
        for cell in cells
        if isinstance(cell.policy, ModelPolicy) and cell.policy.trained_on is not None
    }


def _versions(models: bool) -> dict[str, str]:
    if not models:
        return {}
    from schedlab.experiments.tuning.training_task import library_versions  # needs Gymnasium

    return library_versions()
