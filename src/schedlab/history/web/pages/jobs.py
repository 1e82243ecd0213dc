"""The list of jobs: searched, sorted, page by page."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from schedlab.errors import ParameterError, UnknownNameError
from schedlab.history.efficiency_section import EfficiencySection
from schedlab.history.schema.job import JobState
from schedlab.history.store.archive_tables import archived
from schedlab.history.web.access import Viewer
from schedlab.history.web.current import CurrentViewer
from schedlab.history.web.pages.jobs_form import JobsForm
from schedlab.history.web.parameters import CurrentShown
from schedlab.history.web.quantities import zone_of
from schedlab.history.web.queries.archived import archived_rows, newest_archived_s
from schedlab.history.web.queries.listing import FOOTPRINT, SORTED, Listing, list_jobs
from schedlab.history.web.queries.search import NEWEST_FIRST, Cursor, JobCount, Sort, count
from schedlab.history.web.queries.shown import Shown
from schedlab.history.web.render import render
from schedlab.history.web.service import CurrentService, Service

router = APIRouter(include_in_schema=False)

PAGE = 50
COUNTED = 1_000
DOWNLOADS = {"csv": "CSV", "parquet": "Parquet", "jsonl": "JSON lines"}
_HIDEABLE = ("user_identifier", "accounting_group", "job_name")


@dataclass(frozen=True)
class Elsewhere:
    """The jobs that the list lacks because they were archived.

    Args:
        until_s: jobs that ended before this may be in the archive; None if no job of the time is.
        found: the keys and ids of archived jobs that are asked for by their ids.
    """

    until_s: int | None
    found: Sequence[tuple[int, str]]


@dataclass(frozen=True)
class SortColumn:
    """A heading by which the list can be sorted."""

    label: str
    sort: str


COLUMNS = (
    SortColumn("Nodes", "num_host"),
    SortColumn("Submitted", "queue_time"),
    SortColumn("Waited", "wait_s"),
    SortColumn("Ran", "run_s"),
    SortColumn("Of the request", "wra"),
    SortColumn("Energy", "energy_joule"),
)


@router.get("/jobs", name="jobs")
def jobs_page(
    request: Request, service: CurrentService, viewer: CurrentViewer, shown: CurrentShown
) -> Response:
    """Show the jobs that the URL selects, of those that the viewer may see."""
    form = JobsForm.read(request.query_params, zone_of(service))
    sort, listing, total, fault = NEWEST_FIRST, Listing((), None), JobCount(0, True), form.fault
    elsewhere = Elsewhere(None, ())
    if not fault:
        try:
            sort = Sort.parse(request.query_params.get("sort") or str(NEWEST_FIRST))
            cursor = request.query_params.get("cursor")
            after = Cursor.parse(cursor, sort) if cursor else None
            listing, total = _listed(service, viewer, shown, form, sort, after)
            elsewhere = _archived(service, viewer, form)
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
        archived=elsewhere,
        next=listing.next,
        since_s=listing.since_s,
        sorted_jobs=SORTED,
        is_first="cursor" not in request.query_params,
        downloads=DOWNLOADS,
        states=list(JobState),
        hides_names=shown.release is not None,
        zone=zone_of(service),
        levels=_levels(service),
        now_s=int(time.time()),
    )


def _levels(service: Service) -> Callable[[Mapping[str, Any]], Mapping[str, Any]]:
    """Return a function that says how good the shares in a row are."""
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
) -> tuple[Listing, JobCount]:
    assert form.filter is not None
    query = form.filter.query()
    shown.check(query)
    with service.database.reading() as connection:
        listing = list_jobs(connection, viewer, query, sort=sort, after=after, limit=PAGE)
        if after is None and listing.next is None and listing.since_s is None:
            return listing, JobCount(len(listing.rows), True)
        return listing, count(connection, viewer, query, COUNTED)


def _archived(service: Service, viewer: Viewer, form: JobsForm) -> Elsewhere:
    """Return whether jobs of the time are in the archive, and those whose ids are asked for."""
    assert form.filter is not None
    query = form.filter.query()
    with service.database.reading() as connection:
        until_s = newest_archived_s(connection)
        froms = (query.ran_from_s, query.queued_from_s, query.started_from_s, query.ended_from_s)
        if until_s is None or any(each is not None and each >= until_s for each in froms):
            return Elsewhere(None, ())
        if not query.jobids:
            return Elsewhere(until_s, ())
        rows = archived_rows(connection, viewer, archived.c.jobid.in_(query.jobids))
    return Elsewhere(until_s, [(row.id, row.jobid) for row in rows])


def shown_row(row: Mapping[str, Any], shown: Shown) -> Mapping[str, Any]:
    """Return the row with the names that the viewer is shown."""
    if shown.release is None:
        return row
    names = {name: row[name] for name in _HIDEABLE}
    return {**row, **dict.fromkeys(_HIDEABLE), **shown.release.apply(names)}
