"""The steps of a simulation, by which a file can hold its state: loading repeats them."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schedlab.atomic import atomic_write
from schedlab.errors import InputError, ParameterError
from schedlab.platform import Platform
from schedlab.policies import PolicyLike
from schedlab.predict import PredictorLike
from schedlab.version import __version__
from schedlab.workload import Workload, read_workload, write_workload

_FORMAT = "schedlab-simulation-2"
_BEGIN = ("tick", "kill_at_request", "whole_nodes", "place", "failures", "preemption", "seed")
"""The options of a simulation beside its policy and predictor."""


class Journal:
    """The steps that led from the beginning of a simulation to its present state."""

    def __init__(
        self,
        policy: PolicyLike,
        depth: int | None,
        predict: PredictorLike | None,
        options: Mapping[str, Any],
    ) -> None:
        """Note how the simulation began."""
        self._steps: list[dict[str, Any]] = []
        self._added: list[Workload] = []
        self._begin = {
            "policy": _name(policy),
            "depth": depth,
            "predict": None if predict is None else _name(predict),
            **{key: options[key] for key in _BEGIN},
        }

    def copy(self) -> Journal:
        """Return an independent copy."""
        made = object.__new__(Journal)
        made._steps = [dict(step) for step in self._steps]
        made._added = list(self._added)
        made._begin = self._begin
        return made

    def ran(self, until_s: int | None) -> None:
        """Note that time has gone on."""
        self._steps.append({"run": until_s})

    def stepped(self) -> None:
        """Note one more pass."""
        if self._steps and "passes" in self._steps[-1]:
            self._steps[-1]["passes"] += 1
        else:
            self._steps.append({"passes": 1})

    def used(self, policy: PolicyLike, depth: int | None) -> None:
        """Note that another policy decides."""
        self._steps.append({"policy": _name(policy), "depth": depth})

    def submitted(self, jobs: Workload) -> None:
        """Note jobs that were added."""
        self._added.append(jobs)
        self._steps.append({"submit": len(self._added)})

    def cancelled(self, job_id: int) -> None:
        """Note a job that was cancelled."""
        self._steps.append({"cancel": job_id})

    def imagined(self) -> None:
        """Note that what follows was imagined."""
        self._steps.append({"imagine": True})

    def facts(self) -> dict[str, Any]:
        """Return the steps that a plain run does not have, for a schedule's provenance."""
        return {} if self._steps in ([], [{"run": None}]) else {"steps": list(self._steps)}

    def save(
        self, path: str | Path, workload: Workload, platform: Platform, starts: NDArray[np.int64]
    ) -> None:
        """Write beginning, steps and jobs to a file."""
        for step in (self._begin, *self._steps):
            if "imagine" in step:
                raise ParameterError("an imagined future cannot be saved; save what it began from")
            if "" in (step.get("policy"), step.get("predict")):
                raise ParameterError(
                    "only a simulation whose policies and predictor were given by name can be "
                    "saved; name yours as package.module:Class"
                )
        document = {
            "format": _FORMAT,
            "schedlab": __version__,
            "begin": self._begin,
            "steps": self._steps,
            "platform": platform.to_dict(),
            "starts": _digest(starts),
        }
        with (
            TemporaryDirectory() as folder,
            atomic_write(path) as temporary,
            zipfile.ZipFile(temporary, "w") as file,
        ):
            file.writestr("simulation.json", json.dumps(document, indent=1))
            for place, part in enumerate((workload, *self._added)):
                jobs = Path(folder) / f"jobs-{place}.parquet"
                write_workload(part, jobs)
                file.write(jobs, jobs.name)


@dataclass(frozen=True)
class SavedRun:
    """What a file holds: how the simulation began, its jobs, and the steps since."""

    begin: Mapping[str, Any]
    platform: Platform
    jobs: tuple[Workload, ...]
    """The jobs given at the beginning, then those of each step that added some."""
    steps: tuple[Mapping[str, Any], ...]
    _starts: str
    _version: str
    _path: str | Path

    @classmethod
    def load(cls, path: str | Path) -> SavedRun:
        """Read the file."""
        with TemporaryDirectory() as folder:
            document, parts = _unpacked(path, Path(folder))
            jobs = tuple(read_workload(Path(folder) / f"jobs-{part}.parquet") for part in parts)
        return cls(
            document["begin"],
            Platform.from_dict(document["platform"]),
            jobs,
            tuple(document["steps"]),
            document["starts"],
            document["schedlab"],
            path,
        )

    def require_same(self, starts: NDArray[np.int64]) -> None:
        """Refuse the state that the steps have led to if it is not the saved one."""
        if _digest(starts) != self._starts:
            raise InputError.at(
                self._path,
                None,
                f"this version, {__version__}, comes to another state than the one that schedlab "
                f"{self._version} saved",
            )


def _unpacked(path: str | Path, folder: Path) -> tuple[dict[str, Any], range]:
    """Write the tables of jobs to the folder; return the document and the tables' numbers."""
    try:
        with zipfile.ZipFile(path) as file:
            document: dict[str, Any] = json.loads(file.read("simulation.json"))
            names = [name for name in file.namelist() if name.startswith("jobs-")]
            for name in names:
                (folder / Path(name).name).write_bytes(file.read(name))
    except (OSError, KeyError, ValueError, zipfile.BadZipFile) as error:
        raise InputError.at(path, None, f"not a saved simulation: {error}") from None
    if (found := document.get("format")) != _FORMAT:
        raise InputError.at(path, None, f'format is {found!r}; must be "{_FORMAT}"')
    return document, range(len(names))


def _name(given: object) -> str:
    """Return the name by which a policy or predictor can be found again; empty for an object."""
    return given if isinstance(given, str) else ""


def _digest(starts: NDArray[np.int64]) -> str:
    return hashlib.sha256(np.ascontiguousarray(starts).tobytes()).hexdigest()
