"""How busy a cluster was: each node counts once, however many jobs share it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import JSON, Connection, cast, select, type_coerce

from schedlab.history.store.tables import hosts, jobs
from schedlab.history.web.access import Viewer, countable
from schedlab.history.web.queries.cluster_use import Span, Times, known, rows_of, turned
from schedlab.platform import Cluster
from schedlab.sim import StepSeries

_COLUMNS = (jobs.c.id, jobs.c.queue_s, jobs.c.start_s, jobs.c.end_s, jobs.c.num_host)


@dataclass(frozen=True, eq=False)
class Load:
    """Means over equal parts of a span, from each edge to the next.

    Args:
        edge_s: the edges of the parts.
        used_nodes: nodes that jobs had, each counted once.
        queued_jobs: jobs that waited.
        used_cpus: CPUs that jobs had; None if no node was shared, or if CPUs are unknown.
    """

    edge_s: Times
    used_nodes: NDArray[np.float64]
    queued_jobs: NDArray[np.float64]
    used_cpus: NDArray[np.float64] | None = None


@dataclass(frozen=True, eq=False)
class Stays:
    """The times of jobs on nodes with names; ``node`` has a number for each node."""

    job: Times
    node: Times
    start_s: Times
    end_s: Times

    def merged(self) -> tuple[Times, Times, bool]:
        """Return the times in which nodes were in use, and whether jobs shared any of them."""
        order = np.lexsort((self.start_s, self.node))
        order = order[self.end_s[order] > self.start_s[order]]
        if not len(order):
            return self.start_s[order], self.end_s[order], False
        start, end, node = self.start_s[order], self.end_s[order], self.node[order]
        # Shift the times of each node behind those of the last: one running maximum does for all.
        apart = node * (int(end.max()) - int(start.min()) + 1)
        latest = np.maximum.accumulate(end + apart) - apart
        same_node = node[1:] == node[:-1]
        begins = np.append(True, ~same_node | (start[1:] > latest[:-1]))
        is_shared = bool((same_node & (start[1:] < latest[:-1])).any())
        ends = np.append(np.flatnonzero(begins)[1:] - 1, len(start) - 1)
        return start[begins], latest[ends], is_shared


def load_of(
    connection: Connection,
    viewer: Viewer,
    span: Span,
    machine: Cluster | None = None,
    parts: int = 240,
) -> Load:
    """Return how many nodes were in use and how many jobs waited, counting those of all users."""
    rows = rows_of(connection, countable(viewer), span, _COLUMNS)
    key, queue_s, start_s, end_s, nodes = (known(each) for each in turned(rows, len(_COLUMNS)))
    end_s = np.where(end_s < 0, span.to_s, end_s)
    ran = start_s >= 0
    stays = _stays(connection, viewer, span)
    begin_s, until_s, is_shared = stays.merged()
    unnamed = ran & ~np.isin(key, stays.job)
    one = np.ones(len(begin_s), dtype=np.int64)
    used = StepSeries.from_changes(
        (begin_s, one),
        (until_s, -one),
        (start_s[unnamed], nodes[unnamed]),
        (end_s[unnamed], -nodes[unnamed]),
    )
    edge_s = np.unique(np.linspace(span.from_s, span.to_s, parts + 1).astype(np.int64))
    cpus = _cpus(connection, viewer, span, machine) if is_shared else None
    return Load(
        edge_s,
        used.bin_means(edge_s),
        _queued(queue_s, np.where(ran, start_s, end_s)).bin_means(edge_s),
        None if cpus is None else cpus.bin_means(edge_s),
    )


def cpus_of(machine: Cluster | None) -> int | None:
    """Return the number of CPUs of the cluster; None unless the site gives those of each node."""
    groups = () if machine is None else machine.groups
    known = [group.nodes * group.type.cores for group in groups if group.type.cores]
    return sum(known) if groups and len(known) == len(groups) else None


def _queued(came: Times, left: Times) -> StepSeries:
    left = np.maximum(left, came)
    waited, one = came >= 0, np.ones(len(came), dtype=np.int64)
    return StepSeries.from_changes((came[waited], one[waited]), (left[waited], -one[waited]))


def _stays(connection: Connection, viewer: Viewer, span: Span) -> Stays:
    columns = (hosts.c.job, hosts.c.node_id, hosts.c.start_s, hosts.c.end_s)
    statement = select(*columns).join(jobs, jobs.c.id == hosts.c.job)
    meant = statement.where(countable(viewer), span.condition, jobs.c.start_s.is_not(None))
    job, node, start_s, end_s = turned(connection.execute(meant).all(), len(columns))
    numbers: dict[str, int] = {}
    number = [numbers.setdefault(each, len(numbers)) for each in node]
    return Stays(known(job), known(number), known(start_s), known(end_s, span.to_s))


def _cpus(
    connection: Connection, viewer: Viewer, span: Span, machine: Cluster | None
) -> StepSeries | None:
    """Return the CPUs that jobs had; for a job that does not say, all CPUs of its nodes."""
    total = cpus_of(machine)
    if total is None or machine is None:
        return None
    is_sqlite = connection.dialect.name == "sqlite"
    record: Any = type_coerce(jobs.c.record, JSON) if is_sqlite else cast(jobs.c.record, JSON)
    columns = (
        jobs.c.start_s,
        jobs.c.end_s,
        jobs.c.num_host,
        record["resource_alloc"]["num_cpu"].as_integer(),
        record["resource_req"]["num_cpu_perhost"].as_integer(),
    )
    rows = [
        row for row in rows_of(connection, countable(viewer), span, columns) if row[0] is not None
    ]
    per_node = total / machine.nodes
    count = np.array([_cpus_had(row, per_node) for row in rows], dtype=np.int64)
    start_s, end_s = turned([row[:2] for row in rows], 2)
    return StepSeries.from_changes((known(start_s), count), (known(end_s, span.to_s), -count))


def _cpus_had(row: Sequence[Any], per_node: float) -> int:
    _, _, nodes, given, asked = row
    return int(given or nodes * (asked or per_node))
