"""Workloads of the simulator Batsim: jobs and the profiles they execute, in JSON."""

from __future__ import annotations

import json
from typing import Any, BinaryIO

import numpy as np

from schedlab.workload.header import header_int
from schedlab.workload.workload import COLUMNS, Workload
from schedlab.workload.writers.writer import Writer

_JOB_KEYS = {"id": "job_id", "subtime": "submit_s", "res": "nodes", "walltime": "request_s"}


class BatsimJsonWriter(Writer):
    """Writes jobs that occupy their hosts for a ``delay``; other columns are keys of their own."""

    suffixes = (".json",)
    columns = frozenset(COLUMNS)

    def write(self, workload: Workload, stream: BinaryIO) -> None:
        """Write the jobs, a profile per run time, and the header as further keys."""
        content = {
            **{key: list(values) for key, values in workload.header.items() if key != "MaxNodes"},
            "nb_res": _hosts(workload),
            "provenance": workload.provenance,
            "jobs": _jobs(workload),
            "profiles": _profiles(workload),
        }
        stream.write(json.dumps(content, indent=1).encode())


def _hosts(workload: Workload) -> int:
    """Return the machine's size by the header, but no less than the widest job needs."""
    return max(header_int(workload.header, "MaxNodes") or 1, int(workload["nodes"].max(initial=1)))


def _jobs(workload: Workload) -> list[dict[str, Any]]:
    keys = (*_JOB_KEYS, "profile")
    columns = [workload[name].tolist() for name in _JOB_KEYS.values()]
    profiles = [f"delay_{run}" for run in workload["run_s"].tolist()]
    jobs = [dict(zip(keys, row, strict=True)) for row in zip(*columns, profiles, strict=True)]
    for name in workload.columns:
        if not COLUMNS[name].required:
            _add(jobs, name, workload)
    return jobs


def _add(jobs: list[dict[str, Any]], name: str, workload: Workload) -> None:
    """Add the column as a key of the jobs that have it; Batsim ignores unknown keys."""
    values, told = workload[name], workload.labelled(name).tolist()
    for job in np.flatnonzero((values != COLUMNS[name].missing) & (values == values)).tolist():
        jobs[job][name] = told[job]


def _profiles(workload: Workload) -> dict[str, dict[str, Any]]:
    runs = np.unique(workload["run_s"]).tolist()
    return {f"delay_{run}": {"type": "delay", "delay": run} for run in runs}
