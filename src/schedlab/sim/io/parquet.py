"""Parquet: the schedules as one table, their descriptions in the file's metadata."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from schedlab.atomic import atomic_write
from schedlab.errors import InputError
from schedlab.sim.io.description import from_json, to_json
from schedlab.sim.io.format import ScheduleTable
from schedlab.sim.io.table import joint_frame
from schedlab.sim.schedule import Schedule

_KEY = b"schedlab"


def write(schedules: Sequence[Schedule], path: Path) -> None:
    """Write one row per job and policy."""
    import polars as pl
    import pyarrow.parquet as pq

    frame = joint_frame(schedules)
    texts = [name for name, dtype in frame.schema.items() if dtype in (pl.String, pl.Enum)]
    repeated = [name for name in texts if name != "node_ranges"]
    table = frame.to_arrow().replace_schema_metadata({_KEY: to_json(schedules).encode()})
    with atomic_write(path) as temporary:
        pq.write_table(table, temporary, compression="zstd", use_dictionary=repeated)


def read(path: Path) -> ScheduleTable:
    """Read any Parquet file with the columns of a schedule; the descriptions may be absent."""
    import polars as pl
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(path)
    except pa.ArrowInvalid as error:
        raise InputError(f"{path}: not a Parquet file: {error}") from None
    text = (table.schema.metadata or {}).get(_KEY)
    frame = pl.DataFrame(table.replace_schema_metadata(None))
    return ScheduleTable(frame, from_json(text) if text else {})
