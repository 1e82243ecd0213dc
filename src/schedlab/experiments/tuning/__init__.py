"""Tuning: find the parameters to train with, by a grid or by Optuna."""

from schedlab.experiments.tuning.config import Tuning, read_tuning
from schedlab.experiments.tuning.run import Tuned, tune
from schedlab.experiments.tuning.trial import TrainingRun, Trial

__all__ = ["TrainingRun", "Trial", "Tuned", "Tuning", "read_tuning", "tune"]
