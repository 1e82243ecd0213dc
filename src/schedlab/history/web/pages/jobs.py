"""The list of jobs: searched, sorted, page by page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from schedlab.errors import ParameterError, UnknownNameError
from schedlab.history.efficiency.section import EfficiencySection
from schedlab.history.schema.job import JobState
from schedlab.history.web.access import Viewer
from schedlab.history.web.access.current import CurrentViewer
from schedlab.history.web.api.parameters import CurrentShown
from schedlab.history.web.pages.jobs_form import JobsForm
from schedlab.history.web.pages.quantities import zone_of
from schedlab.history.web.pages.render import render
from schedlab.history.web.queries.listing import FOOTPRINT, SORTED, Listing, list_jobs
from schedlab.history.web.queries.search import NEWEST_FIRST, Count, Cursor, Sort, count
from schedlab.history.web.queries.shown import Shown
from schedlab.history.web.service import CurrentService, Service

router = APIRouter(include_in_schema=False)

PAGE = 50
COUNTED = 1_000
DOWNLOADS = {"csv": "CSV", "parquet": "Parquet", "jsonl": "JSON lines"}
_HIDEABLE = ("user_identifier", "accounting_group", "job_name")


@dataclass(frozen=True)
class Column:
    """A heading by which the list can be sorted."""

    label: str
    sort: str


COLUMNS = (
    Column("Nodes", "num_host"),
    Column("Submitted", "queue_time"),
    Column("Waited", "wait_s"),
    Column("Ran", "run_s"),
    Column("Of the request", "wra"),
    Column("Energy", "energy_joule"),
)


@router.get("/jobs", name="jobs")
def jobs_page(
    request: Request, service: CurrentService, viewer: CurrentViewer, shown: CurrentShown
) -> Response:
    """The jobs that the URL means; who follows a link to it sees the same, of what they may see."""
    form = JobsForm.read(request.query_params, zone_of(service))
    sort, listing, total, fault = NEWEST_FIRST, Listing((), None), Count(0, True), form.fault
    if not fault:
        try:
            sort = Sort.parse(request.query_params.get("sort") or str(NEWEST_FIRST))
            cursor = request.query_params.get("cursor")
            after = Cursor.parse(cursor, sort) if cursor else None
            listing, total = _listed(service, viewer, shown, form, sort, after)
        except (ParameterError, UnknownNameError) as error:
            fault = str(error)
    return render(
        request,
        viewer,
        "jobs.html",
        status=HTTPStatus.BAD_REQUEST if fault else HTTPStatus.OK,
        form=form,
        fault=fault,
        sort=sort,
        columns=COLUMNS,
        rows=[shown_row(row, shown) for row in listing.rows],
        total=total,
        next=listing.next,
        since_s=listing.since_s,
        sorted_jobs=SORTED,
        is_first="cursor" not in request.query_params,
        downloads=DOWNLOADS,
        states=list(JobState),
        hides_names=shown.release is not None,
        zone=zone_of(service),
        levels=_levels(service),
    )


def _levels(service: Service) -> Callable[[Mapping[str, Any]], Mapping[str, Any]]:
    """How good what a row shows is."""
    site = service.settings.site
    section = EfficiencySection() if site is None else site.efficiency

    def of_row(row: Mapping[str, Any]) -> Mapping[str, Any]:
        means = zip(("cpu", "gpu"), map(row["footprint"].get, FOOTPRINT), strict=True)
        shares = {name: None if each is None else each / 100 for name, each in means}
        return section.levels({"time": row["wra"], **shares}, row["run_s"])

    return of_row


def _listed(
    service: Service,
    viewer: Viewer,
    shown: Shown,
    form: JobsForm,
    sort: Sort,
    after: Cursor | None,
) -> tuple[Listing, Count]:
    assert form.filter is not None
    query = form.filter.query()
    shown.check(query)
    with service.database.reading() as connection:
        listing = list_jobs(connection, viewer, query, sort=sort, after=after, limit=PAGE)
        if after is None and listing.next is None and listing.since_s is None:
            return listing, Count(len(listing.rows), True)
        return listing, count(connection, viewer, query, COUNTED)


def shown_row(row: Mapping[str, Any], shown: Shown) -> Mapping[str, Any]:
    """The row with the names that the viewer is shown."""
    if shown.release is None:
        return row
    names = {name: row[name] for name in _HIDEABLE}
    return {**row, **dict.fromkeys(_HIDEABLE), **shown.release.apply(names)}
