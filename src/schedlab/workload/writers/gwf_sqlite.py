"""The SQLite form of the Grid Workloads Format: a table ``Jobs``."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import BinaryIO

from schedlab.workload.readers.gwf import GWF_FIELDS
from schedlab.workload.workload import COLUMNS, Workload
from schedlab.workload.writers.gwf import further_texts, gwf_frame
from schedlab.workload.writers.writer import Writer

_SQLITE_NAMES = {"NProcs": "NProc", "AverageCPUTimeUsed": "UsedCPUTime"}


class GwfSqliteWriter(Writer):
    """Writes a SQLite file with the table ``Jobs``."""

    suffixes = (".sqlite", ".sqlite3", ".db", ".db3")
    columns = frozenset(COLUMNS)

    def write(self, workload: Workload, stream: BinaryIO) -> None:
        """Write the whole database, made in memory."""
        names = ", ".join(f'"{_SQLITE_NAMES.get(field, field)}"' for field in GWF_FIELDS)
        marks = ", ".join("?" * len(GWF_FIELDS))
        with closing(sqlite3.connect(":memory:")) as database:
            database.execute(f"CREATE TABLE Jobs ({names})")
            rows = gwf_frame(workload, workload.labels, further_texts(workload)).iter_rows()
            database.executemany(f"INSERT INTO Jobs VALUES ({marks})", rows)
            database.commit()
            stream.write(database.serialize())
