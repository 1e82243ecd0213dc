"""Jobs as a list shows them: a row for each, with how well it used the machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection, func, select

from schedlab.history.store.queries import QUANTITIES, JobQuery
from schedlab.history.store.tables import aggregates, jobs
from schedlab.history.web.access import Viewer, visible
from schedlab.history.web.queries.search import NEWEST_FIRST, Cursor, Sort, keys_of_page

FOOTPRINT = ("used_cpu_percent", "accelerator.utilization_percent")
"""The items whose means over time and hosts a row shows."""

SORTED = 200_000
"""The number of latest jobs that are sorted by a column without an index."""

_COLUMNS = (
    jobs.c.id,
    jobs.c.cluster,
    jobs.c.jobid,
    jobs.c.attempt,
    jobs.c.queue_s,
    jobs.c.start_s,
    jobs.c.end_s,
    jobs.c.state,
    jobs.c.partition,
    jobs.c.user_identifier,
    jobs.c.accounting_group,
    jobs.c.job_name,
    jobs.c.num_host,
    jobs.c.energy_joule,
    jobs.c.req_walltime_s,
    *(QUANTITIES[name].label(name) for name in ("wait_s", "run_s", "wra")),
)


@dataclass(frozen=True)
class Listing:
    """Rows of jobs.

    Args:
        rows: the rows of one page.
        next: where the next page begins.
        since_s: older jobs were left out of the sorting; None if all were sorted.
    """

    rows: Sequence[Mapping[str, Any]]
    next: Cursor | None
    since_s: int | None = None


def list_jobs(
    connection: Connection,
    viewer: Viewer,
    query: JobQuery,
    *,
    sort: Sort = NEWEST_FIRST,
    after: Cursor | None = None,
    limit: int = 50,
) -> Listing:
    """Return one page of the jobs that match the query and that the viewer sees.

    It reads no records.

    A row has the columns of ``jobs``, ``wait_s``, ``run_s``, ``wra``, and under ``footprint`` the
    mean of each item of ``FOOTPRINT`` that was measured.
    """
    since_s = _sorted_since_s(connection, viewer, query, sort)
    if since_s is not None:
        query = replace(query, queued_from_s=since_s)
    keys, more = keys_of_page(connection, viewer, query, sort, after, limit)
    statement = select(*_COLUMNS).where(jobs.c.id.in_(keys))
    rows = {row["id"]: dict(row) for row in connection.execute(statement).mappings()}
    for key, means in footprints(connection, keys).items():
        rows[key]["footprint"] = means
    return Listing([{"footprint": {}, **rows[key]} for key in keys], more, since_s)


def _sorted_since_s(
    connection: Connection, viewer: Viewer, query: JobQuery, sort: Sort
) -> int | None:
    """Return when the oldest of the jobs to be sorted was submitted.

    None if there are few enough to sort all.
    """
    narrows = (query.jobids, query.users, query.nodes, query.tags)
    if sort.by not in QUANTITIES or any(narrows) or _has_times(query):
        return None
    by_time = select(jobs.c.queue_s).where(visible(viewer), jobs.c.queue_s.is_not(None))
    latest = by_time.order_by(jobs.c.queue_s.desc()).offset(SORTED).limit(1)
    return connection.execute(latest).scalar()


def _has_times(query: JobQuery) -> bool:
    return any(
        value is not None
        for name, value in vars(query).items()
        if name.endswith(("from_s", "to_s"))
    )


def footprints(connection: Connection, keys: Sequence[int]) -> dict[int, dict[str, float]]:
    """Return the means over time, hosts and devices, for keys from a query for the viewer."""
    statement = (
        select(aggregates.c.job, aggregates.c.item, func.avg(aggregates.c.avg))
        .where(aggregates.c.job.in_(keys), aggregates.c.item.in_(FOOTPRINT))
        .where(aggregates.c.avg.is_not(None))
        .group_by(aggregates.c.job, aggregates.c.item)
    )
    found: dict[int, dict[str, float]] = {}
    for key, item, mean in connection.execute(statement):
        found.setdefault(key, {})[item] = float(mean)
    return found
