"""Columns on disk: Parquet and Arrow's own file format, one row per job."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any

from pydantic_core import from_json

from schedlab.history.export.exporter import VOCABULARY, Exporter, Extent, Record, texts_in
from schedlab.history.export.flat import COLUMNS, row, whole

_ROWS = 20_000
_WHOLE = "record"


class _ColumnarExporter(Exporter):
    """Writes the flat columns and, in one more, the whole record as JSON."""

    def write(self, records: Iterable[Record], path: Path, extent: Extent) -> None:
        """Some rows at a time."""
        import pyarrow as pa

        schema, records = _schema(), iter(records)
        with self.opened(path, schema) as writer:
            while some := list(islice(records, _ROWS)):
                columns = [*zip(*map(row, some), strict=True), tuple(map(whole, some))]
                arrays = [pa.array(c, f.type) for c, f in zip(columns, schema, strict=True)]
                writer.write_batch(pa.record_batch(arrays, schema=schema))

    def texts(self, path: Path) -> Iterator[str]:
        """The cells of columns that hold names, and the texts of the whole records."""
        names = [name for name, (kind, _) in COLUMNS.items() if kind is str]
        names = [name for name in names if name not in VOCABULARY]
        for batch in self.batches(path):
            for name in names:
                yield from filter(None, batch.column(name).to_pylist())
            for record in batch.column(_WHOLE).to_pylist():
                yield from texts_in(from_json(record))

    @abstractmethod
    def opened(self, path: Path, schema: Any) -> AbstractContextManager[Any]:
        """A writer of record batches."""

    @abstractmethod
    def batches(self, path: Path) -> Iterator[Any]:
        """The record batches that were written."""


class ParquetExporter(_ColumnarExporter):
    """Writes a Parquet file."""

    suffixes = (".parquet", ".pq")

    def opened(self, path: Path, schema: Any) -> AbstractContextManager[Any]:
        """One row group per batch."""
        import pyarrow.parquet as pq

        writer: AbstractContextManager[Any] = pq.ParquetWriter(path, schema, compression="zstd")
        return writer

    def batches(self, path: Path) -> Iterator[Any]:
        """Row by row groups."""
        import pyarrow.parquet as pq

        yield from pq.ParquetFile(path).iter_batches()


class ArrowExporter(_ColumnarExporter):
    """Writes an Arrow file (Feather), which can be mapped into memory."""

    suffixes = (".arrow", ".feather")

    def opened(self, path: Path, schema: Any) -> AbstractContextManager[Any]:
        """Uncompressed, so that it can be mapped."""
        import pyarrow as pa

        writer: AbstractContextManager[Any] = pa.ipc.new_file(str(path), schema)
        return writer

    def batches(self, path: Path) -> Iterator[Any]:
        """As they were written."""
        import pyarrow as pa

        with pa.memory_map(str(path)) as source:
            file = pa.ipc.open_file(source)
            yield from (file.get_batch(number) for number in range(file.num_record_batches))


def _schema() -> Any:
    import pyarrow as pa

    types = {
        str: pa.string(),
        int: pa.int64(),
        float: pa.float64(),
        bool: pa.bool_(),
        datetime: pa.timestamp("s", tz="UTC"),
    }
    fields = [(name, types[kind]) for name, (kind, _) in COLUMNS.items()]
    return pa.schema([*fields, (_WHOLE, pa.string())])
