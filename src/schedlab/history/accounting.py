"""Accounting of a scheduler as a workload, without a store: sacct, Grid Engine and the like."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from schedlab.errors import InputError
from schedlab.history.ingest import Fault
from schedlab.history.sources import lone_job_source
from schedlab.workload import Workload
from schedlab.workload.readers import ReadOptions
from schedlab.workload.readers.job_history import history_workload

_UNREADABLE = "could not be read"


def read_accounting(kind: str, path: str | Path, options: ReadOptions | None = None) -> Workload:
    """Return the jobs that have ended, in order of submission, and count unreadable records.

    Args:
        kind: kind of job source, such as ``"slurm-sacct"`` or ``"grid-engine"``.
        path: file or folder to read.
        options: options as for ``read_workload``.
    """
    path, options = Path(path), options or ReadOptions()
    records, faults = accounting_records(kind, path)
    if faults and options.strict:
        raise InputError(f"{faults[0]}; strict reading refuses this")
    made = history_workload(records, path, options, name=path.stem)
    if faults:
        dropped = {**made.report.dropped, f"{_UNREADABLE}: {faults[0]}": len(faults)}
        made.report = replace(
            made.report, records=made.report.records + len(faults), dropped=dropped
        )
    used = {key: value for key, value in asdict(options).items() if value != {}}
    return made.record("read", format=kind, file=path.name, options=used)


def accounting_records(kind: str, path: str | Path) -> tuple[list[dict[str, Any]], list[Fault]]:
    """Return standard job records in order of submission, and what could not be read."""
    found = list(lone_job_source(kind, str(path)).read())
    faults = [each for each in found if isinstance(each, Fault)]
    records = [json.loads(each.to_json()) for each in found if not isinstance(each, Fault)]
    if not records and faults:
        raise InputError(str(faults[0]))
    # All times of a source have the same offset, so sorting the texts sorts the moments.
    records.sort(key=lambda record: record.get("queue_time") or record.get("start_time") or "")
    return records, faults


def sacct_records(path: str | Path) -> tuple[list[dict[str, Any]], list[Fault]]:
    """Return the records and faults of a text or JSON file of sacct, told apart by its name."""
    is_json = Path(path).name.removesuffix(".gz").endswith(".json")
    return accounting_records("slurm-sacct-json" if is_json else "slurm-sacct", path)
