"""Timelines, opened by the URI in a record and read from their source only then."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Request
from pydantic import BeforeValidator, Field, WithJsonSchema
from pydantic_core import to_json
from sqlalchemy import Connection
from starlette.responses import Response

from schedlab.errors import ParameterError
from schedlab.history.attribution import times_on
from schedlab.history.gather import device_name, with_devices
from schedlab.history.schema.job import HostUse, JobRecord
from schedlab.history.sensors.resample import AGGREGATES
from schedlab.history.sensors.source import MeasuringPoint
from schedlab.history.site import Site
from schedlab.history.web.api.answers import TimelineAnswer, in_formats, refusals
from schedlab.history.web.api.formats import MEDIA_TYPES, TABLES, Format, choose, table_response
from schedlab.history.web.api.job import several
from schedlab.history.web.parameters import (
    Asking,
    CurrentAsking,
    Moment,
    Name,
    Parameters,
    one_of,
)
from schedlab.history.web.problems import HttpProblem, not_found
from schedlab.history.web.queries.search import IdentifiedJob, JobId, jobs_of
from schedlab.history.web.queries.shown import Shown
from schedlab.history.web.queries.timelines import (
    FEWEST_POINTS,
    TimelinePart,
    TimelineRequest,
    read_timelines,
)
from schedlab.units import parse_duration

router = APIRouter(prefix="/v1", tags=["timelines"])


def _seconds(text: Any) -> int:
    try:
        return parse_duration(str(text))
    except ParameterError as error:
        raise ValueError(str(error)) from None


Duration = Annotated[
    int,
    BeforeValidator(_seconds),
    Field(gt=0, lt=2**40),
    WithJsonSchema(
        {
            "type": "string",
            "pattern": r"^\d+(\.\d+)?(s|m|min|h|d|w)?$",
            "examples": ["5min", "90s", "1h"],
        }
    ),
]


class TimelineParameters(Parameters):
    """The part of a timeline that is wanted, its resolution and its format."""

    from_: Moment | None = Field(None, alias="from", description="From then on, in ISO 8601.")
    to: Moment | None = Field(None, description="Until then, in ISO 8601.")
    freq: Duration | None = Field(
        None, description="In steps of this length, such as `5min`; finer than measured is native."
    )
    agg: Annotated[str, one_of(AGGREGATES)] | None = Field(
        None, description="What a step is; the time-weighted mean if it is not said."
    )
    max_points: int | None = Field(
        None, ge=FEWEST_POINTS, description="No more points; a line through them looks the same."
    )
    format: Annotated[Format, one_of(TABLES)] | None = Field(
        None, description="Else as `Accept` says, else JSON."
    )

    def wanted(self) -> TimelineRequest:
        """Return the part and the resolution in the form that queries take."""
        return TimelineRequest(
            from_s=self.from_,
            to_s=self.to,
            freq_s=self.freq,
            agg=self.agg,
            max_points=self.max_points,
        )


_Part = Annotated[Name, Path()]


@dataclass(frozen=True)
class HostTimeline:
    """What the path names: an item of a job on one of its hosts."""

    cluster: _Part
    jobid: _Part
    host: _Part
    item: _Part

    @property
    def device_name(self) -> str | None:
        """The name of the accelerator, if the item is of one."""
        return None


@dataclass(frozen=True)
class DeviceTimeline(HostTimeline):
    """An item of a job on one accelerator, by the name in the record's URI."""

    device: _Part

    @property
    def device_name(self) -> str | None:
        """The name of the accelerator."""
        return self.device


_ABOUT: Any = {
    "response_class": Response,
    "responses": {
        200: in_formats(TimelineAnswer, TABLES, "The timeline."),
        **refusals(404, 406, 409, 502),
    },
}


@router.get("/timelines/{cluster}/{jobid}/{host}/{item}", **_ABOUT)
def get_timeline(
    request: Request,
    asking: CurrentAsking,
    name: Annotated[HostTimeline, Depends()],
    parameters: Annotated[TimelineParameters, Query()],
) -> Response:
    """Return an item of a job on one host, from its source, clipped to the job's time there."""
    return _respond(request, asking, name, parameters)


@router.get("/timelines/{cluster}/{jobid}/{host}/{item}/{device:path}", **_ABOUT)
def get_timeline_of_device(
    request: Request,
    asking: CurrentAsking,
    name: Annotated[DeviceTimeline, Depends()],
    parameters: Annotated[TimelineParameters, Query()],
) -> Response:
    """Return an item of a job on one accelerator, by its name in the record's URI."""
    return _respond(request, asking, name, parameters)


def _respond(
    request: Request, asking: Asking, name: HostTimeline, parameters: TimelineParameters
) -> Response:
    format = choose(parameters.format, request.headers.get("accept", ""), TABLES)
    site, wanted = asking.service.settings.site, parameters.wanted()
    if site is None:
        raise HttpProblem(
            404, "there are no timelines: the service was started without a site file"
        )
    with asking.service.database.reading() as connection:
        stays = _stays(connection, asking, name, wanted)
        if not stays:
            raise not_found()
        if len(stays) > 1:
            return several([stay.job for stay in stays])
        record = stays[0].record
        host, place = _measured_part(site, stays[0], name, asking.shown)
        answers = read_timelines(
            connection, site, record, [host], name.item, wanted, now_s=time.time()
        )
    return _written(answers[place], name, parameters, format)


@dataclass(frozen=True)
class _Stay:
    """A job on one of its hosts."""

    job: IdentifiedJob
    record: JobRecord
    place: int

    def overlaps(self, wanted: TimelineRequest) -> bool:
        """Return whether the job was on the host in the wanted time."""
        start_s, end_s = times_on(self.record, (self.record.per_host or [])[self.place])
        begins_in_time = wanted.to_s is None or start_s < wanted.to_s
        return begins_in_time and (wanted.from_s is None or end_s > wanted.from_s)


def _stays(
    connection: Connection, asking: Asking, name: HostTimeline, wanted: TimelineRequest
) -> list[_Stay]:
    """Return the jobs that the name may mean: ids are used again, but at other times."""
    wanted_id = JobId(name.jobid, name.cluster)
    found = []
    for job in jobs_of(connection, asking.viewer, [wanted_id], asking.service.archive_folder)[
        wanted_id
    ]:
        hosts = asking.shown.record(job.document).get("per_host") or ()
        names = [host["node_id"] for host in hosts]
        if name.host in names:
            record = JobRecord.model_validate_json(job.document)
            found.append(_Stay(job, record, names.index(name.host)))
    return [stay for stay in found if stay.overlaps(wanted)] or found


def _measured_part(
    site: Site, stay: _Stay, name: HostTimeline, shown: Shown
) -> tuple[HostUse, MeasuringPoint]:
    """Return the host, with only the accelerator that is named, if any, and the measuring point."""
    cluster = site.cluster(stay.record.cluster)
    host = with_devices(stay.record, cluster)[stay.place]
    is_of_device = name.item.startswith("accelerator.")
    if name.device_name is None:
        if is_of_device:
            raise ParameterError(f'item: "{name.item}" is of a device; add it to the path')
        return host, MeasuringPoint(host.node_id)
    if not is_of_device:
        raise not_found()
    sections = [s.items[name.item] for s in site.sensor_items(cluster.name).get(name.item, ())]
    for number, device in enumerate(host.accelerator or ()):
        names = {device_name(device, section.device_by) for section in sections}
        if name.device_name in ({str(number)} if shown.hides("node") else names):
            only = host.model_copy(update={"accelerator": [device]})
            return only, MeasuringPoint(host.node_id, "0")
    raise not_found()


def _written(
    answer: TimelinePart, name: HostTimeline, parameters: TimelineParameters, format: Format
) -> Response:
    columns = {
        "start_s": answer.start_s,
        "end_s": answer.end_s,
        "value": answer.value,
        "min": answer.minimum,
        "max": answer.maximum,
    }
    if format is not Format.JSON:
        import polars as pl

        known = {key: each for key, each in columns.items() if each is not None}
        return table_response(pl.DataFrame(known), format)
    content = {
        "cluster": name.cluster,
        "jobid": name.jobid,
        "host": name.host,
        "item": name.item,
        "device": name.device_name,
        "from_s": answer.from_s,
        "to_s": answer.to_s,
        "freq_s": answer.freq_s,
        "agg": None if answer.freq_s is None else parameters.agg or "mean",
        **{key: None if each is None else each.tolist() for key, each in columns.items()},
        "provenance": answer.provenance.model_dump(mode="json", exclude_none=True),
    }
    return Response(to_json(content), media_type=MEDIA_TYPES[format])
