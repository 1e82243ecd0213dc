"""The SQLite form of the Grid Workloads Format: a table ``Jobs``."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from urllib.parse import quote

from schedlab.errors import InputError
from schedlab.workload.readers.frame_records import frame_records
from schedlab.workload.readers.gwf import GWF_COLUMNS
from schedlab.workload.readers.mend import mend
from schedlab.workload.readers.reader import Reader, ReadOptions
from schedlab.workload.readers.source import Source
from schedlab.workload.readers.text_rows import Row, RowTable
from schedlab.workload.workload import Workload

_OTHER_NAMES = {"NProc": "NProcs", "UsedCPUTime": "AverageCPUTimeUsed", "ReqTime:": "ReqTime"}


class GwfSqliteReader(Reader):
    """Reads the table ``Jobs`` of a SQLite file."""

    suffixes = (".sqlite", ".sqlite3", ".db", ".db3")

    def recognises(self, head: bytes) -> bool:
        """By the first bytes of a SQLite file."""
        return head.startswith(b"SQLite format 3\0")

    def read(self, source: Source, options: ReadOptions) -> Workload:
        """The jobs, in the order of the table."""
        if source.compressed:
            raise InputError(f"{source.path}: a compressed database must be unpacked first")
        table = RowTable(source.path, tuple(GWF_COLUMNS.values()))
        try:
            frame, _ = table.gather(_rows(source))
        except sqlite3.Error as error:
            raise InputError(f"{source.path}: {error}") from None
        records, labels = frame_records(source.path, frame)
        columns, report = mend(records, options)
        return Workload(columns, name=source.stem, labels=labels, report=report)


def _rows(source: Source) -> Iterator[Row]:
    location = f"file:{quote(str(source.path.resolve()))}?mode=ro&immutable=1"
    with closing(sqlite3.connect(location, uri=True)) as database:
        names = _names_in(database, source)
        texts = ", ".join(f'CAST("{names[field]}" AS TEXT)' for field in GWF_COLUMNS)
        yield from enumerate(database.execute(f"SELECT {texts} FROM Jobs"), start=1)


def _names_in(database: sqlite3.Connection, source: Source) -> dict[str, str]:
    """What this file calls each field."""
    found = [row[1] for row in database.execute("PRAGMA table_info(Jobs)")]
    if not found:
        raise InputError(f"{source.path}: has no table Jobs")
    standard = {name.lower(): name for name in GWF_COLUMNS}
    standard |= {other.lower(): name for other, name in _OTHER_NAMES.items()}
    names = {standard[name.lower()]: name for name in found if name.lower() in standard}
    for field in GWF_COLUMNS:
        if field not in names:
            raise InputError(f"{source.path}: table Jobs has no column {field}")
    return names
