"""run_experiment(): every cell of an experiment that is not finished yet."""

from __future__ import annotations

import platform as host
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from schedlab.errors import ParameterError
from schedlab.experiments.compute import Progress, compute
from schedlab.experiments.config import Experiment
from schedlab.experiments.digest import file_digest
from schedlab.experiments.engine import Engine, Task
from schedlab.experiments.engine_local import LocalEngine
from schedlab.experiments.grid import Cell, grid, select
from schedlab.experiments.model_policy import ModelPolicy
from schedlab.experiments.plan import PlannedCell, make_plan, recipes, untrained
from schedlab.experiments.published import read_published
from schedlab.experiments.report import write_report
from schedlab.experiments.run_folder import MODELS, RunFolder
from schedlab.experiments.sources import locate
from schedlab.experiments.table import all_metrics
from schedlab.metrics import find_metric
from schedlab.version import __version__


@dataclass(frozen=True)
class Run:
    """What became of a run.

    Args:
        folder: where it is kept.
        cells: that were asked for.
        finished: of them, now or before.
        computed: those tried now.
        trained: models that were trained now.
        failures: cells and trainings that failed, with the reason for each.
    """

    folder: Path
    cells: int
    finished: int
    computed: int
    trained: int
    failures: Mapping[str, str]


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
        engine: who computes; by default processes on this machine.
        only: a pattern; only the cells whose name contains it.
        models: train the models of the experiment too, and simulate with them.
        progress: called with (trainings and cells finished, and in all).
    """
    if models and not experiment.models:
        raise ParameterError(f"{experiment.path}: has no [[model]] to train")
    everything = grid(experiment)
    known = [each for each in everything if models or not isinstance(each.policy, ModelPolicy)]
    cells = select(known, only)
    workloads = {recipe.workload for recipe in recipes(cells)}
    in_order = [each for each in experiment.workloads if each in workloads]
    sources = locate(in_order, experiment.path.parent, None if data is None else Path(data))
    record = _record(experiment, everything, sources, models)
    folder = RunFolder(Path(out))
    digests = {name: each["sha256"] for name, each in record["sources"].items()}
    plan = make_plan(experiment, cells, digests, folder)
    record["cells"] = [{**each.cell.names, "key": each.task.key} for each in plan.cells]
    folder.create("workloads", MODELS)
    folder.write_record(record)
    waiting = plan.waiting()
    plan.write_workloads(waiting, sources)
    trainings = untrained(waiting)
    failures = _compute(waiting, trainings, engine or LocalEngine(), folder, progress)
    folder.write_record({**record, "failures": failures})
    write_report(folder.path)
    finished = sum(folder.kept(each.task.key) is not None for each in plan.cells)
    trained = sum(task.name not in failures for task in trainings)
    return Run(folder.path, len(cells), finished, len(waiting), trained, failures)


def _compute(
    waiting: Sequence[PlannedCell],
    trainings: Sequence[Task],
    engine: Engine,
    folder: RunFolder,
    progress: Progress | None,
) -> dict[str, str]:
    """Train, then simulate all but the cells whose training failed; the failures."""
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


def _record(
    experiment: Experiment, cells: Sequence[Cell], sources: Mapping[str, Path], models: bool
) -> dict[str, Any]:
    """Everything about the run but its cells."""
    about, published = experiment.about, experiment.published
    rows = [] if published is None else _published(experiment, published.file, cells)
    return {
        **asdict(about),
        "units": {name: find_metric(name).unit for name in about.metrics},
        "signed": [name for name in about.metrics if find_metric(name).signed],
        "jobs_limit": experiment.jobs_limit,
        "file": experiment.path.name,
        "configuration": experiment.text,
        "published": {"source": published.source if published else "", "rows": rows},
        "sources": {
            name: {"file": path.name, "sha256": file_digest(path)} for name, path in sources.items()
        },
        "models": {
            cell.policy.name: [cell.policy.family, cell.policy.trained_on.name]
            for cell in cells
            if isinstance(cell.policy, ModelPolicy)
        },
        "failures": {},
        "versions": _versions(models),
    }


def _versions(models: bool) -> dict[str, str]:
    versions = {"schedlab": __version__, "numpy": np.__version__, "python": host.python_version()}
    if models:
        from schedlab.experiments.tuning.training_task import library_versions  # needs Gymnasium

        versions |= library_versions()
    return versions


def _published(experiment: Experiment, file: str, cells: Sequence[Cell]) -> list[dict[str, Any]]:
    metrics = all_metrics(experiment.about.metrics, experiment.about.relative_to)
    path = experiment.path.parent / file
    return [asdict(row) for row in read_published(path, [cell.names for cell in cells], metrics)]
