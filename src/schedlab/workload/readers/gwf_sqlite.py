"""The SQLite form of the Grid Workloads Format: a table ``Jobs``."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from urllib.parse import quote

from schedlab.errors import InputError
from schedlab.workload.readers.delimited import FIELD_END, split_lines
from schedlab.workload.readers.gwf import FURTHER_FIELD, GWF_COLUMNS, gwf_records
from schedlab.workload.readers.reader import Reader, ReadOptions
from schedlab.workload.readers.repair import repair
from schedlab.workload.readers.source import Source
from schedlab.workload.workload import Workload

_FIELDS = (*GWF_COLUMNS, FURTHER_FIELD)
_MAY_LACK = ("ProjectID", FURTHER_FIELD)
_OTHER_NAMES = {"NProc": "NProcs", "UsedCPUTime": "AverageCPUTimeUsed", "ReqTime:": "ReqTime"}


class GwfSqliteReader(Reader):
    """Reads the table ``Jobs`` of a SQLite file."""

    suffixes = (".sqlite", ".sqlite3", ".db", ".db3")

    def recognises(self, head: bytes) -> bool:
        """Recognise it by the first bytes of a SQLite file."""
        return head.startswith(b"SQLite format 3\0")

    def read(self, source: Source, options: ReadOptions) -> Workload:
        """Return the jobs, in the order of the table."""
        import polars as pl

        if source.compressed:
            raise InputError(f"{source.path}: a compressed database must be unpacked first")
        try:
            rows = pl.Series("line", _rows(source), dtype=pl.String).to_frame()
        except sqlite3.Error as error:
            raise InputError(f"{source.path}: {error}") from None
        lines = rows.with_row_index("number", offset=1)
        frame, _ = split_lines(source.path, lines, FIELD_END, _FIELDS, len(_FIELDS))
        records, labels = gwf_records(source, frame)
        columns, report = repair(records, options)
        return Workload(columns, name=source.stem, labels=labels, report=report)


def _rows(source: Source) -> list[str]:
    """Return the known fields of each job, joined by the database: fewer objects than fields."""
    location = f"file:{quote(str(source.path.resolve()))}?mode=ro&immutable=1"
    with closing(sqlite3.connect(location, uri=True)) as database:
        names = _names_in(database, source)
        texts = [_text(names.get(field)) for field in _FIELDS]
        joined = f" || char({ord(FIELD_END)}) || ".join(texts)
        return [row[0] for row in database.execute(f"SELECT {joined} FROM Jobs")]


def _names_in(database: sqlite3.Connection, source: Source) -> dict[str, str]:
    """Return what this file calls each field."""
    found = [row[1] for row in database.execute("PRAGMA table_info(Jobs)")]
    if not found:
        raise InputError(f"{source.path}: has no table Jobs")
    standard = {name.lower(): name for name in _FIELDS}
    standard |= {other.lower(): name for other, name in _OTHER_NAMES.items()}
    names = {standard[name.lower()]: name for name in found if name.lower() in standard}
    for field in _FIELDS:
        if field not in names and field not in _MAY_LACK:
            raise InputError(f"{source.path}: table Jobs has no column {field}")
    return names


def _text(name: str | None) -> str:
    """Return the field in SQL; -1 where it is NULL, or the table lacks it."""
    return "'-1'" if name is None else f"COALESCE(CAST(\"{name}\" AS TEXT), '-1')"
