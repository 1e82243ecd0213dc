"""A window of a cluster's history, as ``simulate`` takes it and as it was.

The queue in which a job stood is everybody's: all jobs of the cluster are simulated, whoever asks.
What is told of the outcome is about jobs that who asked may see, and how busy the cluster was.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pydantic_core import from_json
from sqlalchemy import ColumnElement, Connection, TextClause, and_, func, or_, select

from schedlab.errors import ParameterError
from schedlab.history.schema.job import UNFINISHED
from schedlab.history.site import Site
from schedlab.history.store.queries import JobQuery, conditions
from schedlab.history.store.tables import jobs
from schedlab.history.web.access import Viewer, countable, visible
from schedlab.platform import Platform
from schedlab.sim import JobState, Schedule
from schedlab.workload import Workload
from schedlab.workload.header import header_int
from schedlab.workload.readers import ReadOptions
from schedlab.workload.readers.job_history import history_workload

MOST_JOBS = 100_000
"""In one window."""
AS_IT_WAS = "as it was"
"""What the schedule of the past is called, among policies."""

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Window:
    """A cluster, and a time from which jobs are counted to one before which they are."""

    cluster: str
    from_s: int
    to_s: int

    def __post_init__(self) -> None:
        if self.from_s >= self.to_s:
            raise ParameterError("from: must lie before to")

    @property
    def condition(self) -> ColumnElement[bool]:
        """Jobs that were submitted in the window or ran in it, and have ended."""
        ran = conditions(JobQuery(ran_from_s=self.from_s, ran_to_s=self.to_s))
        queued = conditions(JobQuery(queued_from_s=self.from_s, queued_to_s=self.to_s))
        parts: list[ColumnElement[bool] | TextClause] = [and_(*ran), and_(*queued)]
        return and_(
            jobs.c.cluster == self.cluster,
            or_(*parts),
            jobs.c.queue_s <= jobs.c.start_s,
            jobs.c.start_s <= jobs.c.end_s,
            or_(jobs.c.state.is_(None), jobs.c.state.not_in(sorted(UNFINISHED))),
        )


@dataclass(frozen=True)
class Machines:
    """How many nodes clusters have, as far as the site says."""

    site: Site | None = None

    def nodes(self, cluster: str) -> int:
        """Of that cluster; 0 if the site does not say."""
        known = {} if self.site is None else {each.name: each for each in self.site.clusters}
        return known[cluster].nodes if cluster in known else 0


@dataclass(frozen=True, eq=False)
class Replay:
    """The jobs of a window.

    Args:
        workload: all of them.
        recorded: when they ran in truth.
        counted: those that were submitted in the window and that the viewer sees.
        span_s: the window, in the workload's own time.
    """

    workload: Workload
    recorded: Schedule
    counted: Mask
    span_s: tuple[int, int]

    @property
    def nodes(self) -> int:
        """Of the cluster."""
        return self.recorded.platform.nodes

    @property
    def are_shared(self) -> bool:
        """Whether more nodes were in use than there are: jobs must have shared some."""
        return bool(self.recorded.used_nodes().value.max(initial=0) > self.nodes)


def version_of(connection: Connection, viewer: Viewer, window: Window) -> str:
    """Another one where the history of the window has changed."""
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


def replay_of(connection: Connection, viewer: Viewer, window: Window, machines: Machines) -> Replay:
    """The window for simulation; with jobs of others, of which nothing may be told."""
    meant = (countable(viewer), window.condition)
    statement = select(jobs.c.record, visible(viewer)).where(*meant)
    rows = connection.execute(statement.order_by(jobs.c.queue_s, jobs.c.id).limit(MOST_JOBS)).all()
    if not rows:
        raise ParameterError("no job that has ended ran or was submitted in that time")
    records = (from_json(record) for record, _ in rows)
    workload = history_workload(records, Path("history"), ReadOptions(), name=window.cluster)
    # Jobs are numbered from 1 in the order of the rows; some may be left out as unusable.
    seen = np.array([bool(seen) for _, seen in rows])[workload["job_id"] - 1]
    epoch_s = int(workload.header["UnixStartTime"][0])
    span_s = (window.from_s - epoch_s, window.to_s - epoch_s)
    submit_s = workload["submit_s"]
    in_window = (submit_s >= span_s[0]) & (submit_s < span_s[1])
    nodes = max(_known_nodes(workload, machines, window), int(workload["nodes"].max()))
    recorded = _recorded(workload, nodes)
    return Replay(workload, recorded, seen & in_window, span_s)


def _known_nodes(workload: Workload, machines: Machines, window: Window) -> int:
    """As the site says, else those that jobs were met on."""
    return machines.nodes(window.cluster) or header_int(workload.header, "MaxNodes") or 0


def _recorded(workload: Workload, nodes: int) -> Schedule:
    start_s = workload["submit_s"] + workload["wait_s"]
    end_s = start_s + workload["run_s"]
    before = workload.dependency_index()
    freed_s = np.where(before >= 0, end_s[before], 0)
    eligible_s = np.minimum(np.maximum(workload["submit_s"], freed_s), start_s)
    return Schedule(
        workload=workload,
        platform=Platform.homogeneous(nodes),
        policy=AS_IT_WAS,
        start_s=start_s,
        end_s=end_s,
        eligible_s=eligible_s,
        promised_s=np.full(len(workload), -1),
        state=np.full(len(workload), JobState.COMPLETED, dtype=np.int8),
    )
