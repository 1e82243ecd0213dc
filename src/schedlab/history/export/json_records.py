"""The standard records themselves, in one array or one on each line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from pydantic_core import from_json, to_json

from schedlab.history.export.exporter import Exporter, Extent, Record, lines_of, texts_in


class JsonLinesExporter(Exporter):
    """Writes one record per line."""

    suffixes = (".jsonl", ".ndjson")

    def write(self, records: Iterable[Record], path: Path, extent: Extent) -> None:
        """Write the records as they come."""
        with path.open("wb") as stream:
            for record in records:
                stream.write(to_json(record) + b"\n")

    def texts(self, path: Path) -> Iterator[str]:
        """Yield the values of every record."""
        for line in lines_of(path):
            yield from texts_in(from_json(line))


class JsonExporter(Exporter):
    """Writes one array, with a record on each of its lines."""

    suffixes = (".json",)

    def write(self, records: Iterable[Record], path: Path, extent: Extent) -> None:
        """Write the records as they come, with a comma before each but the first."""
        with path.open("wb") as stream:
            opening = b"[\n"
            for record in records:
                stream.write(opening + to_json(record))
                opening = b",\n"
            stream.write(b"\n]\n" if opening == b",\n" else b"[]\n")

    def texts(self, path: Path) -> Iterator[str]:
        """Yield the values of every record; each record is on its own line."""
        for line in lines_of(path):
            if line.startswith("{"):
                yield from texts_in(from_json(line.rstrip().removesuffix(",")))
