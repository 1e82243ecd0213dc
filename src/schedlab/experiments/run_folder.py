"""The folder of a run: prepared workloads, finished cells and the record of what was run."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from schedlab.atomic import atomic_write
from schedlab.errors import InputError, OutputError
from schedlab.experiments.engine import TaskOutcome

MODELS = "models"
"""The folder within a run's folder that holds the folders of trainings."""


@dataclass(frozen=True)
class RunFolder:
    """The folder of a run; its files are always complete, so an interrupted run can go on."""

    path: Path

    def create(self, *parts: str) -> None:
        """Create the folder and those within it, unless they exist."""
        try:
            for part in ("cells", *parts):
                (self.path / part).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(
                f"{self.path}: cannot be made a folder: {(error.strerror or str(error)).lower()}"
            ) from None

    def workload(self, key: str) -> Path:
        """Return the path of the workload with this key."""
        return self.path / "workloads" / f"{key}.parquet"

    def keep(self, outcome: TaskOutcome) -> None:
        """Keep a finished cell."""
        _write_json(self._cell(outcome.key), asdict(outcome))

    def kept(self, key: str) -> dict[str, Any] | None:
        """Return the finished cell with this key, if there is one that can be read."""
        try:
            return dict(json.loads(self._cell(key).read_text(encoding="utf-8")))
        except (OSError, ValueError):
            return None

    def write_record(self, record: dict[str, Any]) -> None:
        """Write what is run, with everything that the report needs besides the cells."""
        _write_json(self.path / "run.json", record)

    def record(self) -> dict[str, Any]:
        """Return what was run."""
        path = self.path / "run.json"
        try:
            return dict(json.loads(path.read_text(encoding="utf-8")))
        except OSError:
            raise InputError(f"{self.path}: is not the folder of a run: no run.json") from None
        except ValueError as error:
            raise InputError(f"{path}: not JSON: {error}") from None

    def _cell(self, key: str) -> Path:
        return self.path / "cells" / f"{key}.json"


def _write_json(path: Path, value: Any) -> None:
    with atomic_write(path) as temporary:
        text = json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False)
        temporary.write_text(text + "\n", encoding="utf-8")
