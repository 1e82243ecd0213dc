"""How accurate a user's requests have been: WRA of jobs and WRSA of the user, over time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, timezone

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, select

from schedlab.errors import UnknownNameError
from schedlab.history.store.tables import jobs
from schedlab.history.web.access import Viewer, visible
from schedlab.history.web.queries.calendar import DAY_S, PERIODS, offset_s
from schedlab.metrics.accuracy import BETA, Values, wra, wrsa_over_time
from schedlab.workload import Workload


@dataclass(frozen=True)
class PeriodAccuracy:
    """The mean WRA of the jobs that ended in a period, and the user's WRSA after the last."""

    period: str
    jobs: int
    mean_wra: float
    wrsa: float


@dataclass(frozen=True)
class Accuracy:
    """The accuracy of all requests of a user, for jobs that ran and had a time limit.

    Args:
        jobs: the number of these jobs.
        mean_wra: the mean of run time over requested time.
        wrsa: WRSA after the last job (Takizawa and Takano), with a weight of 0.3 for the past.
        asked_ratio: all time that was asked for over all that was used.
        periods: the accuracy in each period.
    """

    jobs: int
    mean_wra: float
    wrsa: float
    asked_ratio: float | None
    periods: Sequence[PeriodAccuracy]


def accuracy(
    connection: Connection,
    viewer: Viewer,
    user: str,
    *,
    period: str = "month",
    zone: timezone = UTC,
    beta: float = BETA,
) -> Accuracy | None:
    """Return the accuracy of a user's requests; None if the viewer sees no suitable job."""
    if period not in PERIODS:
        raise UnknownNameError("period", period, PERIODS)
    ran = _workload(connection, viewer, user)
    if not len(ran):
        return None
    end_s = ran["submit_s"] + ran["run_s"]
    by_end = np.argsort(end_s, kind="stable")
    each_wra, each_wrsa = wra(ran)[by_end], wrsa_over_time(ran, beta)["wrsa"].to_numpy()
    day = (end_s[by_end] + offset_s(zone)) // DAY_S
    used_s = int(ran["run_s"].sum())
    return Accuracy(
        len(ran),
        float(each_wra.mean()),
        float(each_wrsa[-1]),
        float(ran["request_s"].sum() / used_s) if used_s else None,
        _by_period(PERIODS[period], day, each_wra, each_wrsa),
    )


def _by_period(
    name: Callable[[int], str], day: NDArray[np.int64], each_wra: Values, each_wrsa: Values
) -> list[PeriodAccuracy]:
    """Return the accuracy in each period, for jobs in the order of their ends."""
    begins: dict[str, int] = {}
    for number, at in zip(
        *(each.tolist() for each in np.unique(day, return_index=True)), strict=True
    ):
        begins.setdefault(name(number), at)
    first = np.array(list(begins.values()))
    after = np.append(first[1:], len(day))
    means = np.add.reduceat(each_wra, first) / (after - first)
    return [
        PeriodAccuracy(period, int(end - begin), float(mean), float(each_wrsa[end - 1]))
        for period, begin, end, mean in zip(begins, first, after, means, strict=True)
    ]


def _workload(connection: Connection, viewer: Viewer, user: str) -> Workload:
    """Return the user's jobs, as if each had started when it was submitted."""
    statement = (
        select(jobs.c.start_s, jobs.c.end_s, jobs.c.req_walltime_s)
        .where(visible(viewer), jobs.c.user_identifier == user)
        .where(jobs.c.start_s.is_not(None), jobs.c.req_walltime_s >= 1)
        .where(jobs.c.end_s >= jobs.c.start_s)
        .order_by(jobs.c.queue_s, jobs.c.id)
    )
    rows = connection.execute(statement).all()
    start_s, end_s, request_s = np.array([tuple(row) for row in rows]).reshape(-1, 3).T.astype(int)
    count = len(rows)
    return Workload(
        {
            "job_id": np.arange(1, count + 1),
            "submit_s": start_s,
            "run_s": end_s - start_s,
            "request_s": request_s,
            "nodes": np.ones(count, dtype=np.int64),
            "user": np.zeros(count, dtype=np.int64),
        }
    )
