"""Jobs that ran beside a job, on nodes that both used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, Select, func, select, union

from schedlab.history.store.tables import LONG, LONG_S, hosts, jobs
from schedlab.history.web.access import Viewer, countable, visible
from schedlab.history.web.queries.search import FoundJob, documents

SHOWN = 20
COUNTED = 1_000

_OWN = hosts.alias("own")


@dataclass(frozen=True)
class Neighbours:
    """The neighbours that the viewer sees, latest first, and the number of all neighbours."""

    seen: Sequence[FoundJob]
    count: int

    @property
    def is_exact(self) -> bool:
        """Whether all were counted."""
        return self.count < COUNTED


def neighbours(connection: Connection, viewer: Viewer, key: int, now_s: float) -> Neighbours:
    """Return the jobs that shared a node for a while with the job under that key.

    Args:
        connection: a connection to the store.
        viewer: who asks.
        key: the key of the job, which the viewer sees.
        now_s: the time until which a job that still runs has been on its nodes.
    """
    cluster = select(jobs.c.cluster).where(jobs.c.id == key).scalar_subquery()
    others = (
        countable(viewer),
        jobs.c.id != key,
        jobs.c.cluster == cluster,
        jobs.c.id.in_(_together(key, int(now_s))),
    )
    keys = connection.execute(select(jobs.c.id).where(*others).limit(COUNTED)).scalars().all()
    own = select(jobs.c.id).where(visible(viewer), jobs.c.id.in_(keys))
    seen = connection.execute(own.order_by(jobs.c.start_s.desc()).limit(SHOWN)).scalars().all()
    return Neighbours(documents(connection, seen), len(keys))


def _together(key: int, now_s: int) -> Select[tuple[int]]:
    """Return the keys of jobs on the same nodes at the same time.

    Most are found by their ends, which lie no further ahead than a short job can last; the few long
    ones have an index of their own.
    """
    end_s = func.coalesce(_OWN.c.end_s, now_s)
    same_node = (hosts.c.node_id == _OWN.c.node_id) & (hosts.c.start_s < end_s)
    stays = select(hosts.c.job).join(_OWN, same_node).where(_OWN.c.job == key)
    ended = stays.where(hosts.c.end_s > _OWN.c.start_s)
    span = select(func.min(hosts.c.start_s), func.max(func.coalesce(hosts.c.end_s, now_s)))
    first, last = span.where(hosts.c.job == key).subquery().c
    long = select(jobs.c.id).where(LONG, jobs.c.start_s < last, jobs.c.end_s > first)
    return select(
        union(
            ended.where(hosts.c.end_s <= end_s + LONG_S),
            ended.where(hosts.c.job.in_(long)),
            stays.where(hosts.c.end_s.is_(None)),
        ).subquery()
    )
