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
        """Every column the workload has; what is not known of power and energy stays empty."""
        workload.frame().fill_nan(None).write_csv(stream)
