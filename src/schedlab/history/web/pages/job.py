"""The page of one job."""

from __future__ import annotations

import time
from typing import Any
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Request
from starlette.responses import Response

from schedlab.history.efficiency.judge import efficiency_of
from schedlab.history.schema.job import HostUse, JobRecord
from schedlab.history.schema.times import format_time
from schedlab.history.web.access import Role
from schedlab.history.web.current import CurrentViewer
from schedlab.history.web.pages.job_facts import facts, wra
from schedlab.history.web.pages.job_gain import UNASKED, gain_asked, known_gain
from schedlab.history.web.pages.job_items import MeasuredJob
from schedlab.history.web.pages.job_plots import roofline_plot, timeline_plots
from schedlab.history.web.pages.job_wait import explain_wait
from schedlab.history.web.pages.job_waiting import still_waiting
from schedlab.history.web.parameters import CurrentShown
from schedlab.history.web.problems import not_found
from schedlab.history.web.quantities import zone_of
from schedlab.history.web.queries.listing import FOOTPRINT, footprints
from schedlab.history.web.queries.neighbours import neighbours
from schedlab.history.web.queries.other_attempts import attempts_at
from schedlab.history.web.queries.search import jobs_by_key
from schedlab.history.web.render import render
from schedlab.history.web.service import CurrentService

router = APIRouter(include_in_schema=False)

HOSTS_SHOWN = 64
FIRST_ITEMS = 4
"""The number of figures that are drawn at once; the others are drawn when they are opened."""


@router.get("/jobs/{key}", name="job")
def job_page(
    request: Request, service: CurrentService, viewer: CurrentViewer, shown: CurrentShown, key: int
) -> Response:
    """Show what the job asked for, where it waited, what it used, and what ran beside it."""
    site, zone = service.settings.site, zone_of(service)
    with service.database.reading() as connection:
        found = jobs_by_key(connection, viewer, [key], service.archive_folder)
        if not found:
            raise not_found()
        true = JobRecord.model_validate_json(found[0].document)
        record = JobRecord.model_validate(shown.record(found[0].document))
        wait = explain_wait(connection, viewer, true, site, zone)
        waiting = still_waiting(connection, service, viewer, found[0], shown)
        footprint = footprints(connection, [key]).get(key, {})
        attempts = attempts_at(connection, viewer, key)
        efficiency = efficiency_of(true, site)
        asked = gain_asked(key, true, efficiency)
        gain = known_gain(connection, asked)
        may_share = not true.exclusive and true.start_time is not None
        beside = neighbours(connection, viewer, key, time.time()) if may_share else None
    names = [host.node_id for host in record.per_host or ()]
    hosts = [_host_row(host) for host in (record.per_host or ())[:HOSTS_SHOWN]]
    measured = MeasuredJob.of(site, true, names)
    plots = [] if measured is None else timeline_plots(request, key, measured, zone)
    return render(
        request,
        viewer,
        "job.html",
        key=key,
        job=record,
        facts=facts(record, site, zone),
        wra=wra(record),
        footprint={item: footprint.get(item) for item in FOOTPRINT},
        efficiency=efficiency,
        gain=gain,
        asks_gain=asked is not None and gain["state"] in UNASKED and viewer.role is not Role.PUBLIC,
        wait=wait,
        waiting=waiting,
        attempts=attempts if len(attempts) > 1 else [],
        plots=plots[:FIRST_ITEMS],
        more_plots=plots[FIRST_ITEMS:],
        roofline=None if measured is None else roofline_plot(request, key, measured),
        hosts=hosts,
        hosts_measured=any(
            value is not None for row in hosts for name, value in row.items() if name != "node_id"
        ),
        host_count=len(record.per_host or ()),
        beside=beside,
        neighbours=[
            (job.key, JobRecord.model_validate(shown.record(job.document)))
            for job in (beside.seen if beside else ())
        ],
        record_path=_record_path(request, record),
        zone=zone,
    )


_HOST_COLUMNS = ("used_cpu_percent", "used_mem_bytes", "power_watt")


def _host_row(host: HostUse) -> dict[str, Any]:
    """Return the means of a host's timelines, and one mean for all its accelerators."""
    row: dict[str, Any] = {"node_id": host.node_id}
    for name in _HOST_COLUMNS:
        timeline = host.timelines.get(name)
        row[name] = None if timeline is None else timeline.avg
    devices = [each.timelines.get("utilization_percent") for each in host.accelerator or ()]
    known = [each.avg for each in devices if each is not None and each.avg is not None]
    row["gpu_percent"] = sum(known) / len(known) if known else None
    return row


def _record_path(request: Request, record: JobRecord) -> str:
    """Return the path of the record in the API."""
    parts: dict[str, Any] = {"cluster": record.cluster, "attempt": record.attempt}
    if record.queue_time is not None:
        parts["queue_time"] = format_time(record.queue_time)
    known = {name: value for name, value in parts.items() if value is not None}
    prefix = request.scope.get("root_path", "")
    return f"{prefix}/v1/jobs/{quote(record.jobid, safe='')}?{urlencode(known)}"
