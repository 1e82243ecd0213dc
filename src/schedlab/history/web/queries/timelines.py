"""Timelines of a job, read from their sources on request, and no more of them than requested."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
from sqlalchemy import Connection, func, select

from schedlab.errors import ParameterError, SensorError, UnknownNameError
from schedlab.history.attribution import Occupancy, attribute, times_on
from schedlab.history.gather import ItemReading, Measured, read_item
from schedlab.history.schema.job import HostUse, JobRecord
from schedlab.history.schema.timeline import Provenance, Scope
from schedlab.history.schema.times import format_time, from_epoch
from schedlab.history.sensors.resample import AGGREGATES, coverage, resample, thinned
from schedlab.history.sensors.series import Floats, Series
from schedlab.history.sensors.source import MeasuringPoint, SensorRequest
from schedlab.history.site import Site
from schedlab.history.store.queries import JobQuery, conditions
from schedlab.history.store.tables import jobs

MOST_STEPS = 1_000_000
FEWEST_POINTS = 4


@dataclass(frozen=True, kw_only=True)
class TimelineRequest:
    """The part of timelines that is wanted, and in which form.

    Args:
        from_s: the beginning; None for when the job came to the host.
        to_s: the end; None for when the job left the host, or now.
        freq_s: length of a step, as time-weighted means or by ``agg``; None for values as measured.
        agg: one of ``AGGREGATES``.
        max_points: maximum number of points, chosen so that a line through them looks the same.
    """

    from_s: float | None = None
    to_s: float | None = None
    freq_s: float | None = None
    agg: str | None = None
    max_points: int | None = None

    def __post_init__(self) -> None:
        if self.agg is not None and self.agg not in AGGREGATES:
            raise UnknownNameError("agg", self.agg, AGGREGATES)
        if self.agg is not None and self.freq_s is None:
            raise ParameterError("agg: needs freq, the length of a step")
        if self.freq_s is not None and not self.freq_s > 0:
            raise ParameterError(f"freq: is {self.freq_s:g} s; must be above 0")
        if self.max_points is not None and self.max_points < FEWEST_POINTS:
            raise ParameterError(f"max_points: is {self.max_points}; must be >= {FEWEST_POINTS}")


@dataclass(frozen=True)
class TimelinePart:
    """The part of a timeline that was wanted.

    Args:
        from_s: where the window begins, within the job's time on the host.
        to_s: where the window ends.
        freq_s: the length of its steps; None if they are as they were measured.
        start_s: when each interval begins.
        end_s: when each interval ends; None if points were chosen among many.
        value: the value of each interval.
        minimum: the least value in each interval, if the value is a mean.
        maximum: the greatest value in each interval, if the value is a mean.
        provenance: where it comes from, and how far to trust it.
    """

    from_s: float
    to_s: float
    freq_s: float | None
    start_s: Floats
    end_s: Floats | None
    value: Floats
    minimum: Floats | None
    maximum: Floats | None
    provenance: Provenance


def read_timelines(
    connection: Connection,
    site: Site,
    record: JobRecord,
    hosts: Sequence[HostUse],
    item: str,
    wanted: TimelineRequest,
    *,
    now_s: float,
) -> dict[MeasuringPoint, TimelinePart]:
    """Return the timelines of one item on some hosts of a job that the viewer sees.

    Accelerators are named by their place among those of the host. If the sources know nothing of a
    place in that time, its timeline is empty and the provenance says so.

    Args:
        connection: a connection to the store, which knows the other jobs on a shared host.
        site: the site whose sensors are asked.
        record: the record of the job.
        hosts: hosts of the job, with the accelerators that are wanted.
        item: the item, such as ``power_watt``.
        wanted: the part that is wanted, and its form.
        now_s: the time until which a job that still runs has been on its hosts.
    """
    cluster = site.cluster(record.cluster)
    sources = site.sensor_items(cluster.name)
    if item not in sources:
        raise UnknownNameError("item", item, sources)
    windows = {host.node_id: _window(record, host, wanted, now_s) for host in hosts}
    first_s = min(start for start, _ in windows.values())
    last_s = max(end for _, end in windows.values())
    times = SensorRequest({}, first_s, last_s, record.jobid, cluster.name)
    reading = read_item(item, sources[item], times, hosts)
    if reading.faults and not reading.found:
        raise SensorError("; ".join(reading.faults))
    job = _Job(record, site, _occupancy(connection, site, record, list(windows), first_s, last_s))
    return {
        place: job.answer(host, found, wanted, windows[host.node_id])
        for host in hosts
        for place, found in _of_host(reading, host)
    }


@dataclass(frozen=True)
class _Job:
    """The job whose part of the measurements is wanted."""

    record: JobRecord
    site: Site
    occupancy: Occupancy | None

    def answer(
        self,
        host: HostUse,
        found: Measured | None,
        wanted: TimelineRequest,
        window: tuple[float, float],
    ) -> TimelinePart:
        """Return the job's part of what was found on the host."""
        seen = None if found is None else found.series.clipped(*window)
        if found is None or seen is None or not len(seen):
            nothing = np.empty(0)
            absent = Provenance(absent_reason="the source has no samples of that time")
            return TimelinePart(*window, None, nothing, nothing, nothing, None, None, absent)
        section = found.section
        part, how = attribute(seen, section, self.record, host, self.site, self.occupancy)
        provenance = Provenance(
            unit=part.unit,
            native_step_s=part.native_step_s or None,
            coverage=coverage(found.series, *window),
            scope=cast(Scope, section.scope),
            attribution=how,
            source=part.source,
            max_is_lower_bound=part.peaks_hidden or None,
        )
        return _answer(part, provenance, wanted, window)


def _window(
    record: JobRecord, host: HostUse, wanted: TimelineRequest, now_s: float
) -> tuple[float, float]:
    """Return the wanted part of the job's time on the host."""
    start_s, end_s = times_on(record, host)
    end_s = min(end_s, now_s)
    from_s = start_s if wanted.from_s is None else max(start_s, wanted.from_s)
    to_s = end_s if wanted.to_s is None else min(end_s, wanted.to_s)
    if not from_s < to_s:
        there = " to ".join(format_time(from_epoch(each)) for each in (start_s, end_s))
        raise ParameterError(f"from, to: the job was on the host from {there}, and not then")
    return from_s, to_s


def _of_host(
    reading: ItemReading, host: HostUse
) -> Iterator[tuple[MeasuringPoint, Measured | None]]:
    """Yield what was read of each accelerator of the host, else of the host, else of the site."""
    if reading.scope == "device":
        for number in range(len(host.accelerator or ())):
            place = MeasuringPoint(host.node_id, str(number))
            yield place, reading.found.get(place)
    else:
        place = MeasuringPoint() if reading.scope == "site" else MeasuringPoint(host.node_id)
        yield MeasuringPoint(host.node_id), reading.found.get(place)


def _occupancy(
    connection: Connection,
    site: Site,
    record: JobRecord,
    nodes: Sequence[str],
    first_s: float,
    last_s: float,
) -> Occupancy | None:
    """Return the other jobs on the hosts.

    What they held divides the measurement, and is not shown.
    """
    if site.sharing is None or record.exclusive:
        return None
    query = JobQuery(nodes=tuple(nodes), ran_from_s=int(first_s), ran_to_s=int(last_s) + 1)
    said = select(func.coalesce(jobs.c.said, jobs.c.record)).where(*conditions(query))
    return Occupancy(map(JobRecord.model_validate_json, connection.execute(said).scalars()))


def _answer(
    part: Series, provenance: Provenance, wanted: TimelineRequest, window: tuple[float, float]
) -> TimelinePart:
    """Return the job's part of a timeline, in the steps and with the points that are wanted."""
    from_s, to_s = window
    freq_s = wanted.freq_s
    if freq_s is not None and freq_s > part.native_step_s:
        if (to_s - from_s) / freq_s > MOST_STEPS:
            raise ParameterError(f"freq: makes more than {MOST_STEPS:,} steps; make it longer")
        part = resample(part, freq_s, wanted.agg or "mean", from_s=from_s, to_s=to_s)
        provenance = provenance.model_copy(update={"unit": part.unit})
    else:
        freq_s = None
    if wanted.max_points is not None and len(part) > wanted.max_points:
        time_s, value = thinned(part, wanted.max_points)
        return TimelinePart(from_s, to_s, freq_s, time_s, None, value, None, None, provenance)
    return TimelinePart(
        from_s,
        to_s,
        freq_s,
        part.start_s,
        part.end_s,
        part.mean,
        part.minimum,
        part.maximum,
        provenance,
    )
