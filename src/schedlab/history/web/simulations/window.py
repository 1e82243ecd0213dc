"""A window of a cluster's history, as ``simulate`` takes it and as it was.

All jobs of the cluster are simulated, whatever the viewer may see: the others share the queue. The
results cover the jobs that the viewer may see, and how busy the cluster was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic_core import from_json
from sqlalchemy import ColumnElement, Connection, and_, func, or_, select

from schedlab.analysis import as_it_was
from schedlab.errors import ParameterError
from schedlab.history.schema.job import UNFINISHED
from schedlab.history.store.queries import keys_around
from schedlab.history.store.tables import jobs
from schedlab.history.web.access import Viewer, countable, visible
from schedlab.history.web.simulations.machine import Mask, SiteMachines, fitting, machine_notes
from schedlab.platform import Platform
from schedlab.sim import Schedule, simulate
from schedlab.workload import Workload
from schedlab.workload.readers import ReadOptions
from schedlab.workload.readers.job_history import history_workload

MOST_JOBS = 100_000
"""The largest number of jobs in one window."""
FACTS = ("jobid", "job_name", "user_identifier", "accounting_group", "partition")

Progress = Callable[[int, int], None]
"""Called with the number of ended jobs, and of all."""


@dataclass(frozen=True)
class Window:
    """A cluster and a time: jobs submitted from ``from_s`` on and before ``to_s`` are counted."""

    cluster: str
    from_s: int
    to_s: int

    def __post_init__(self) -> None:
        if self.from_s >= self.to_s:
            raise ParameterError("from: must lie before to")

    @property
    def condition(self) -> ColumnElement[bool]:
        """The condition of jobs that were submitted in the window or ran in it, and have ended."""
        return and_(
            jobs.c.cluster == self.cluster,
            jobs.c.id.in_(keys_around(self.from_s, self.to_s)),
            jobs.c.queue_s <= jobs.c.start_s,
            jobs.c.start_s <= jobs.c.end_s,
            or_(jobs.c.state.is_(None), jobs.c.state.not_in(sorted(UNFINISHED))),
        )


@dataclass(frozen=True, eq=False)
class HistoryWindow:
    """The jobs of a window.

    Args:
        workload: all jobs of the window that the machine can hold.
        platform: the machine.
        recorded: the schedule as it really was.
        counted: the numbers (``job_id``) of those that were submitted in the window and that the
            viewer sees.
        span_s: the window, in the workload's own time.
        facts: the identity of each job, by ``job_id`` - 1.
        keys: the key of each job in the store, by ``job_id`` - 1.
        whole_nodes: whether every job has its nodes to itself in simulations.
        notes: what machine is simulated, one sentence each.
    """

    workload: Workload
    platform: Platform
    recorded: Schedule
    counted: NDArray[np.int64]
    span_s: tuple[int, int]
    facts: Sequence[Mapping[str, Any]]
    keys: Sequence[int]
    whole_nodes: bool
    notes: tuple[str, ...]

    @property
    def nodes(self) -> int:
        """The number of nodes of the machine."""
        return self.platform.nodes

    def told(self, schedule: Schedule) -> Schedule:
        """Return the part of a schedule that the viewer may see."""
        return schedule.take(np.isin(schedule.workload["job_id"], self.counted))

    def simulate(
        self, policy: str, progress: Progress | None = None, workload: Workload | None = None
    ) -> Schedule:
        """Simulate the jobs, or others in their place, on the machine."""
        return simulate(
            self.workload if workload is None else workload,
            self.platform,
            policy,
            whole_nodes=self.whole_nodes,
            progress=progress,
        )


def version_of(connection: Connection, viewer: Viewer, window: Window) -> str:
    """Return a text that changes with the history of the window; refuse too many jobs."""
    columns = (jobs.c.end_s, jobs.c.req_walltime_s)
    some = select(*columns).where(countable(viewer), window.condition).limit(MOST_JOBS + 1)
    meant = some.subquery()
    sums = select(func.count(), *(func.sum(column) for column in meant.c))
    row = connection.execute(sums).one()
    if row[0] > MOST_JOBS:
        raise ParameterError(
            f"more than {MOST_JOBS:,} jobs ran or were submitted in that time; choose less of it"
        )
    return repr(tuple(row))


def replay_of(
    connection: Connection,
    viewer: Viewer,
    window: Window,
    machines: SiteMachines,
    *,
    whole_nodes: bool = False,
) -> HistoryWindow:
    """Return the window for simulation; it has jobs of others, which must not be shown."""
    meant = (countable(viewer), window.condition)
    statement = select(jobs.c.record, visible(viewer), jobs.c.id).where(*meant)
    rows = connection.execute(statement.order_by(jobs.c.queue_s, jobs.c.id).limit(MOST_JOBS)).all()
    if not rows:
        raise ParameterError("no job that has ended ran or was submitted in that time")
    facts: list[dict[str, Any]] = []
    records = _noted((from_json(record) for record, *_ in rows), facts)
    workload = history_workload(records, Path("history"), ReadOptions(), name=window.cluster)
    platform = machines.platform(window.cluster, workload)
    fits = fitting(workload, platform)
    if not fits.any():
        raise ParameterError("the machine that the site file describes can hold none of the jobs")
    workload, left_out = workload.take(fits), int(np.count_nonzero(~fits))
    recorded = as_it_was(workload, platform)
    if recorded is None:
        raise ParameterError("no job in that time has a known start")
    notes = machine_notes(
        workload,
        platform,
        is_described=machines.described(window.cluster) is not None,
        left_out=left_out,
        whole_nodes=whole_nodes,
    )
    epoch_s = int(workload.header["UnixStartTime"][0])
    span_s = (window.from_s - epoch_s, window.to_s - epoch_s)
    seen = np.array([bool(seen) for _, seen, _ in rows])
    counted = _counted(workload, seen, span_s)
    keys = [key for *_, key in rows]
    return HistoryWindow(
        workload, platform, recorded, counted, span_s, facts, keys, whole_nodes, tuple(notes)
    )


def _noted(
    records: Iterable[Mapping[str, Any]], facts: list[dict[str, Any]]
) -> Iterator[Mapping[str, Any]]:
    """Yield the records, and keep only the identity of each job: records are large."""
    for record in records:
        facts.append({name: record.get(name) for name in FACTS})
        yield record


def _counted(workload: Workload, seen: Mask, span_s: tuple[int, int]) -> NDArray[np.int64]:
    """Return the numbers of the counted jobs, which count from 1 in the order of the rows."""
    submit_s, job_id = workload["submit_s"], workload["job_id"]
    in_window = (submit_s >= span_s[0]) & (submit_s < span_s[1])
    counted: NDArray[np.int64] = job_id[in_window & seen[job_id - 1]]
    return counted
