"""A training as a task of an engine."""

from __future__ import annotations

import math
import os
import platform as host
import shutil
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from threading import current_thread, main_thread
from types import FrameType

from schedlab.errors import InputError
from schedlab.experiments.digest import file_digest, key_of, outside_code
from schedlab.experiments.engine import TaskOutcome
from schedlab.rl.environments import environment_of
from schedlab.rl.training_config import MODEL, TrainingConfig
from schedlab.workload import Workload

LIBRARIES = ("torch", "stable-baselines3", "sb3-contrib", "numpy")
"""Another version of one of these may give another model."""


def training_key(config: TrainingConfig, trace: str | None = None) -> str:
    """Return a key of what determines a training.

    ``trace`` is the digest of the file of its jobs.
    """
    return key_of(
        training=config.document(),
        trace=trace,
        teacher=_teacher(config),
        libraries=library_versions(),
        outside=outside_code(_predictors(config)),
    )


def _predictors(config: TrainingConfig) -> tuple[str, ...]:
    """Return the predictor of run times in the environment, if any."""
    return environment_of(config.environment).predictors


def trace_digest(config: TrainingConfig) -> str | None:
    """Return a digest of the file of its jobs, if there is one."""
    path = config.folder / (config.episodes.workload or "")
    return file_digest(path) if path.is_file() else None


def _teacher(config: TrainingConfig) -> str | None:
    """Return a digest of the teacher's file, if there is one."""
    path = config.folder / (config.clone.teacher or "")
    return file_digest(path) if path.is_file() else None


@cache
def library_versions() -> dict[str, str]:
    """Return the versions of ``LIBRARIES``, as they are installed."""
    return {name: version(name) for name in LIBRARIES}


@dataclass(frozen=True, kw_only=True)
class TrainingTask:
    """Train in a folder, or go on with the training there, and return its last evaluation.

    Args:
        key: a key of everything that determines the outcome.
        name: the name for people.
        config: the training.
        folder: the folder of the training.
        earlier: the folder of the same training with fewer steps, to go on from.
        workload: none; the training reads its own jobs.
    """

    key: str
    name: str
    config: TrainingConfig
    folder: Path
    earlier: Path | None = None
    workload: None = None

    @property
    def outside(self) -> tuple[str, ...]:
        """The predictor, if there is one."""
        return _predictors(self.config)

    @property
    def model(self) -> Path:
        """The file of the model, which only a finished training has."""
        return self.folder / MODEL

    def compute(self, workload: Workload | None = None) -> TaskOutcome:
        """Return the results of the evaluation at the end."""
        from schedlab.rl.train import train  # loads torch

        if not self.folder.parent.is_dir():
            raise InputError(
                f"{host.node()} does not see {self.folder.parent}; "
                "choose an output folder that every machine sees"
            )
        began = time.monotonic()
        with _keeping_when_terminated():
            results = train(self.config, self.folder, resume=self._has_begun()).results
        return TaskOutcome(
            key=self.key,
            name=self.name,
            values={name: each if math.isfinite(each) else None for name, each in results.items()},
            wall_s=time.monotonic() - began,
        )

    def _has_begun(self) -> bool:
        """Return whether there is a checkpoint to go on from, if need be the earlier training's."""
        from schedlab.rl.train import CHECKPOINT

        if not self.folder.exists() and self.earlier is not None and self.earlier.is_dir():
            copy = self.folder.with_suffix(".copy")
            ignored = shutil.ignore_patterns(MODEL)
            shutil.copytree(self.earlier, copy, ignore=ignored, dirs_exist_ok=True)
            copy.rename(self.folder)  # whole or not at all
        return (self.folder / CHECKPOINT).exists()


class _Terminated(KeyboardInterrupt):
    """SIGTERM has come, with which engines stop their workers."""


@contextmanager
def _keeping_when_terminated() -> Iterator[None]:
    """Write a checkpoint on SIGTERM, as on Ctrl-C, before the process ends by it."""
    if current_thread() is not main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, _terminate)
    try:
        yield
    except _Terminated:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, before)


def _terminate(number: int, frame: FrameType | None) -> None:
    raise _Terminated
