"""Experiments: a TOML file names what to run, and the published table to compare it with."""

from typing import TYPE_CHECKING

from schedlab.errors import MissingExtraError
from schedlab.experiments.config import Experiment, read_experiment
from schedlab.experiments.engine import Engine, Task, TaskOutcome
from schedlab.experiments.engine_local import LocalEngine
from schedlab.experiments.library import find_experiment, list_experiments
from schedlab.experiments.record import Run
from schedlab.experiments.report import write_report
from schedlab.experiments.run import run_experiment
from schedlab.experiments.simulation_task import SimulationTask
from schedlab.experiments.table import results, summary

if TYPE_CHECKING:
    from schedlab.experiments.engine_ray import RayEngine as RayEngine
else:
    # Not in __all__: where Ray is not installed, everything else can still be imported.
    def __getattr__(name: str) -> object:
        if name != "RayEngine":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        try:
            from schedlab.experiments.engine_ray import RayEngine
        except ModuleNotFoundError:
            raise MissingExtraError("Ray", "ray") from None
        return RayEngine


__all__ = [
    "Engine",
    "Experiment",
    "LocalEngine",
    "Run",
    "SimulationTask",
    "Task",
    "TaskOutcome",
    "find_experiment",
    "list_experiments",
    "read_experiment",
    "results",
    "run_experiment",
    "summary",
    "write_report",
]
