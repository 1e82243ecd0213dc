"""The log of a training: a table that grows with it and, where installed, TensorBoard's."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from stable_baselines3.common.logger import KVWriter, Logger, TensorBoardOutputFormat

FILE = "progress.csv"
STEPS = "time/total_timesteps"
COLUMNS = (
    STEPS,
    "time/time_elapsed",
    "time/fps",
    "rollout/ep_rew_mean",
    "rollout/ep_len_mean",
    "train/policy_gradient_loss",
    "train/policy_loss",
    "train/value_loss",
    "train/entropy_loss",
    "train/approx_kl",
    "train/explained_variance",
    "train/learning_rate",
)
"""Columns by Stable-Baselines3's names; those that an algorithm does not log stay empty."""


class ProgressTable(KVWriter):
    """Adds a row for each update; drops rows after ``steps``, which are trained again."""

    def __init__(self, path: Path, steps: int) -> None:
        kept = [row for row in _rows(path) if int(row[STEPS]) <= steps]
        self._file = path.open("w", newline="", encoding="utf-8")
        self._writer = csv.DictWriter(self._file, COLUMNS, extrasaction="ignore")
        self._writer.writeheader()
        self._writer.writerows(kept)

    def write(
        self, key_values: dict[str, Any], key_excluded: dict[str, Any], step: int = 0
    ) -> None:
        """Add a row."""
        self._writer.writerow(key_values)
        self._file.flush()

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def training_logger(folder: Path, steps: int) -> Logger:
    """Return the log of a trainer that has done a number of steps."""
    formats: list[KVWriter] = [ProgressTable(folder / FILE, steps)]
    if find_spec("tensorboard") is not None:
        formats.append(TensorBoardOutputFormat(str(folder)))
    return Logger(str(folder), formats)


def _rows(path: Path) -> list[Mapping[str, str]]:
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return [row for row in csv.DictReader(file) if (row.get(STEPS) or "").isdecimal()]
