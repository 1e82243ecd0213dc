"""The queue grows unusually: far more jobs wait than at most times of the last weeks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import numpy as np
from sqlalchemy import func, select

from schedlab.history.alerts.alert import DAY_S, HOUR_S, Alert, RuleInput
from schedlab.history.schema.job import JobState
from schedlab.history.store.tables import UNFINISHED, jobs

_WEEKS = 4
_USUAL = 0.95
"""The quantile of hourly queue lengths that counts as the usual length."""
_MOST_JOBS = 300_000


def grown_queues(look: RuleInput) -> Iterator[Alert]:
    """Yield an alert for each cluster on which far more jobs wait than usual."""
    pending = select(jobs.c.cluster, func.count()).where(
        UNFINISHED, jobs.c.state == JobState.PENDING
    )
    counts = look.connection.execute(pending.group_by(jobs.c.cluster)).all()
    if all(count < look.section.queue_least for _, count in counts):
        return
    usual = _usual(look)
    for cluster, count in sorted(map(tuple, counts)):
        least = max(look.section.queue_least, look.section.queue_factor * usual.get(cluster, 0.0))
        if count >= least:
            text = (
                f"{count:,} jobs wait on {cluster}; in the last {_WEEKS} weeks it was "
                f"{usual.get(cluster, 0.0):,.0f} or fewer for {100 * _USUAL:.0f} % of the time."
            )
            yield Alert("queue", cluster, text, f"/jobs?state=pending&cluster={cluster}")


def _usual(look: RuleInput) -> dict[str, float]:
    """Return the queue length that only the worst hours exceeded, up to a day ago, by cluster."""
    to_s = int(look.now_s) - DAY_S
    from_s = to_s - _WEEKS * 7 * DAY_S
    left = func.coalesce(jobs.c.start_s, jobs.c.end_s, int(look.now_s))
    queued = (
        select(jobs.c.cluster, jobs.c.queue_s, left)
        .where(jobs.c.queue_s >= from_s, jobs.c.queue_s < to_s)
        .order_by(jobs.c.queue_s.desc())
        .limit(_MOST_JOBS)
    )
    times: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    for cluster, queue_s, left_s in look.connection.execute(queued):
        times[cluster].append((queue_s, left_s))
    return {cluster: _quantile(np.array(each), to_s) for cluster, each in times.items()}


def _quantile(times: np.ndarray[tuple[int, ...], np.dtype[np.int64]], to_s: int) -> float:
    queue_s, left_s = (np.sort(column) for column in times.T)
    hours = np.arange(queue_s[0], to_s, HOUR_S)
    waiting = np.searchsorted(queue_s, hours, "right") - np.searchsorted(left_s, hours, "right")
    return float(np.quantile(waiting, _USUAL))
