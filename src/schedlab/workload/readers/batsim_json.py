"""Workloads of the simulator Batsim: jobs and the profiles they execute, in JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, TypeVar

import numpy as np

from schedlab.errors import InputError
from schedlab.workload.readers.mend import mend
from schedlab.workload.readers.reader import Reader, ReadOptions
from schedlab.workload.readers.records import Records
from schedlab.workload.readers.source import Source
from schedlab.workload.workload import Workload

T = TypeVar("T")

_NOISE_S = 1e-6


class BatsimJsonReader(Reader):
    """Reads jobs whose profiles are delays or equal amounts of work on every host."""

    suffixes = (".json",)

    def recognises(self, head: bytes) -> bool:
        """By an opening brace."""
        return head.lstrip().startswith(b"{")

    def read(self, source: Source, options: ReadOptions) -> Workload:
        """The jobs; times with a fraction are rounded up to whole seconds."""
        content = _parse(source)
        jobs = _part(source, content, "jobs", list)
        profiles = _part(source, content, "profiles", dict)
        rows = [_Job(source, job).row(profiles, options) for job in jobs]
        columns, report = mend(_records(source, rows), options)
        return Workload(
            columns,
            name=source.stem,
            header=_header(content),
            report=report,
            provenance=_provenance(content),
        )


class _Job:
    """One job's object, asked for its numbers."""

    def __init__(self, source: Source, job: Any) -> None:
        if not isinstance(job, dict):
            raise InputError(f"{source.path}: a job is {job!r}; must be an object")
        self._job = job
        self._where = f"{source.path}: job {job.get('id', 'without id')}"

    def row(self, profiles: Mapping[str, Any], options: ReadOptions) -> tuple[float, ...]:
        """Number, submission, hosts, requested time, run time, amount of communication."""
        profile = profiles.get(str(self._job.get("profile")))
        if not isinstance(profile, dict):
            raise InputError(f"{self._where}: profile {self._job.get('profile')!r} is not defined")
        return (
            self._id(),
            self._number(self._job, "subtime"),
            self._number(self._job, "res"),
            self._number({"walltime": -1, **self._job}, "walltime"),
            self._run_s(profile, options.flops_per_s),
            self._number({"com": 0, **profile}, "com"),
        )

    def _id(self) -> float:
        """The number after the workload's name in ``w0!12``; -1 if there is none."""
        number = str(self._job.get("id", "")).rpartition("!")[2]
        return int(number) if number.isdecimal() and len(number) < 16 else -1

    def _run_s(self, profile: Mapping[str, Any], flops_per_s: float) -> float:
        kind = profile.get("type")
        if kind == "delay":
            return self._number(profile, "delay")
        if kind in ("parallel_homogeneous", "msg_par_hg"):
            return self._number(profile, "cpu") / flops_per_s
        allowed = "delay, parallel_homogeneous or msg_par_hg"
        raise InputError(f"{self._where}: profile type is {kind!r}; must be {allowed}")

    def _number(self, of: Mapping[str, Any], key: str) -> float:
        value = of.get(key)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise InputError(f"{self._where}: {key} is {value!r}; must be a number")
        try:
            return float(value)
        except OverflowError:
            raise InputError(f"{self._where}: {key} is too large") from None


def _records(source: Source, rows: list[tuple[float, ...]]) -> Records:
    table = np.array(rows, dtype=np.float64).reshape(-1, 6)
    job_id, submit, hosts, request, run, communication = table.T
    rounded = np.zeros(len(rows), dtype=bool)
    columns = {"job_id": job_id, "nodes": hosts}
    for name, times in (("submit_s", submit), ("request_s", request), ("run_s", run)):
        # A fraction below a microsecond is noise of floating point, not time.
        columns[name] = np.ceil(times - _NOISE_S)
        rounded |= times < columns[name] - _NOISE_S
    return Records(
        source.path,
        columns,
        repaired={"time with a fraction, rounded up to a whole second": rounded},
        noticed={"communication is not part of the run time": communication > 0},
    )


def _parse(source: Source) -> dict[str, Any]:
    try:
        content = json.loads(source.decoded())
    except json.JSONDecodeError as error:
        raise InputError.at(source.path, error.lineno, f"not JSON: {error.msg}") from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"{source.path}: not JSON: {error}") from None
    if not isinstance(content, dict):
        raise InputError(f"{source.path}: must be a JSON object with jobs and profiles")
    return content


def _part(source: Source, content: Mapping[str, Any], key: str, kind: type[T]) -> T:
    part = content.get(key)
    if not isinstance(part, kind):
        raise InputError(f"{source.path}: has no {key}; a Batsim workload has jobs and profiles")
    return part


def _header(content: Mapping[str, Any]) -> dict[str, list[str]]:
    """The other keys as text; the number of hosts as SWF calls it."""
    header = {"MaxNodes": [str(content["nb_res"])]} if "nb_res" in content else {}
    for key, value in content.items():
        if key not in ("jobs", "profiles", "nb_res", "provenance"):
            values = value if isinstance(value, list) else [value]
            header[key] = [one if isinstance(one, str) else json.dumps(one) for one in values]
    return header


def _provenance(content: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The steps our writer left there."""
    steps = content.get("provenance")
    steps = steps if isinstance(steps, list) else []
    return [step for step in steps if isinstance(step, dict) and "step" in step]
