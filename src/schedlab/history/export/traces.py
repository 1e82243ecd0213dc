"""The trace formats of simulators with one line of columns for each job: SWF and GWF."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import BinaryIO, ClassVar

import numpy as np

from schedlab.history.export.exporter import Exporter, Extent, Record, lines_of
from schedlab.workload.header import inferred
from schedlab.workload.job_history import HistoryTable
from schedlab.workload.workload import COLUMNS, Array, Workload
from schedlab.workload.writers.comment_header import header_text
from schedlab.workload.writers.gwf import words_of, write_gwf_lines
from schedlab.workload.writers.swf import write_swf_lines

_JOBS = 20_000


class _Jobs:
    """Some jobs as columns; unlike a workload, they may include jobs that never ran."""

    def __init__(self, columns: dict[str, Array]) -> None:
        self._columns = columns

    def __len__(self) -> int:
        return len(self._columns["job_id"])

    def __getitem__(self, column: str) -> Array:
        if column in self._columns:
            return self._columns[column]
        missing = COLUMNS[column]
        return np.full(len(self), missing.missing, dtype=missing.dtype)


class _TraceExporter(Exporter):
    """Writes a header, then a line per job that has ended."""

    comment: ClassVar[str]

    def write(self, records: Iterable[Record], path: Path, extent: Extent) -> None:
        """Write some jobs at a time; the first ones set the origin of time."""
        table, records = HistoryTable(extent.find_preceding()), iter(records)
        portions = iter(lambda: list(islice(records, _JOBS)), [])
        with path.open("wb") as stream:
            first = table.columns(next(portions, []))
            stream.write(self._header(table, extent))
            for columns in chain([first], map(table.columns, portions)):
                if columns:
                    self.write_lines(_Jobs(columns), table, stream)

    def texts(self, path: Path) -> Iterator[str]:
        """Return the lines of the file."""
        return lines_of(path)

    @abstractmethod
    def write_lines(self, jobs: _Jobs, table: HistoryTable, stream: BinaryIO) -> None:
        """Write the lines of some jobs."""

    def _header(self, table: HistoryTable, extent: Extent) -> bytes:
        header = {"Version": ["2.2"], "Computer": [extent.name], **table.header()}
        header["MaxNodes"] = [inferred(extent.nodes) if extent.inferred else str(extent.nodes)]
        nothing = Workload(
            {name: [] for name, column in COLUMNS.items() if column.required},
            header=header,
            provenance=[{"step": "history", "from": extent.name}],
        )
        return header_text(nothing, self.comment)


class SwfExporter(_TraceExporter):
    """Writes the Standard Workload Format, in which users and groups are numbers."""

    suffixes = (".swf",)
    comment = ";"

    def write_lines(self, jobs: _Jobs, table: HistoryTable, stream: BinaryIO) -> None:
        """Write a line of 18 numbers for each job."""
        write_swf_lines(jobs, stream)


class GwfExporter(_TraceExporter):
    """Writes the Grid Workloads Format, in which users and groups have names."""

    suffixes = (".gwf",)
    comment = "#"

    def write_lines(self, jobs: _Jobs, table: HistoryTable, stream: BinaryIO) -> None:
        """Write a line of 29 fields for each job."""
        write_gwf_lines(jobs, words_of(table.labels()), stream)
