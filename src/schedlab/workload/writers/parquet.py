"""Our own Parquet: columns of ``COLUMNS``; labels, header and provenance in the metadata."""

from __future__ import annotations

import json
from typing import BinaryIO

from schedlab.workload.readers.parquet import METADATA_KEY
from schedlab.workload.workload import COLUMNS, Workload
from schedlab.workload.writers.writer import Writer


class ParquetWriter(Writer):
    """Writes everything a workload has."""

    suffixes = (".parquet", ".pq")
    columns = frozenset(COLUMNS)

    def write(self, workload: Workload, stream: BinaryIO) -> None:
        """Write the columns as they are, codes as numbers."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        saved = {
            "name": workload.name,
            "header": workload.header,
            "labels": workload.labels,
            "provenance": workload.provenance,
        }
        table = pa.table({name: workload[name] for name in workload.columns})
        table = table.replace_schema_metadata({METADATA_KEY: json.dumps(saved)})
        pq.write_table(table, stream, compression="zstd")
