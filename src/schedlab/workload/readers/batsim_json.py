"""Workloads of the simulator Batsim: jobs and the profiles they execute, in JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, TypeVar

import numpy as np

from schedlab.errors import InputError
from schedlab.workload.readers.batsim_profiles import Profiles, number
from schedlab.workload.readers.further import OPTIONAL, with_further
from schedlab.workload.readers.reader import Reader, ReadOptions
from schedlab.workload.readers.records import Records
from schedlab.workload.readers.repair import repair
from schedlab.workload.readers.source import Source
from schedlab.workload.workload import Workload

T = TypeVar("T")

NOISE_S = 1e-6
"""A fraction below a microsecond is noise of floating point, not time."""


class BatsimJsonReader(Reader):
    """Reads jobs whose profiles are delays, amounts of work, or sequences of these."""

    suffixes = (".json",)

    def recognises(self, head: bytes) -> bool:
        """Recognise it by an opening brace."""
        return head.lstrip().startswith(b"{")

    def read(self, source: Source, options: ReadOptions) -> Workload:
        """Return the jobs; times with a fraction are rounded up to whole seconds."""
        content = _parse(source)
        jobs = _part(source, content, "jobs", list)
        profiles = Profiles(_part(source, content, "profiles", dict), options.flops_per_s)
        rows = [_row(source, job, profiles) for job in jobs]
        records, labels = with_further(_records(source, rows), _further(jobs))
        columns, report = repair(records, options)
        return Workload(
            columns,
            name=source.stem,
            header=_header(content),
            labels=labels,
            report=report,
            provenance=_provenance(content),
        )


def _row(source: Source, job: Any, profiles: Profiles) -> tuple[float, ...]:
    """Return number, submission, hosts, requested time, run time, whether it communicates."""
    if not isinstance(job, dict):
        raise InputError(f"{source.path}: a job is {job!r}; must be an object")
    try:
        submit, hosts = number(job, "subtime"), number(job, "res")
        request = number({"walltime": -1, **job}, "walltime")
        demand = profiles.demand(job.get("profile"), hosts)
    except InputError as error:
        raise InputError(f"{source.path}: job {job.get('id', 'without id')}: {error}") from None
    return _id(job), submit, hosts, request, demand.run_s, demand.communicates


def _id(job: Mapping[str, Any]) -> float:
    """Return the number after the workload's name in ``w0!12``; -1 if there is none."""
    text = str(job.get("id", "")).rpartition("!")[2]
    return int(text) if text.isdecimal() and len(text) < 16 else -1


def _records(source: Source, rows: list[tuple[float, ...]]) -> Records:
    table = np.array(rows, dtype=np.float64).reshape(-1, 6)
    job_id, submit, hosts, request, run, communication = table.T
    rounded = np.zeros(len(rows), dtype=bool)
    columns = {"job_id": job_id, "nodes": hosts}
    for name, times in (("submit_s", submit), ("request_s", request), ("run_s", run)):
        columns[name] = np.ceil(times - NOISE_S)
        rounded |= times < columns[name] - NOISE_S
    return Records(
        source.path,
        columns,
        repaired={"time with a fraction, rounded up to a whole second": rounded},
        noticed={"communication is not part of the run time": communication > 0},
    )


def _further(jobs: list[dict[str, Any]]) -> dict[str, list[Any]]:
    """Return keys named like columns: who submitted a job, what it asks for beside hosts."""
    names = sorted({key for job in jobs for key in job} & OPTIONAL)
    return {name: [job.get(name) for job in jobs] for name in names}


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
    """Return the other keys as text, and the number of hosts under SWF's name for it."""
    header = {"MaxNodes": [str(content["nb_res"])]} if "nb_res" in content else {}
    for key, value in content.items():
        if key not in ("jobs", "profiles", "nb_res", "provenance"):
            values = value if isinstance(value, list) else [value]
            header[key] = [one if isinstance(one, str) else json.dumps(one) for one in values]
    return header


def _provenance(content: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the steps that our writer has recorded."""
    steps = content.get("provenance")
    steps = steps if isinstance(steps, list) else []
    return [step for step in steps if isinstance(step, dict) and "step" in step]
