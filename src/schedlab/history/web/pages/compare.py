"""Jobs side by side: their facts, and their timelines over the share of their run time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated
from urllib.parse import urlencode

import numpy as np
from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from schedlab.errors import SensorError
from schedlab.history.schema.job import JobRecord
from schedlab.history.sensors.series import Floats
from schedlab.history.web.access import Viewer
from schedlab.history.web.current import CurrentViewer
from schedlab.history.web.pages.job_data import Points, filled, in_unit
from schedlab.history.web.pages.job_facts import Fact, facts
from schedlab.history.web.pages.job_items import MeasuredItem, MeasuredJob
from schedlab.history.web.pages.job_plots import Plot
from schedlab.history.web.parameters import CurrentShown, Name
from schedlab.history.web.plots.timeline import MOST_LINES, timeline_data
from schedlab.history.web.problems import not_found
from schedlab.history.web.quantities import zone_of
from schedlab.history.web.queries.job_series import Columns, mean_over_places
from schedlab.history.web.queries.search import JobId, jobs_by_key, jobs_of
from schedlab.history.web.queries.shown import Shown
from schedlab.history.web.render import path_of, render
from schedlab.history.web.service import CurrentService, Service

router = APIRouter(include_in_schema=False)

Keys = Annotated[list[int], Query(alias="job", max_length=100)]
Percent = Annotated[float, Query(allow_inf_nan=False)]
LEAST_PERCENT, LEAST_STEP_S = 0.1, 1e-3


@dataclass(frozen=True)
class Compared:
    """A job of the comparison, as the viewer is shown it."""

    key: int
    record: JobRecord
    measured: MeasuredJob | None

    @property
    def name(self) -> str:
        """The name of its lines in figures."""
        return f"{self.record.jobid} {self.record.job_name or ''}".rstrip()


@router.get("/compare", name="compare")
def compare_page(
    request: Request,
    service: CurrentService,
    viewer: CurrentViewer,
    shown: CurrentShown,
    keys: Keys = [],  # noqa: B006 (FastAPI copies it)
    add: Annotated[Name | None, Query()] = None,
) -> Response:
    """Show the jobs that the URL names, as many as there are colours."""
    added = None if add is None else _key_of(service, viewer, add)
    chosen = [*keys, *([] if added is None else [added])]
    found = _compared(service, viewer, shown, chosen)
    zone, site = zone_of(service), service.settings.site
    by_job = [
        {fact.label: fact for each in facts(job.record, site, zone).values() for fact in each}
        for job in found
    ]
    items = {item.name: item for job in found if job.measured for item in job.measured.items()}
    return render(
        request,
        viewer,
        "compare.html",
        jobs=found,
        links={job.key: _link(other for other in found if other is not job) for job in found},
        rows=_rows(by_job),
        plots=[_plot(request, found, item) for item in items.values()],
        missing=add if add is not None and added is None else "",
        left_out=max(0, len(dict.fromkeys(chosen)) - MOST_LINES),
        most=MOST_LINES,
    )


@router.get("/compare/timelines/{item}", name="compare_timelines")
def compare_timelines(
    service: CurrentService,
    viewer: CurrentViewer,
    shown: CurrentShown,
    item: str,
    keys: Keys,
    from_s: Percent = 0.0,
    to_s: Percent = 100.0,
    points: Points = 400,
) -> Response:
    """Return each job's item as a mean over its hosts, for a part of the run time in per cent."""
    sources: dict[str, Columns] = {}
    first = min(max(0.0, from_s), 100.0 - LEAST_PERCENT)
    share = np.linspace(first, max(min(100.0, to_s), first + LEAST_PERCENT), points + 1)
    for place, job in enumerate(_compared(service, viewer, shown, keys)):
        known = None if job.measured is None else job.measured.find(item)
        if job.measured is not None and known is not None:
            columns = _normalised(service, job.measured, known, share)
            sources[f"line-{place}"] = in_unit(columns, known)
    if not sources:
        raise not_found()
    return filled(sources, "means over hosts")


def _normalised(service: Service, job: MeasuredJob, item: MeasuredItem, share: Floats) -> Columns:
    start_s, end_s = job.span_s
    edges = start_s + share / 100 * (end_s - start_s)
    first_s, second_s, last_s = (float(edges[place]) for place in (0, 1, -1))
    with service.database.reading() as connection:
        try:
            step_s = max(LEAST_STEP_S, second_s - first_s)
            found = job.read(connection, item, first_s, last_s, freq_s=step_s)
        except SensorError:
            found = {}  # one job's source is down; the others can still be compared
    if not found:
        return {"t": np.array([]), "v": np.array([])}
    return {**mean_over_places(list(found.values()), edges), "t": np.repeat(share, 2)[1:-1]}


def _compared(
    service: Service, viewer: Viewer, shown: Shown, keys: Sequence[int]
) -> list[Compared]:
    with service.database.reading() as connection:
        found = jobs_by_key(
            connection, viewer, list(dict.fromkeys(keys))[:MOST_LINES], service.archive_folder
        )
    jobs = []
    for each in found:
        record = JobRecord.model_validate(shown.record(each.document))
        true = JobRecord.model_validate_json(each.document)
        names = [host.node_id for host in record.per_host or ()]
        jobs.append(Compared(each.key, record, MeasuredJob.of(service.settings.site, true, names)))
    return jobs


def _key_of(service: Service, viewer: Viewer, jobid: str) -> int | None:
    """Return the key of the latest job with that id, of those that the viewer sees."""
    wanted = JobId(jobid)
    with service.database.reading() as connection:
        found = jobs_of(connection, viewer, [wanted], service.archive_folder)[wanted]
    return found[0].key if found else None


def _rows(by_job: Sequence[dict[str, Fact]]) -> list[tuple[str, list[Fact | None]]]:
    labels = dict.fromkeys(label for each in by_job for label in each)
    return [(label, [each.get(label) for each in by_job]) for label in labels]


def _plot(request: Request, jobs: Sequence[Compared], item: MeasuredItem) -> Plot:
    names = [job.name for job in jobs]
    url = f"{path_of(request, 'compare_timelines', item=item.name)}?{_link(jobs)}"
    figure = timeline_data(len(names), item.unit, over="share")
    return Plot(item.label, url, figure, item.unit, names, end=100.0)


def _link(jobs: Iterable[Compared]) -> str:
    return urlencode([("job", job.key) for job in jobs])
