"""Sensor sources that are tables in files: a row per moment, or per moment and host."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from schedlab.errors import NoSamplesError, SensorError
from schedlab.history.schema.times import find_zone
from schedlab.history.sensors.clock import EPOCH
from schedlab.history.sensors.series import Series
from schedlab.history.sensors.source import (
    ItemSection,
    MeasuringPoint,
    SensorRequest,
    SensorSource,
    SourceSection,
)

if TYPE_CHECKING:
    import polars as pl

_DATE = re.compile(r"\{date:([^{}]+)\}")


@dataclass(frozen=True, kw_only=True)
class TableSection(SourceSection):
    """The keys of sources that are tables in files.

    Args:
        files: path with ``{date:%Y%m%d}`` for daily files, ``{host}``, and ``*`` for anything.
        time_column: column of the times.
        time_format: format as in strptime, ``epoch`` or ``epoch_ms``. Default: ISO 8601.
        time_zone: zone of times that do not give theirs, and of dates in the names of files.
        host_column: column of the hosts' names, if a file has rows of several hosts.
        device_column: column of the devices' names.
        item_column: column of the items' names, if a file has rows of several items.
    """

    files: str
    time_column: str = "time"
    time_format: str | None = None
    time_zone: str = "UTC"
    host_column: str | None = None
    device_column: str | None = None
    item_column: str | None = None

    def __post_init__(self) -> None:
        find_zone(self.time_zone)

    @property
    def keys(self) -> list[str]:
        """Columns that tell series apart."""
        columns = (self.host_column, self.device_column, self.item_column)
        return [each for each in columns if each is not None]


@dataclass(frozen=True, kw_only=True)
class TableItem(ItemSection):
    """Where in the tables an item is.

    Args:
        column: column of its values; with ``{host}`` and ``{device}`` if each has its own.
        row: text in ``item_column`` that marks its rows.
    """

    column: str
    row: str | None = None


T = TypeVar("T", bound=TableSection)


class TableSource(SensorSource[T, TableItem]):
    """Reads an item from the files that cover the time wanted."""

    item_section = TableItem

    def fetch(self, item: TableItem, request: SensorRequest) -> dict[MeasuringPoint, Series]:
        """Return the timeline of each place, from the rows of all files."""
        import polars as pl

        parts: dict[MeasuringPoint, list[pl.DataFrame]] = {}
        for path, places in self._paths(item, request).items():
            columns = sorted({place.filled(item.column) for place in places})
            try:
                frame = self.rows(path, item, columns, request)
            except (pl.exceptions.PolarsError, OSError) as error:
                raise SensorError(f"{path}: cannot be read: {str(error).splitlines()[0]}") from None
            for place, rows in self._split(frame, item, places):
                parts.setdefault(place, []).append(rows)
        found = {}
        for place, frames in parts.items():
            rows = pl.concat(frames)
            found[place] = item.series(rows[EPOCH].to_numpy(), rows["value"].to_numpy(), self.name)
        return found

    def check(self) -> str:
        """Count the files."""
        pattern = MeasuringPoint("*", "*").filled(_DATE.sub("*", self.section.files), "*")
        count = sum(1 for _ in self._matching(pattern))
        if not count:
            raise SensorError(f"{self.name}: no file {self.folder / self.section.files}")
        return f"{count} files {self.folder / self.section.files}"

    @abstractmethod
    def rows(
        self, path: Path, item: TableItem, columns: Sequence[str], request: SensorRequest
    ) -> pl.DataFrame:
        """Return the rows of the item in the time wanted, with the column ``EPOCH``."""

    def require(self, path: Path, known: Sequence[str], wanted: Sequence[str]) -> list[str]:
        """Return the columns to read: the keys, the time, and the wanted ones that are there."""
        present = [each for each in wanted if each in known]
        needed = [self.section.time_column, *self.section.keys]
        for column in needed if present else [*needed, wanted[0]]:
            if column not in known:
                raise SensorError(f'{path}: has no column "{column}"; has {_few(known)}')
        return [*needed, *present]

    def _paths(self, item: TableItem, request: SensorRequest) -> dict[Path, list[MeasuringPoint]]:
        """Return the existing files, each with the places that it may have data of."""
        paths: dict[Path, list[MeasuringPoint]] = {}
        for place in request.places(item):
            for dated in self._dated(request):
                for path in self._matching(place.filled(dated, request.jobid)):
                    paths.setdefault(path, []).append(place)
        if not paths:
            raise NoSamplesError(
                f"{self.name}: no file {self.folder / self.section.files} of that time"
            )
        return paths

    def _dated(self, request: SensorRequest) -> Iterator[str]:
        if not _DATE.search(self.section.files):
            yield self.section.files
            return
        zone = find_zone(self.section.time_zone)
        day, last = (datetime.fromtimestamp(s, zone) for s in (request.start_s, request.end_s))
        while day.date() <= last.date():
            yield _dated(self.section.files, day)
            day += timedelta(days=1)

    def _matching(self, name: str) -> Iterator[Path]:
        path = self.folder / name
        if "*" not in name:
            if path.is_file():
                yield path
            return
        root = Path(path.anchor or ".")
        yield from sorted(each for each in root.glob(str(path.relative_to(root))) if each.is_file())

    def _split(
        self, frame: pl.DataFrame, item: TableItem, places: Sequence[MeasuringPoint]
    ) -> Iterator[tuple[MeasuringPoint, pl.DataFrame]]:
        """Yield the rows of each place, with their value in the column ``value``."""
        keys = [c for c in (self.section.host_column, self.section.device_column) if c is not None]
        keys = keys[: 0 if item.scope == "site" else 1 + (item.scope == "device")]
        groups: dict[tuple[Any, ...], pl.DataFrame] = {(): frame}
        if keys:
            groups = frame.partition_by(keys, as_dict=True)
        for place in places:
            name = tuple(each for each in place if each is not None)[: len(keys)]
            column = place.filled(item.column)
            if (rows := groups.get(name)) is not None and column in rows.columns:
                yield place, rows.select(EPOCH, rows[column].alias("value"))


def _dated(template: str, day: datetime) -> str:
    return _DATE.sub(lambda found: day.strftime(found[1]), template)


def _few(names: Sequence[str]) -> str:
    shown = ", ".join(f'"{name[:30]}"' for name in names[:6])
    return shown + (", ..." if len(names) > 6 else "")
