"""The site in numbers for Prometheus: jobs that wait and run, and the waits of those that began."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import numpy as np
from sqlalchemy import Connection, func, select

from schedlab.history.store.tables import UNFINISHED, jobs

DAY_S = 86_400
QUANTILES = (0.5, 0.95)
_MOST_JOBS = 100_000

Labels = dict[str, str]


def unfinished_jobs(connection: Connection) -> Iterator[tuple[Labels, int]]:
    """Yield how many jobs wait, run and are suspended, by cluster and partition."""
    columns = (jobs.c.cluster, jobs.c.partition, jobs.c.state)
    statement = select(*columns, func.count()).where(UNFINISHED).group_by(*columns)
    for cluster, partition, state, count in connection.execute(statement.order_by(*columns)):
        yield {"cluster": cluster, "partition": partition or "", "state": state}, count


def waits(connection: Connection, now_s: float) -> Iterator[tuple[Labels, list[float]]]:
    """Yield the ``QUANTILES`` of the waits of jobs that began in the last day, in seconds."""
    began = (jobs.c.start_s >= int(now_s) - DAY_S, jobs.c.queue_s.is_not(None))
    columns = (jobs.c.cluster, jobs.c.partition, jobs.c.start_s - jobs.c.queue_s)
    found: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for cluster, partition, wait_s in connection.execute(
        select(*columns).where(*began).limit(_MOST_JOBS)
    ):
        found[cluster, partition or ""].append(wait_s)
    for (cluster, partition), values in sorted(found.items()):
        labels = {"cluster": cluster, "partition": partition}
        yield labels, [float(each) for each in np.quantile(values, QUANTILES)]
