"""A run of solvers on drawn problems."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

from schedlab.experiments.compute import Progress, compute, missing
from schedlab.experiments.config import Experiment
from schedlab.experiments.engine import Engine
from schedlab.experiments.grid import select
from schedlab.experiments.record import Run, make_record
from schedlab.experiments.report import write_report
from schedlab.experiments.run_folder import RunFolder
from schedlab.experiments.solver_grid import solver_cells

REMARK = (
    "Every seed is a problem. Means are over those in which the number is defined, which the "
    "column seeds counts: accuracy over those solved, what was sent over those not refused."
)


def run_solvers(
    experiment: Experiment,
    folder: RunFolder,
    engine: Engine,
    only: str | None,
    progress: Progress | None,
) -> Run:
    """Compute the cells that are not finished yet, and write the tables and the report."""
    everything = solver_cells(experiment)
    cells = select(everything, only)
    names = [cell.names for cell in everything]
    record = make_record(experiment, names, sources={}, models={}, versions=_versions())
    record["remarks"] = [REMARK]
    record["cells"] = [{**cell.names, "key": cell.task.key} for cell in cells]
    folder.create()
    folder.write_record(record)
    waiting = missing([cell.task for cell in cells], folder)
    failures = compute(waiting, engine, folder, progress)
    folder.write_record({**record, "failures": failures})
    write_report(folder.path)
    finished = sum(folder.kept(cell.task.key) is not None for cell in cells)
    return Run(folder.path, len(cells), finished, len(waiting), 0, failures)


def _versions() -> dict[str, str]:
    """Return the version of the library that proves optima."""
    try:
        return {"ortools": version("ortools")}
    except PackageNotFoundError:
        return {}
