"""What jobs did in a window of time on a cluster, and which nodes they had."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, Connection, and_, func, select

from schedlab.errors import ParameterError
from schedlab.history.store.queries import keys_around
from schedlab.history.store.tables import hosts, jobs
from schedlab.history.web.access import Viewer, visible, visible_of_few, visible_parts

MOST_JOBS = 100_000
"""The largest number of jobs in one picture."""
_LATEST = 1_000
_COLUMNS = (
    jobs.c.id,
    jobs.c.jobid,
    jobs.c.user_identifier,
    jobs.c.queue_s,
    jobs.c.start_s,
    jobs.c.end_s,
    jobs.c.num_host,
    jobs.c.energy_joule,
)

Times = NDArray[np.int64]


@dataclass(frozen=True)
class Span:
    """A time window on a cluster; a job that has not ended is taken to last to the window's end."""

    cluster: str
    from_s: int
    to_s: int

    @property
    def condition(self) -> ColumnElement[bool]:
        """The condition of jobs that ran or waited in the window."""
        keys = keys_around(self.from_s, self.to_s, unfinished=True)
        return and_(jobs.c.cluster == self.cluster, jobs.c.id.in_(keys))


@dataclass(frozen=True, eq=False)
class ClusterJobColumns:
    """The jobs of a span; a missing start is -1, and an unmeasured power is NaN."""

    key: Times
    jobid: Sequence[str]
    user: Sequence[str | None]
    queue_s: Times
    start_s: Times
    end_s: Times
    nodes: Times
    power_w: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.key)


def jobs_of(connection: Connection, viewer: Viewer, span: Span) -> ClusterJobColumns:
    """Return the jobs of a span that the viewer sees."""
    rows = rows_of(connection, visible_of_few(viewer), span, _COLUMNS)
    key, jobid, user, queue_s, start_s, end_s, nodes, energy_joule = turned(rows, len(_COLUMNS))
    start = known(start_s)
    end = np.where(start >= 0, known(end_s, span.to_s), -1)
    energy = np.array([np.nan if each is None else each for each in energy_joule], dtype=float)
    power_w = energy / np.where(end > start, end - start, np.nan)
    queued = np.minimum(known(queue_s, span.to_s), np.where(start >= 0, start, span.to_s))
    return ClusterJobColumns(
        known(key), jobid, user, queued, start, end, np.maximum(known(nodes), 1), power_w
    )


def hosts_of(connection: Connection, viewer: Viewer, span: Span) -> list[tuple[int, str]]:
    """Return the nodes of the jobs that the viewer sees: the job's key and the node's name."""
    statement = select(hosts.c.job, hosts.c.node_id).join(jobs, jobs.c.id == hosts.c.job)
    seen = visible_of_few(viewer)
    meant = statement.where(seen, span.condition, jobs.c.start_s.is_not(None))
    return [(key, node) for key, node in connection.execute(meant)]


def last_end_s(connection: Connection, viewer: Viewer, cluster: str | None = None) -> int | None:
    """Return when the last job that the viewer sees ended, on this cluster or on any.

    It is searched for among the jobs that were submitted last, which an index has in order.
    """
    there = [jobs.c.end_s.is_not(None), *([] if cluster is None else [jobs.c.cluster == cluster])]
    ended = [select(jobs.c.end_s).where(part, *there) for part in visible_parts(viewer)]
    by_queue = jobs.c.queue_s.desc()
    some = [
        *(e.where(jobs.c.queue_s.is_not(None)).order_by(by_queue).limit(_LATEST) for e in ended),
        *(e.where(jobs.c.queue_s.is_(None)) for e in ended),
    ]
    ends = [connection.execute(select(func.max(e.subquery().c.end_s))).scalar() for e in some]
    return max((each for each in ends if each is not None), default=None)


def first_queue_s(connection: Connection, viewer: Viewer, cluster: str, from_s: int) -> int | None:
    """Return the first submission to a cluster from then on, of the jobs that the viewer sees."""
    statement = select(jobs.c.queue_s).where(visible(viewer), jobs.c.cluster == cluster)
    queued = statement.where(jobs.c.queue_s >= from_s).order_by(jobs.c.queue_s)
    return connection.execute(queued.limit(1)).scalar()


def natural(name: str) -> list[Any]:
    """Return a key by which names are sorted so that n2 comes before n10."""
    return [int(part) if part.isdecimal() else part for part in re.split(r"(\d+)", name)]


def rows_of(
    connection: Connection, seen: ColumnElement[bool], span: Span, columns: Sequence[Any]
) -> Sequence[Any]:
    """Return these columns of the jobs of the span for which a condition holds."""
    in_order = (jobs.c.queue_s + 0, jobs.c.id)  # + 0: in an index's order, SQLite would read all
    statement = select(*columns).where(seen, span.condition).order_by(*in_order)
    rows = connection.execute(statement.limit(MOST_JOBS + 1)).all()
    if len(rows) > MOST_JOBS:
        raise ParameterError(f"more than {MOST_JOBS:,} jobs in that time; choose less of it")
    return rows


def turned(rows: Sequence[Any], columns: int) -> Sequence[Sequence[Any]]:
    """Return the columns of rows; empty columns if there is no row."""
    return list(zip(*rows, strict=True)) if rows else [()] * columns


def known(values: Sequence[Any], otherwise: int = -1) -> Times:
    """Return the numbers, with another number in place of missing ones."""
    return np.array([otherwise if each is None else each for each in values], dtype=np.int64)
