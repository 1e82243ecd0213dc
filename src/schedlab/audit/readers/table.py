"""Our own schedule tables, CSV or Parquet."""

from __future__ import annotations

from pathlib import Path

from schedlab.audit.readers.observed import Observed, size_note
from schedlab.sim import load_schedules


def read_table(path: Path, nodes: int | None) -> list[Observed]:
    """The schedules of the table, one per policy it names."""
    return read_as("csv" if path.suffix.lower() == ".csv" else "parquet", path, nodes)


def read_as(format: str, path: Path, nodes: int | None) -> list[Observed]:
    """The schedules in a file of that format, with what had to be assumed."""
    return [
        Observed(schedule, (*schedule.workload.report.lines(), *size_note(schedule, nodes)))
        for schedule in load_schedules(path, format, nodes=nodes)
    ]
