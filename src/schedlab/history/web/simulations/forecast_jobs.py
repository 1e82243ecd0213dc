"""The jobs of a cluster that a forecast learns from, and those that run and wait."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic_core import from_json
from sqlalchemy import Connection, select

from schedlab.errors import ParameterError
from schedlab.history.schema.times import format_time, from_epoch
from schedlab.history.store.tables import UNFINISHED, jobs
from schedlab.history.web.queries.unfinished import MOST, Standing, standing_of
from schedlab.history.web.simulations.machine import SiteMachines, fitting
from schedlab.platform import Platform
from schedlab.workload import Workload
from schedlab.workload.readers import ReadOptions
from schedlab.workload.readers.job_history import history_workload

Record = Mapping[str, Any]
Seconds = NDArray[np.float64]
LEARNT_S = 28 * 86_400
"""The greatest age of a job to learn from."""
LEARNT = 10_000
"""The largest number of jobs to learn from; the latest are taken."""


@dataclass(frozen=True, eq=False)
class PastJobs:
    """Jobs as columns, including those that have not ended.

    Args:
        workload: all jobs that the machine can hold.
        platform: the machine.
        epoch_s: time 0 of the workload, in epoch seconds.
        key: the key of each job in the store.
        start_s: starts on the workload's clock; NaN for a job that has not started.
        end_s: ends on the workload's clock; NaN for a job that has not ended.
    """

    workload: Workload
    platform: Platform
    epoch_s: int
    key: NDArray[np.int64]
    start_s: Seconds
    end_s: Seconds


def records_of(connection: Connection, cluster: str, now_s: int) -> dict[int, Record]:
    """Return the records of a cluster's jobs by key, in the order of submission.

    Jobs that are held or not yet eligible are left out: it is unknown when they may start.
    """
    there = select(jobs.c.id, jobs.c.record).where(
        jobs.c.cluster == cluster, jobs.c.queue_s.is_not(None), jobs.c.queue_s <= now_s
    )
    ended = there.where(jobs.c.queue_s >= now_s - LEARNT_S, jobs.c.end_s <= now_s)
    latest = ended.order_by(jobs.c.queue_s.desc(), jobs.c.id.desc()).limit(LEARNT)
    waiting = there.where(UNFINISHED).order_by(jobs.c.queue_s, jobs.c.id).limit(MOST)
    rows = [*reversed(connection.execute(latest).all()), *connection.execute(waiting).all()]
    found = {key: from_json(document) for key, document in rows}
    meant = {
        key: record
        for key, record in found.items()
        if standing_of(record, now_s) not in (Standing.HELD, Standing.NOT_ELIGIBLE)
    }
    return dict(sorted(meant.items(), key=lambda each: _epoch_s(each[1], "queue_time")))


def past_of(
    records: Mapping[int, Record], cluster: str, machines: SiteMachines, now_s: int
) -> PastJobs:
    """Return the jobs as columns, for the machine that the site file describes."""
    rows = list(records.values())
    closed = (_closed(record, now_s) for record in rows)
    workload = history_workload(closed, Path("history"), ReadOptions(), name=cluster)
    platform = machines.platform(cluster, workload)
    fits = fitting(workload, platform)
    if not fits.any():
        raise ParameterError("the machine that the site file describes can hold none of the jobs")
    workload = workload.take(fits)
    epoch_s = int(workload.header["UnixStartTime"][0])
    place = workload["job_id"] - 1  # they are numbered as they come
    starts, ends = (_moments(rows, name, epoch_s) for name in ("start_time", "end_time"))
    waits = np.array([standing_of(each, now_s) is Standing.WAITS for each in rows])
    starts[waits] = np.nan
    key = np.array(list(records), dtype=np.int64)
    return PastJobs(workload, platform, epoch_s, key[place], starts[place], ends[place])


def _closed(record: Record, now_s: int) -> Record:
    """Return a job that has not ended as one that runs for as long as it may, beginning now."""
    standing = standing_of(record, now_s)
    if standing is Standing.ENDED:
        return record
    start_s = now_s if standing is Standing.WAITS else _epoch_s(record, "start_time")
    end_s = max(start_s + int(record.get("req_walltime_sec") or 1), now_s + 1)
    times = {"start_time": start_s, "end_time": end_s}
    told = {name: format_time(from_epoch(each)) for name, each in times.items()}
    return {**record, **told, "state": "completed"}


def _moments(rows: Iterable[Record], name: str, epoch_s: int) -> Seconds:
    return np.array(
        [_epoch_s(each, name) - epoch_s if each.get(name) else np.nan for each in rows],
        dtype=np.float64,
    )


def _epoch_s(record: Record, name: str) -> int:
    return int(datetime.fromisoformat(record[name]).timestamp())
