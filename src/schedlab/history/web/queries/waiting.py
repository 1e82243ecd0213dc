"""What a cluster did while a job waited: the jobs ahead of it, and the free nodes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
from sqlalchemy import ColumnElement, Connection, func, select

from schedlab.history.sensors.series import Floats, step_sum
from schedlab.history.store.queries import JobQuery, conditions
from schedlab.history.store.tables import hosts, jobs
from schedlab.history.web.access import Viewer, countable

LOOKED_BACK_S = 30 * 86_400
"""Jobs that had waited longer when this one came are not counted as ahead of it."""

DRAWN = 20_000
"""The largest number of jobs during a wait for which free nodes are computed."""


@dataclass(frozen=True)
class Wait:
    """A job that has waited.

    Args:
        cluster: the cluster on which it waited.
        partition: the partition in whose queue it waited, if that is known.
        queue_s: when it began to wait.
        start_s: when it started.
        num_host: the number of nodes that it asked for.
        nodes: the number of the cluster's nodes; None if unknown, or if the job could share some.
        are_shared: whether jobs share nodes, so that one is in use by several at a time.
    """

    cluster: str
    partition: str | None
    queue_s: int
    start_s: int
    num_host: int
    nodes: int | None = None
    are_shared: bool = False


@dataclass(frozen=True)
class Busy:
    """The nodes in use while the job waited, as a step function."""

    time_s: Floats
    nodes: Floats


@dataclass(frozen=True)
class Waited:
    """Why a job may have waited, as far as the store knows.

    Args:
        ahead: how many jobs of its queue were waiting when it came.
        ahead_num_host: how many nodes these asked for.
        overtaken_by: how many jobs came later and started earlier.
        busy: the nodes in use; None if there were too many jobs to tell.
        short_share: the share of its wait in which fewer nodes were free than it asked for.
    """

    ahead: int
    ahead_num_host: int
    overtaken_by: int
    busy: Busy | None
    short_share: float | None


def waited(connection: Connection, viewer: Viewer, wait: Wait) -> Waited:
    """Return what happened on the cluster while the job waited, in numbers without names."""
    queue = [countable(viewer), jobs.c.cluster == wait.cluster]
    if wait.partition is not None:
        queue.append(jobs.c.partition == wait.partition)
    first_s, last_s = wait.queue_s - LOOKED_BACK_S, wait.queue_s
    came_before = jobs.c.queue_s.between(first_s, last_s - 1)
    ahead, nodes = _counted(connection, [*queue, came_before, jobs.c.start_s > wait.queue_s])
    came_later = jobs.c.queue_s.between(last_s + 1, wait.start_s)
    overtaken_by, _ = _counted(connection, [*queue, came_later, jobs.c.start_s < wait.start_s])
    busy = _busy(connection, viewer, wait)
    return Waited(ahead, nodes, overtaken_by, busy, _short_share(wait, busy))


def _counted(connection: Connection, meant: Sequence[ColumnElement[bool]]) -> tuple[int, int]:
    counts = select(func.count(), func.coalesce(func.sum(jobs.c.num_host), 0))
    many, nodes = connection.execute(counts.where(*meant)).one()
    return int(many), int(nodes)


def _busy(connection: Connection, viewer: Viewer, wait: Wait) -> Busy | None:
    query = JobQuery(
        clusters=(wait.cluster,), ran_from_s=wait.queue_s, ran_to_s=wait.start_s, limit=DRAWN + 1
    )
    columns = (jobs.c.start_s, jobs.c.end_s, jobs.c.num_host)
    if wait.are_shared:
        columns = (*columns[:2], hosts.c.node_id)
    statement = select(*columns).where(countable(viewer), *conditions(query)).limit(query.limit)
    if wait.are_shared:
        statement = statement.join(hosts, hosts.c.job == jobs.c.id)
    rows: Sequence[Any] = connection.execute(statement).all()
    if len(rows) > DRAWN:
        return None
    if wait.are_shared:
        rows = list(_stretches(rows, wait.start_s))
    edges = np.array([wait.queue_s, wait.start_s], dtype=np.float64)
    start, end, nodes = (
        np.array([wait.start_s if each is None else each for each in column], dtype=np.float64)
        for column in (zip(*rows, strict=True) if rows else ((), (), ()))
    )
    moments, level = step_sum(
        np.append(np.maximum(start, edges[0]), edges[0]),
        np.append(np.minimum(end, edges[1]), edges[1]),
        np.append(nodes, 0.0),
    )
    return Busy(moments, level)


def _stretches(rows: Sequence[Any], last_s: int) -> Iterator[tuple[int, int, int]]:
    """Yield when each node was in use, whether by one job or by several."""
    held = sorted((node, start, last_s if end is None else end) for start, end, node in rows)
    for _, stays in groupby(held, key=lambda each: each[0]):
        first = until = None
        for _, start, end in stays:
            if until is not None and start <= until:
                until = max(until, end)
                continue
            if first is not None and until is not None:
                yield first, until, 1
            first, until = start, end
        if first is not None and until is not None:
            yield first, until, 1


def _short_share(wait: Wait, busy: Busy | None) -> float | None:
    if wait.nodes is None or busy is None or busy.nodes.max() > wait.nodes:
        return None
    length_s = np.diff(busy.time_s)
    is_short = wait.nodes - busy.nodes[:-1] < wait.num_host
    return float(length_s[is_short].sum() / length_s.sum()) if length_s.sum() else None
