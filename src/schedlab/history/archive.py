"""Copies of timelines in Parquet, by cluster, date and item, for sites whose monitoring forgets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from schedlab.atomic import atomic_write
from schedlab.errors import NoSamplesError, SensorError
from schedlab.history.private import make_private_folder
from schedlab.history.sensors.archive import DAY_S, PART, ArchiveSource, cluster_folder
from schedlab.history.sensors.series import Series
from schedlab.history.sensors.source import AnySensorSource, MeasuringPoint, SensorRequest
from schedlab.history.site import Site
from schedlab.history.store import Store
from schedlab.history.store.tables import jobs
from schedlab.platform import Cluster

if TYPE_CHECKING:
    import polars as pl

LATE_S = 7 * DAY_S
"""How long after a day's end its samples may still arrive, for example in a copied file."""


@dataclass
class Archived:
    """What was copied, and what could not be."""

    files: int = 0
    failures: tuple[str, ...] = ()


def archive_days(site: Site, store: Store, now_s: float) -> Archived | None:
    """Copy each whole day in which jobs of the store ran, unless it has been copied.

    Return None if the site has no ``[archive]``. A file holds one item on one day and appears only
    when it is complete. If the sensors fail, the next call tries again; if they have no samples,
    the next calls try again for a week.
    """
    if site.archive is None:
        return None
    archived, folder = Archived(), site.path.parent / site.archive.folder
    for cluster in site.clusters:
        items = _archivable(site, cluster)
        for day in _days(store, cluster.name, now_s):
            for item, sources in items.items():
                path = _path(folder, cluster.name, day, item)
                if path.exists():
                    continue
                try:
                    found = _read(item, sources, cluster, day)
                except SensorError as error:
                    archived.failures += (f"{day}: {error}",)
                    continue
                if found or now_s > _begin_s(day) + DAY_S + LATE_S:
                    _write(path, found)
                    archived.files += 1
    return archived


def _archivable(site: Site, cluster: Cluster) -> dict[str, list[AnySensorSource]]:
    """Return the sources, except archives, of each item of hosts, devices or the site."""
    items = {
        item: [
            source
            for source in sources
            if not isinstance(source, ArchiveSource) and source.items[item].scope != "job"
        ]
        for item, sources in site.sensor_items(cluster.name).items()
    }
    return {item: sources for item, sources in items.items() if sources}


def _write(path: Path, found: Mapping[MeasuringPoint, Series]) -> None:
    make_private_folder(path.parent)
    with atomic_write(path) as temporary:
        temporary.touch(mode=0o600)
        _frame(found).write_parquet(temporary)


def _days(store: Store, cluster: str, now_s: float) -> Iterator[date]:
    span = select(func.min(jobs.c.start_s), func.max(jobs.c.end_s))
    ((first_s, last_s),) = store.select(span.where(jobs.c.cluster.in_((cluster, ""))))
    if first_s is None or last_s is None:
        return
    day = datetime.fromtimestamp(first_s, UTC).date()
    while _begin_s(day) <= last_s and _begin_s(day) + DAY_S <= now_s:
        yield day
        day += timedelta(days=1)


def _begin_s(day: date) -> float:
    return datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()


def _path(folder: Path, cluster: str, day: date, item: str) -> Path:
    return folder / cluster_folder(cluster) / f"date={day}" / f"item={item}" / PART


def _read(
    item: str, sources: list[AnySensorSource], cluster: Cluster, day: date
) -> dict[MeasuringPoint, Series]:
    """Read that day from every source; if several know a place, the first of them counts."""
    found: dict[MeasuringPoint, Series] = {}
    hosts = {
        host: tuple(str(number) for number in range(nodes.gpu_count))
        for host, nodes in cluster.by_host.items()
    }
    request = SensorRequest(hosts, _begin_s(day), _begin_s(day) + DAY_S, cluster=cluster.name)
    for source in sources:
        with suppress(NoSamplesError):
            found = source.read(item, request) | found
    return found


def _frame(found: Mapping[MeasuringPoint, Series]) -> pl.DataFrame:
    """Return a table of the intervals of all places, one place after the other."""
    import polars as pl

    schema = {
        "host": pl.String,
        "device": pl.String,
        **dict.fromkeys(("start_s", "end_s", "mean", "minimum", "maximum"), pl.Float64),
        "unit": pl.String,
        "source": pl.String,
        "native_step_s": pl.Float64,
        "peaks_hidden": pl.Boolean,
    }
    frames = [
        pl.DataFrame(
            {
                "start_s": series.start_s,
                "end_s": series.end_s,
                "mean": series.mean,
                "minimum": series.least,
                "maximum": series.greatest,
            }
        ).with_columns(
            host=pl.lit(place.host, pl.String),
            device=pl.lit(place.device, pl.String),
            unit=pl.lit(series.unit),
            source=pl.lit(series.source),
            native_step_s=pl.lit(series.native_step_s),
            peaks_hidden=pl.lit(series.peaks_hidden),
        )
        for place, series in sorted(found.items(), key=lambda each: str(each[0]))
    ]
    return pl.concat([pl.DataFrame(schema=schema), *(f.select(list(schema)) for f in frames)])
