"""Our own schedule tables, CSV or Parquet."""

from __future__ import annotations

from pathlib import Path

from schedlab.audit.readers.observed import Observed, size_note
from schedlab.sim import load_schedules


def read_table(path: Path, nodes: int | None) -> list[Observed]:
    """The schedules of the table, one per policy it names."""
    return [
        Observed(schedule, (*schedule.workload.report.lines(), *size_note(schedule, nodes)))
        for schedule in load_schedules(path, nodes=nodes)
    ]
