"""The jobs of a report, as columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import JSON, ColumnElement, Connection, cast, null, select, type_coerce

from schedlab.errors import ParameterError
from schedlab.history.schema.job import JobState
from schedlab.history.site import Site
from schedlab.history.store.queries import JobQuery, conditions
from schedlab.history.store.tables import jobs
from schedlab.history.web.access import Viewer, visible_of_few
from schedlab.history.web.queries.calendar import DAY_S
from schedlab.history.web.reports.period import Period

MOST_JOBS = 2_000_000
HOUR_S, JOULE_PER_KWH = 3_600.0, 3.6e6
_COLUMNS = (
    jobs.c.queue_s,
    jobs.c.start_s,
    jobs.c.end_s,
    jobs.c.node_s,
    jobs.c.req_walltime_s,
    jobs.c.energy_joule,
    jobs.c.state,
    jobs.c.user_identifier,
    jobs.c.accounting_group,
)
_NUMBERS = ("queue_s", "start_s", "end_s", "node_s", "request_s", "energy_j")
_ARRAYS = (*_NUMBERS, "gpu_s", "gram", "cost", "completed")

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Ended:
    """Jobs that have ended, as columns; unknown values are NaN.

    Args:
        queue_s: when each was submitted.
        start_s: when it began.
        end_s: when it ended.
        node_s: its time on all its hosts together.
        request_s: the time that it asked for.
        energy_j: the energy that it used.
        gpu_s: its time on all its GPUs together; unknown unless GPUs have a price.
        gram: the emissions of this energy, by the factor at its end.
        cost: its cost, by the prices at its end.
        completed: whether it ended as it should.
        user: its user.
        group: the group that it was charged to.
    """

    queue_s: Floats
    start_s: Floats
    end_s: Floats
    node_s: Floats
    request_s: Floats
    energy_j: Floats
    gpu_s: Floats
    gram: Floats
    cost: Floats
    completed: NDArray[np.bool_]
    user: Sequence[str | None]
    group: Sequence[str | None]

    def __len__(self) -> int:
        return len(self.end_s)

    def taken(self, places: Sequence[int]) -> Ended:
        """Return some of the jobs."""
        which = np.array(places, dtype=np.int64)
        arrays: dict[str, Any] = {name: getattr(self, name)[which] for name in _ARRAYS}
        users, groups = ([each[at] for at in places] for each in (self.user, self.group))
        return Ended(**arrays, user=users, group=groups)

    def node_hours_between(self, edges: Sequence[float]) -> list[float]:
        """Return the node-hours of the jobs that ended from each edge to the next."""
        sums, _ = np.histogram(self.end_s, np.array(edges), weights=np.nan_to_num(self.node_s))
        return [float(each) / HOUR_S for each in sums]


def ended_jobs(
    connection: Connection,
    viewer: Viewer,
    query: JobQuery,
    site: Site | None,
    period: Period,
    until_s: float,
) -> Ended:
    """Return the jobs that ended in the period until then, of those that the viewer sees."""
    ended = (jobs.c.end_s >= period.from_s, jobs.c.end_s < min(period.to_s, int(until_s)))
    # GPUs are in the records only, which take long to read.
    gpus = _gpus(connection) if _gpus_cost(site, period) else (null(), null())
    selected = (*_COLUMNS, *gpus)
    statement = select(*selected).where(visible_of_few(viewer), *ended, *conditions(query))
    rows = connection.execute(statement.limit(MOST_JOBS + 1)).all()
    if len(rows) > MOST_JOBS:
        raise ParameterError(f"more than {MOST_JOBS:,} jobs ended then; choose a week")
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(selected)
    numbers: dict[str, Any] = {
        name: _floats(column) for name, column in zip(_NUMBERS, columns, strict=False)
    }
    states, users, groups, given, asked = columns[len(_NUMBERS) :]
    completed = np.array([state == JobState.COMPLETED for state in states], dtype=bool)
    ran_s = numbers["end_s"] - numbers["start_s"]
    in_all, on_host = _floats(given) * ran_s, _floats(asked) * numbers["node_s"]
    numbers["gpu_s"] = np.where(np.isfinite(in_all), in_all, on_host)
    gram, cost = _factors(site, numbers)
    return Ended(**numbers, gram=gram, cost=cost, completed=completed, user=users, group=groups)


def _floats(column: Sequence[Any]) -> Floats:
    return np.array([np.nan if value is None else float(value) for value in column])


def _gpus_cost(site: Site | None, period: Period) -> bool:
    """Return whether GPUs have a price at the beginning or the end of the period."""
    cost = None if site is None else site.service.cost
    if cost is None:
        return False
    return any(cost(moment_s).gpu_hour > 0 for moment_s in (period.from_s, period.to_s - 1))


def _gpus(connection: Connection) -> tuple[ColumnElement[Any], ColumnElement[Any]]:
    """Return columns of the GPUs that a job got in all, and that it asked for on each host."""
    document: Any
    if connection.dialect.name == "sqlite":
        document = type_coerce(jobs.c.record, JSON)
    else:
        document = cast(jobs.c.record, JSON)
    asked = document[("resource_req", "accelerator", "num_perhost")]
    return document[("resource_alloc", "num_accelerator")].as_float(), asked.as_float()


def _factors(site: Site | None, numbers: Mapping[str, Floats]) -> tuple[Floats, Floats]:
    """Return what each job emitted and cost.

    They are NaN if the site gives no factors or prices, or if nothing was measured.
    """
    end_s = numbers["end_s"]
    days, place = np.unique(end_s // DAY_S, return_inverse=True)  # factors change at midnight, UTC
    moments = (days * DAY_S).tolist()
    kwh = numbers["energy_j"] / JOULE_PER_KWH
    gram, cost = np.full(len(end_s), np.nan), np.full(len(end_s), np.nan)
    if site is not None and site.carbon is not None:
        gram = kwh * np.array([site.carbon(each).gram_per_kwh for each in moments])[place]
    if site is not None and site.service.cost is not None:
        prices = [site.service.cost(each) for each in moments]
        amounts = {
            "node_hour": numbers["node_s"] / HOUR_S,
            "gpu_hour": numbers["gpu_s"] / HOUR_S,
            "kwh": kwh,
        }
        cost = np.zeros(len(end_s))
        for name, amount in amounts.items():
            of_one = np.array([getattr(each, name) for each in prices])[place]
            cost += np.nan_to_num(amount) * of_one
    return gram, cost
