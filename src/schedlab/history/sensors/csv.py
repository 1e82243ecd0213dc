"""Tables of text, such as the daily files that many facilities write."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from schedlab.errors import ParameterError, SensorError
from schedlab.history.sensors.clock import EPOCH, with_epoch
from schedlab.history.sensors.source import SensorRequest
from schedlab.history.sensors.table import TableItem, TableSection, TableSource

if TYPE_CHECKING:
    import polars as pl

# The jobs of one day all ask for the same few files.
FILES_KEPT = 4


@dataclass(frozen=True, kw_only=True)
class CsvSection(TableSection):
    """``[[sensor_source]] kind = "csv"``; ``.gz`` and ``.zst`` are unpacked.

    Args:
        separator: what separates the values of a row.
        comment: what a comment line begins with.
        skip_lines: number of lines before the names of the columns.
        decimal: the mark before the fraction of a number.
    """

    separator: str = ","
    comment: str | None = None
    skip_lines: int = 0
    decimal: str = "."

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.separator.encode()) != 1:
            raise ParameterError(f'separator is "{self.separator}"; must be one character of ASCII')


@dataclass
class CsvSource(TableSource[CsvSection]):
    """Reads CSV files; a value that is not a number counts as a gap."""

    _kept: OrderedDict[tuple[Path, int], pl.DataFrame] = field(default_factory=OrderedDict)
    _lock: Lock = field(default_factory=Lock)  # the service reads in several threads

    source_section = CsvSection

    def rows(
        self, path: Path, item: TableItem, columns: Sequence[str], request: SensorRequest
    ) -> pl.DataFrame:
        """Return the rows, from a file that is read once for all items."""
        import polars as pl

        frame = self._whole(path)
        wanted = self.require(path, frame.columns, columns)
        present = [each for each in columns if each in wanted]
        frame = frame.filter(pl.col(EPOCH).is_between(request.start_s, request.end_s))
        if item.row is not None and self.section.item_column is not None:
            frame = frame.filter(pl.col(self.section.item_column) == item.row)
        texts = pl.col(present).str.strip_chars()
        if self.section.decimal != ".":
            texts = texts.str.replace(self.section.decimal, ".", literal=True)
        numbers = texts.cast(pl.Float64, strict=False).fill_null(float("nan"))
        return frame.select(EPOCH, *self.section.keys, numbers)

    def _whole(self, path: Path) -> pl.DataFrame:
        key = (path, path.stat().st_mtime_ns)
        with self._lock:
            if key not in self._kept:
                self._kept[key] = self._load(path)
                if len(self._kept) > FILES_KEPT:
                    self._kept.popitem(last=False)
            self._kept.move_to_end(key)
            return self._kept[key]

    def _load(self, path: Path) -> pl.DataFrame:
        import polars as pl

        section = self.section
        frame = pl.read_csv(
            path,
            separator=section.separator,
            comment_prefix=section.comment,
            skip_lines=section.skip_lines,
            infer_schema=False,
            truncate_ragged_lines=True,
            encoding="utf8-lossy",
            glob=False,
        ).rename(str.strip)
        self.require(path, frame.columns, [section.time_column])
        timed = with_epoch(
            frame, section.time_column, section.time_format, section.time_zone, section.keys
        )
        if frame.height and not timed.height:
            shown = frame[section.time_column][0]
            raise SensorError(
                f'{path}: column "{section.time_column}": "{shown}" is not a time such as '
                f"{section.time_format or '2024-01-31T12:00:00'}"
            )
        return timed
