"""Tables in Parquet; only the wanted columns and rows are read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schedlab.history.sensors.clock import with_epoch
from schedlab.history.sensors.source import SensorRequest
from schedlab.history.sensors.table import TableItem, TableSection, TableSource

if TYPE_CHECKING:
    import polars as pl

# Local times are compared without their zone, which is never further than this from UTC.
_ZONES_S = 15 * 3600


@dataclass(frozen=True, kw_only=True)
class ParquetSection(TableSection):
    """``[[sensor_source]] kind = "parquet"``."""


class ParquetSource(TableSource[ParquetSection]):
    """Reads Parquet files."""

    source_section = ParquetSection

    def rows(
        self, path: Path, item: TableItem, columns: Sequence[str], request: SensorRequest
    ) -> pl.DataFrame:
        """Return the rows of the time wanted; no others are read from the file."""
        import polars as pl

        section = self.section
        table = pl.scan_parquet(path, glob=False)
        schema = table.collect_schema()
        wanted = self.require(path, schema.names(), columns)
        table = table.filter(_in_time(section, schema[section.time_column], request))
        if section.keys:
            table = table.with_columns(pl.col(section.keys).cast(pl.String))
        if section.host_column is not None and item.scope != "site":
            table = table.filter(pl.col(section.host_column).is_in(list(request.hosts)))
        if item.row is not None and section.item_column is not None:
            table = table.filter(pl.col(section.item_column) == item.row)
        frame = table.select(wanted).collect()
        present = [each for each in columns if each in wanted]
        frame = frame.with_columns(
            pl.col(present).cast(pl.Float64, strict=False).fill_null(float("nan"))
        )
        return with_epoch(
            frame, section.time_column, section.time_format, section.time_zone, section.keys
        )


def _in_time(section: ParquetSection, dtype: Any, request: SensorRequest) -> pl.Expr:
    import polars as pl

    column = pl.col(section.time_column)
    if dtype.is_numeric():
        scale = 1000 if section.time_format == "epoch_ms" else 1
        return column.is_between(request.start_s * scale, request.end_s * scale)
    if not isinstance(dtype, pl.Datetime):
        return pl.lit(True)
    slack_s = _ZONES_S if dtype.time_zone is None else 0
    edges_s = request.start_s - slack_s, request.end_s + slack_s
    exact = pl.Datetime("us", dtype.time_zone)
    start, end = (pl.lit(int(edge_s * 1e6)).cast(exact).cast(dtype) for edge_s in edges_s)
    return column.is_between(start, end)
