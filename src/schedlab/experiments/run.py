"""run_experiment(): every cell of an experiment that is not finished yet."""

from __future__ import annotations

import platform as host
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from schedlab.experiments.compute import Progress, compute, missing
from schedlab.experiments.config import Experiment
from schedlab.experiments.digest import file_digest
from schedlab.experiments.engine import Engine
from schedlab.experiments.engine_local import LocalEngine
from schedlab.experiments.grid import Cell, grid, select
from schedlab.experiments.published import read_published
from schedlab.experiments.report import write_report
from schedlab.experiments.run_folder import RunFolder
from schedlab.experiments.simulation_task import SimulationTask
from schedlab.experiments.sources import locate
from schedlab.experiments.table import all_metrics
from schedlab.metrics import find_metric
from schedlab.version import __version__
from schedlab.workload import write_workload


@dataclass(frozen=True)
class Run:
    """What became of a run: its cells, those finished, those tried now, and which failed."""

    folder: Path
    cells: int
    finished: int
    computed: int
    failures: Mapping[str, str]


def run_experiment(
    experiment: Experiment,
    out: str | Path,
    *,
    data: str | Path | None = None,
    engine: Engine | None = None,
    only: str | None = None,
    progress: Progress | None = None,
) -> Run:
    """Compute the cells that are not finished yet, and write the tables and the report.

    Args:
        experiment: from ``read_experiment``, or its ``reduced()``.
        out: the folder of the run; what is finished there is not computed again.
        data: a folder with the traces.
        engine: who computes; by default processes on this machine.
        only: a pattern; only the cells whose name contains it.
        progress: called with (cells finished, cells in all).
    """
    everything = grid(experiment)
    cells = select(everything, only)
    workloads = {cell.recipe.workload for cell in cells}
    in_order = [each for each in experiment.workloads if each in workloads]
    sources = locate(in_order, experiment.path.parent, None if data is None else Path(data))
    record = _record(experiment, everything, sources)
    folder = RunFolder(Path(out))
    tasks = _tasks(cells, record["sources"], folder)
    named = [{**cell.names, "key": task.key} for cell, task in zip(cells, tasks, strict=True)]
    folder.create("workloads")
    folder.write_record({**record, "cells": named})
    waiting = {task.key: task for task in missing(tasks, folder)}
    _prepare(cells, tasks, waiting, sources)
    failures = compute(list(waiting.values()), engine or LocalEngine(), folder, progress)
    folder.write_record({**record, "cells": named, "failures": failures})
    write_report(folder.path)
    finished = sum(folder.kept(task.key) is not None for task in tasks)
    return Run(folder.path, len(cells), finished, len(waiting), failures)


def _record(
    experiment: Experiment, cells: Sequence[Cell], sources: Mapping[str, Path]
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
        "failures": {},
        "versions": {
            "schedlab": __version__,
            "numpy": np.__version__,
            "python": host.python_version(),
        },
    }


def _published(experiment: Experiment, file: str, cells: Sequence[Cell]) -> list[dict[str, Any]]:
    metrics = all_metrics(experiment.about.metrics, experiment.about.relative_to)
    path = experiment.path.parent / file
    return [asdict(row) for row in read_published(path, [cell.names for cell in cells], metrics)]


def _tasks(
    cells: Sequence[Cell], sources: Mapping[str, Mapping[str, str]], folder: RunFolder
) -> list[SimulationTask]:
    keys = {
        recipe: recipe.key(sources.get(recipe.workload.name, {}).get("sha256"))
        for recipe in dict.fromkeys(cell.recipe for cell in cells)
    }
    return [cell.task(keys[cell.recipe], folder.workload(keys[cell.recipe])) for cell in cells]


def _prepare(
    cells: Sequence[Cell],
    tasks: Sequence[SimulationTask],
    waiting: Mapping[str, SimulationTask],
    sources: Mapping[str, Path],
) -> None:
    """Write the workloads that the waiting tasks read, each once."""
    for cell, task in zip(cells, tasks, strict=True):
        if task.key in waiting and not task.workload.exists():
            recipe = cell.recipe
            write_workload(recipe.make(sources.get(recipe.workload.name)), task.workload)
