"""Columns on disk: Parquet and Arrow's own file format, one row per job."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any

from pydantic_core import from_json

from schedlab.history.export.exporter import VOCABULARY, Exporter, Extent, Record, texts_in
from schedlab.history.export.flat import COLUMNS, values, whole

_ROWS = 20_000
_WHOLE = "record"


class _ColumnarExporter(Exporter):
    """Writes the flat columns and, in one more, the whole record as JSON."""

    def write(self, records: Iterable[Record], path: Path, extent: Extent) -> None:
        """Write the records in batches of rows."""
        import pyarrow as pa

        columns, records = schema_of(COLUMNS), iter(records)
        schema = columns.append(pa.field(_WHOLE, pa.string()))
        with self.opened(path, schema) as writer:
            while some := list(islice(records, _ROWS)):
                batch = record_batch(some, COLUMNS, columns)
                arrays = [*batch.columns, pa.array(map(whole, some), pa.string())]
                writer.write_batch(pa.record_batch(arrays, schema=schema))

    def texts(self, path: Path) -> Iterator[str]:
        """Yield the cells of columns that hold names, and the texts of the whole records."""
        names = [name for name, (kind, _) in COLUMNS.items() if kind is str]
        names = [name for name in names if name not in VOCABULARY]
        for batch in self.batches(path):
            for name in names:
                yield from filter(None, batch.column(name).to_pylist())
            for record in batch.column(_WHOLE).to_pylist():
                yield from texts_in(from_json(record))

    @abstractmethod
    def opened(self, path: Path, schema: Any) -> AbstractContextManager[Any]:
        """Return a writer of record batches."""

    @abstractmethod
    def batches(self, path: Path) -> Iterator[Any]:
        """Return the record batches that were written."""


class ParquetExporter(_ColumnarExporter):
    """Writes a Parquet file."""

    suffixes = (".parquet", ".pq")

    def opened(self, path: Path, schema: Any) -> AbstractContextManager[Any]:
        """Return a writer that makes one row group of each batch."""
        import pyarrow.parquet as pq

        writer: AbstractContextManager[Any] = pq.ParquetWriter(path, schema, compression="zstd")
        return writer

    def batches(self, path: Path) -> Iterator[Any]:
        """Yield the record batches of the file."""
        import pyarrow.parquet as pq

        yield from pq.ParquetFile(path).iter_batches()


class ArrowExporter(_ColumnarExporter):
    """Writes an Arrow file (Feather), which can be mapped into memory."""

    suffixes = (".arrow", ".feather")

    def opened(self, path: Path, schema: Any) -> AbstractContextManager[Any]:
        """Return a writer without compression, so that the file can be mapped."""
        import pyarrow as pa

        writer: AbstractContextManager[Any] = pa.ipc.new_file(str(path), schema)
        return writer

    def batches(self, path: Path) -> Iterator[Any]:
        """Yield the record batches as they were written."""
        import pyarrow as pa

        with pa.memory_map(str(path)) as source:
            file = pa.ipc.open_file(source)
            yield from (file.get_batch(number) for number in range(file.num_record_batches))


def schema_of(columns: Iterable[str]) -> Any:
    """Return the Arrow schema of some of the flat columns."""
    import pyarrow as pa

    types = {
        str: pa.string(),
        int: pa.int64(),
        float: pa.float64(),
        bool: pa.bool_(),
        datetime: pa.timestamp("s", tz="UTC"),
    }
    return pa.schema([(name, types[COLUMNS[name][0]]) for name in columns])


def record_batch(records: Sequence[Record], columns: Iterable[str], schema: Any) -> Any:
    """Return a record batch with some of the flat columns of some records."""
    import pyarrow as pa

    found = zip(values(records, columns), schema, strict=True)
    arrays = [
        pa.array(map(_moment, each) if pa.types.is_timestamp(field.type) else each, field.type)
        for each, field in found
    ]
    return pa.record_batch(arrays, schema=schema)


def _moment(text: Any) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)
