"""The formats of answers: which one a client wants, and how long lists of jobs are streamed."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from pydantic_core import to_json
from starlette.responses import Response

from schedlab.errors import UnknownNameError
from schedlab.history.export.arrow import record_batch, schema_of
from schedlab.history.export.csv import rows
from schedlab.history.export.flat import COLUMNS
from schedlab.history.schema.job import JobRecord
from schedlab.history.web.problems import HttpProblem
from schedlab.history.web.queries.shown import Record

if TYPE_CHECKING:
    import polars as pl


Writer = Callable[[Iterable[Sequence[Record]], Sequence[str]], Iterator[bytes]]


class Format(StrEnum):
    """How an answer is written."""

    JSON = "json"
    JSON_LINES = "jsonl"
    CSV = "csv"
    PARQUET = "parquet"
    ARROW = "arrow"


MEDIA_TYPES = {
    Format.JSON: "application/json",
    Format.JSON_LINES: "application/x-ndjson",
    Format.CSV: "text/csv",
    Format.PARQUET: "application/vnd.apache.parquet",
    Format.ARROW: "application/vnd.apache.arrow.stream",
}
TABLES = (Format.JSON, Format.CSV, Format.PARQUET, Format.ARROW)
TABLE_FIELDS = tuple(COLUMNS)
FIELDS = tuple(sorted({*COLUMNS, *JobRecord.model_fields}))
"""The fields of jobs that can be asked for in JSON and JSON lines."""
_ANY = ("*/*", "application/*", "text/html")


def choose(wanted: Format | None, accept: str, offered: Sequence[Format] = tuple(Format)) -> Format:
    """Return the format that ``format=`` names, or else the one that ``Accept`` prefers."""
    if wanted is not None:
        if wanted not in offered:
            raise UnknownNameError("format", wanted, offered)
        return wanted
    by_type = {MEDIA_TYPES[each]: each for each in offered} | dict.fromkeys(_ANY, Format.JSON)
    for media_type in _accepted(accept or "*/*"):
        if media_type in by_type:
            return by_type[media_type]
    known = ", ".join(MEDIA_TYPES[each] for each in offered)
    raise HttpProblem(406, f"none of the accepted media types is possible; possible are {known}")


def _accepted(header: str) -> list[str]:
    """Return the media types of an ``Accept`` header, the most preferred first."""
    liked = []
    for entry in header.split(","):
        media_type, *options = (part.strip().lower() for part in entry.split(";"))
        quality = next((part[2:] for part in options if part.startswith("q=")), "1")
        liked.append((_number(quality), media_type))
    return [each for quality, each in sorted(liked, key=lambda pair: -pair[0]) if quality > 0]


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0


def check_fields(names: Sequence[str], format: Format) -> None:
    """Refuse fields that jobs do not have in that format."""
    known = TABLE_FIELDS if format in (Format.CSV, Format.PARQUET, Format.ARROW) else FIELDS
    for name in names:
        if name not in known:
            raise UnknownNameError("field", name, known)


def picked(record: Record, names: Sequence[str]) -> Record:
    """Return these fields of a record: its own items, or columns of tables of jobs."""
    return {
        name: record.get(name) if name in JobRecord.model_fields else COLUMNS[name][1](record)
        for name in names
    }


def json_lines(portions: Iterable[Sequence[Record]], names: Sequence[str]) -> Iterator[bytes]:
    """Yield a record on each line."""
    for portion in portions:
        shown = (picked(record, names) if names else record for record in portion)
        yield b"".join(to_json(record) + b"\n" for record in shown)


def csv_rows(portions: Iterable[Sequence[Record]], names: Sequence[str]) -> Iterator[bytes]:
    """Yield a row for each job, under the names of the columns."""
    columns = names or tuple(COLUMNS)
    yield _csv([columns])
    for portion in portions:
        yield _csv(rows(portion, columns))


def _csv(cells: Iterable[Iterable[Any]]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(cells)
    return text.getvalue().encode()


class _Sink(io.RawIOBase):
    """A buffer that a columnar writer fills, and from which the answer is sent."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._length = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._parts.append(bytes(data))
        self._length += len(self._parts[-1])
        return len(self._parts[-1])

    def tell(self) -> int:
        return self._length

    def taken(self) -> bytes:
        """Return the bytes written since the last call."""
        parts, self._parts = self._parts, []
        return b"".join(parts)


def _columnar(open_writer: Callable[[Any, Any], Any]) -> Writer:
    def write(portions: Iterable[Sequence[Record]], names: Sequence[str]) -> Iterator[bytes]:
        columns = names or tuple(COLUMNS)
        sink, schema = _Sink(), schema_of(columns)
        with open_writer(sink, schema) as writer:
            for portion in portions:
                writer.write_batch(record_batch(portion, columns, schema))
                yield sink.taken()
        yield sink.taken()

    return write


def _parquet(sink: Any, schema: Any) -> Any:
    import pyarrow.parquet as pq

    return pq.ParquetWriter(sink, schema, compression="zstd")


def _arrow(sink: Any, schema: Any) -> Any:
    import pyarrow as pa

    return pa.ipc.new_stream(sink, schema)


WRITERS: dict[Format, Writer] = {
    Format.JSON_LINES: json_lines,
    Format.CSV: csv_rows,
    Format.PARQUET: _columnar(_parquet),
    Format.ARROW: _columnar(_arrow),
}
"""The writers of portions of records, by format; if no fields are named, they write all."""


def table_response(frame: pl.DataFrame, format: Format) -> Response:
    """Return a small table in one piece."""
    stream = io.BytesIO()
    if format is Format.CSV:
        frame.write_csv(stream)
    elif format is Format.PARQUET:
        frame.write_parquet(stream)
    else:
        frame.write_ipc_stream(stream)
    return Response(stream.getvalue(), media_type=MEDIA_TYPES[format])
