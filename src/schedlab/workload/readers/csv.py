"""Our own CSV: a header row with names of ``COLUMNS``, then a row per job."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from schedlab.errors import InputError
from schedlab.workload.readers.frame_records import check_names, frame_records
from schedlab.workload.readers.mend import mend
from schedlab.workload.readers.reader import Reader, ReadOptions
from schedlab.workload.readers.source import Source
from schedlab.workload.readers.text_rows import Row, RowTable
from schedlab.workload.workload import Workload


class CsvReader(Reader):
    """Reads comma-separated rows; names are allowed in user, group, queue and the like."""

    suffixes = (".csv",)

    def recognises(self, head: bytes) -> bool:
        """By a first line that names the column of job numbers."""
        return b"job_id" in head.partition(b"\n")[0]

    def read(self, source: Source, options: ReadOptions) -> Workload:
        """The jobs, with names of users and the like as labels."""
        rows = _rows(source)
        _, first = next(rows)
        names = [str(name).strip() for name in first]
        check_names(source.path, names)
        frame, lines = RowTable(source.path, names).gather(rows)
        records, labels = frame_records(source.path, frame, lines)
        columns, report = mend(records, options)
        return Workload(columns, name=source.stem, labels=labels, report=report)


def _rows(source: Source) -> Iterator[Row]:
    rows = csv.reader(io.StringIO(source.decoded(), newline=""), strict=True)
    try:
        for row in rows:
            if row:
                yield rows.line_num, row
    except csv.Error as error:
        raise InputError.at(source.path, rows.line_num, str(error)) from None
