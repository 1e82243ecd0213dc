"""Experiments: a TOML file names what is run, and the published table it stands beside."""

from schedlab.experiments.config import Experiment, read_experiment
from schedlab.experiments.engine import Engine, Outcome, Task
from schedlab.experiments.engine_local import LocalEngine
from schedlab.experiments.library import find_experiment, list_experiments
from schedlab.experiments.report import write_report
from schedlab.experiments.run import Run, run_experiment
from schedlab.experiments.table import results, summary

__all__ = [
    "Engine",
    "Experiment",
    "LocalEngine",
    "Outcome",
    "Run",
    "Task",
    "find_experiment",
    "list_experiments",
    "read_experiment",
    "results",
    "run_experiment",
    "summary",
    "write_report",
]
