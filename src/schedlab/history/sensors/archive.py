"""The Parquet archive of timelines as a sensor source, read with DuckDB."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from schedlab.errors import SensorError
from schedlab.history.sensors.series import Series
from schedlab.history.sensors.source import (
    ItemSection,
    MeasuringPoint,
    SensorRequest,
    SensorSource,
    SourceSection,
)

DAY_S = 86_400
PART = "part.parquet"


def cluster_folder(cluster: str) -> str:
    """Return where in an archive the timelines of a cluster are."""
    return f"cluster={quote(cluster, safe='')}"


_QUERY = """
SELECT host, device, start_s, end_s, mean, minimum, maximum, unit, source,
       native_step_s, peaks_hidden
FROM read_parquet($files)
WHERE list_contains($hosts, host) AND end_s > $start_s AND start_s < $end_s
ORDER BY host, device, start_s
"""
_WHOLE_SITE = _QUERY.replace("list_contains($hosts, host)", "host IS NULL")


@dataclass(frozen=True, kw_only=True)
class ArchiveSourceSection(SourceSection):
    """``[[sensor_source]] kind = "archive"``.

    Args:
        folder: of the archive, as ``[archive]`` names it.
    """

    folder: str


class ArchiveSource(SensorSource[ArchiveSourceSection, ItemSection]):
    """Reads the days that were archived; items are in the schema's units there."""

    source_section = ArchiveSourceSection

    def fetch(self, item: ItemSection, request: SensorRequest) -> dict[MeasuringPoint, Series]:
        """Return the intervals of each place, from the files of those days."""
        import duckdb

        files = [str(path) for path in self._files(item.name, request)]
        if not files:
            return {}
        times = {"files": files, "start_s": request.start_s, "end_s": request.end_s}
        try:
            with duckdb.connect() as database:
                if item.scope == "site":
                    answer = database.execute(_WHOLE_SITE, times)
                else:
                    answer = database.execute(_QUERY, {**times, "hosts": list(request.hosts)})
                columns = answer.fetchnumpy()
        except duckdb.Error as error:
            raise SensorError(f"{self.name}: {str(error).splitlines()[0]}") from None
        strange = set(columns["unit"]) - {item.unit}
        if strange:
            raise SensorError(
                f'{self.name}: "{item.name}" is archived in {strange.pop()}, not in {item.unit}'
            )
        wanted = set(request.places(item))
        found = _series(columns, item)
        return {place: series for place, series in found if place in wanted}

    def check(self) -> str:
        """Count the days."""
        folder = self.folder / self.section.folder
        days = {path.name for path in folder.glob("cluster=*/date=*")}
        if not days:
            raise SensorError(f"{self.name}: nothing is archived in {folder}")
        return f"{len(days)} days in {folder}, from {min(days)[5:]} to {max(days)[5:]}"

    def _files(self, item: str, request: SensorRequest) -> Iterator[Path]:
        day = datetime.fromtimestamp(request.start_s, UTC).date()
        while day <= datetime.fromtimestamp(request.end_s, UTC).date():
            for folder in self._clusters(request.cluster):
                path = folder / f"date={day}" / f"item={item}" / PART
                if path.is_file():
                    yield path
            day += timedelta(days=1)

    def _clusters(self, cluster: str | None) -> list[Path]:
        """Return the folder of that cluster; without its name, those of all."""
        folder = self.folder / self.section.folder
        if cluster is not None:
            return [folder / cluster_folder(cluster)]
        return sorted(folder.glob("cluster=*"))


def _series(
    columns: dict[str, NDArray[Any]], item: ItemSection
) -> Iterator[tuple[MeasuringPoint, Series]]:
    """Yield one series for each run of rows of one host and device."""
    places = list(zip(_texts(columns["host"]), _texts(columns["device"]), strict=True))
    starts = [at for at in range(len(places)) if at == 0 or places[at] != places[at - 1]]
    for first, last in zip(starts, [*starts[1:], len(places)], strict=True):
        part = {name: values[first:last] for name, values in columns.items()}
        yield (
            MeasuringPoint(*places[first]),
            Series.of_intervals(
                part["start_s"],
                part["end_s"],
                part["mean"],
                minimum=part["minimum"],
                maximum=part["maximum"],
                unit=item.unit,
                source=str(part["source"][0]),
                native_step_s=float(part["native_step_s"][0]),
                peaks_hidden=bool(part["peaks_hidden"][0]),
            ),
        )


def _texts(column: NDArray[Any]) -> list[str | None]:
    """Return the texts; None for what is null, which DuckDB masks."""
    return [None if each is None else str(each) for each in np.ma.array(column).tolist()]
