"""A table of text, one row per job."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path

from schedlab.history.export.exporter import VOCABULARY, Exporter, Extent, Record
from schedlab.history.export.flat import COLUMNS, Value, row


class CsvExporter(Exporter):
    """Writes comma-separated rows under the names of the columns."""

    suffixes = (".csv",)

    def write(self, records: Iterable[Record], path: Path, extent: Extent) -> None:
        """A row per job; what is not known stays empty."""
        with path.open("w", encoding="utf-8", newline="") as stream:
            writer = csv.writer(stream, lineterminator="\n")
            writer.writerow(COLUMNS)
            writer.writerows(map(written, row(record)) for record in records)

    def texts(self, path: Path) -> Iterator[str]:
        """The cells of columns that hold names."""
        names = [name for name, (kind, _) in COLUMNS.items() if kind is str]
        with path.open(encoding="utf-8", newline="") as stream:
            for cells in csv.DictReader(stream):
                yield from (cells[name] for name in names if name not in VOCABULARY)


def written(value: Value) -> Value:
    """The value as a cell has it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.isoformat() if isinstance(value, datetime) else value
