"""A table of text, one row per job."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any

from schedlab.history.export.exporter import VOCABULARY, Exporter, Extent, Record
from schedlab.history.export.flat import COLUMNS, Value, values

_ROWS = 5_000


class CsvExporter(Exporter):
    """Writes comma-separated rows under the names of the columns."""

    suffixes = (".csv",)

    def write(self, records: Iterable[Record], path: Path, extent: Extent) -> None:
        """Write a row per job; unknown values stay empty."""
        with path.open("w", encoding="utf-8", newline="") as stream:
            writer = csv.writer(stream, lineterminator="\n")
            writer.writerow(COLUMNS)
            records = iter(records)
            while some := list(islice(records, _ROWS)):
                writer.writerows(rows(some, COLUMNS))

    def texts(self, path: Path) -> Iterator[str]:
        """Yield the cells of columns that hold names."""
        names = [name for name, (kind, _) in COLUMNS.items() if kind is str]
        with path.open(encoding="utf-8", newline="") as stream:
            for cells in csv.DictReader(stream):
                yield from (cells[name] for name in names if name not in VOCABULARY)


def rows(records: Sequence[Record], columns: Iterable[str]) -> Iterator[tuple[Value, ...]]:
    """Return the cells of some of the columns, job by job."""
    names = tuple(columns)
    written = (_WRITTEN.get(COLUMNS[name][0]) for name in names)
    found = zip(written, values(records, names), strict=True)
    return zip(*(each if write is None else map(write, each) for write, each in found), strict=True)


def _time(text: str | None) -> str | None:
    """Write ``2026-01-05T12:00:00+00:00``: the extended form, which spreadsheets know."""
    if text is None:
        return None
    return f"{text[:4]}-{text[4:6]}-{text[6:11]}:{text[11:13]}:{text[13:18]}:{text[18:]}"


_WRITTEN: Mapping[type, Callable[[Any], str | None]] = {
    bool: {True: "true", False: "false"}.get,
    datetime: _time,
}
"""How to write the values of a type that are not written as they are."""
