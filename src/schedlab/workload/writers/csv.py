"""Our own CSV: a header row with names of ``COLUMNS``, then a row per job."""

from __future__ import annotations

from typing import BinaryIO

from schedlab.workload.workload import COLUMNS, Workload
from schedlab.workload.writers.writer import Writer


class CsvWriter(Writer):
    """Writes comma-separated rows, with names where there are labels."""

    suffixes = (".csv",)
    columns = frozenset(COLUMNS)

    def write(self, workload: Workload, stream: BinaryIO) -> None:
        """Write every column the workload has; unknown power and energy stay empty."""
        workload.frame().fill_nan(None).write_csv(stream)
