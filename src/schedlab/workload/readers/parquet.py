"""Our own Parquet: columns of ``COLUMNS``; labels, header and provenance in the metadata.

The Parquet of a job history is read, too: its table holds each standard record as JSON besides its
columns.
"""

from __future__ import annotations

import json
from typing import Any

from schedlab.errors import InputError
from schedlab.workload.readers.frame_records import frame_records, our_names
from schedlab.workload.readers.job_history import history_workload
from schedlab.workload.readers.reader import Reader, ReadOptions
from schedlab.workload.readers.repair import repair
from schedlab.workload.readers.source import Source
from schedlab.workload.workload import Workload

METADATA_KEY = b"schedlab.workload"
_RECORDS = {"jobid", "record"}


class ParquetReader(Reader):
    """Reads our own Parquet, any other with these columns, and that of a job history."""

    suffixes = (".parquet", ".pq")
    has_names = True

    def recognises(self, head: bytes) -> bool:
        """Recognise it by the first bytes of a Parquet file."""
        return head.startswith(b"PAR1")

    def read(self, source: Source, options: ReadOptions) -> Workload:
        """Return the jobs, with what the metadata says of them."""
        import polars as pl
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            file = pq.ParquetFile(pa.BufferReader(source.data))
            table = file.read()
            names = table.column_names
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            raise InputError(f"{source.path}: not a readable Parquet file: {error}") from None
        if _RECORDS.issubset(names):
            records = map(json.loads, table["record"].to_pylist())
            return history_workload(records, source.path, options, name=source.stem)
        table = table.rename_columns(our_names(source.path, names, options.names()))
        saved = _saved(source, (file.metadata.metadata or {}).get(METADATA_KEY, b"{}"))
        rows, labels = frame_records(source.path, pl.DataFrame(table), None, options.factors())
        columns, report = repair(rows, options)
        return Workload(
            columns,
            name=saved.get("name", source.stem),
            header=saved.get("header"),
            labels={**labels, **saved.get("labels", {})},
            report=report,
            provenance=saved.get("provenance", ()),
        )


def _saved(source: Source, text: bytes) -> dict[str, Any]:
    try:
        return dict(json.loads(text))
    except (ValueError, TypeError) as error:
        raise InputError(f"{source.path}: its schedlab metadata is damaged: {error}") from None
