"""The metrics that Grafana can draw, each as frames for a query."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from schedlab.errors import ParameterError
from schedlab.history.store import JobQuery
from schedlab.history.web.access import Viewer
from schedlab.history.web.grafana.request import FILTERS, Query, Target
from schedlab.history.web.queries.calendar import DAY_S
from schedlab.history.web.queries.cluster_load import Load, load_of
from schedlab.history.web.queries.cluster_use import Span, last_end_s
from schedlab.history.web.queries.listing import list_jobs
from schedlab.history.web.queries.over_time import BY, sums_over_time
from schedlab.history.web.queries.stats import Sums, stats
from schedlab.history.web.service import Service
from schedlab.history.web.windows import clusters_of

_MOST_SERIES = 30
_MOST_ROWS = 200

Frame = dict[str, Any]
"""A series or a table, as the data source expects it."""


@dataclass(frozen=True)
class GrafanaTarget:
    """A target of a query, and the viewer who asks."""

    service: Service
    viewer: Viewer
    query: Query
    target: Target


@dataclass(frozen=True)
class GrafanaMetric:
    """A metric that a panel can draw.

    Args:
        label: its name in the editor of a panel.
        frames: yields what is drawn.
        by: whether it can be divided by ``BY``.
    """

    label: str
    frames: Callable[[GrafanaTarget], Iterator[Frame]]
    by: bool = False


def _over_time(value: Callable[[Sums], float | None]) -> Callable[[GrafanaTarget], Iterator[Frame]]:
    """Return a function that yields series of the sums of jobs that ended in each step."""

    def frames(asked: GrafanaTarget) -> Iterator[Frame]:
        query, target = asked.query, asked.target
        by = str(target.options.get("by") or "") or None
        with asked.service.database.reading() as connection:
            jobs = query.jobs(target)
            found = sums_over_time(connection, asked.viewer, jobs, query.step_s, by)
        for name, steps in list(found.items())[:_MOST_SERIES]:
            points = [(value(sums), 1_000 * at_s) for at_s, sums in sorted(steps.items())]
            known = [list(point) for point in points if point[0] is not None]
            yield {"target": name or METRICS[target.name].label, "datapoints": known}

    return frames


def _load(value: Callable[[Load], Any]) -> Callable[[GrafanaTarget], Iterator[Frame]]:
    """Return a function that yields a series for each cluster, over the jobs of all users."""

    def frames(asked: GrafanaTarget) -> Iterator[Frame]:
        begin_s, end_s = asked.query.range.seconds
        there = clusters_of(asked.service, asked.viewer)
        wanted = asked.query.jobs(asked.target).clusters or tuple(there)
        parts = min(asked.query.points, max(1, end_s - begin_s))
        for name in [each for each in there if each in wanted][:_MOST_SERIES]:
            with asked.service.database.reading() as connection:
                load = load_of(connection, asked.viewer, Span(name, begin_s, end_s), parts=parts)
            times = (1_000 * int(each) for each in load.edge_s[:-1])
            points = [[float(v), at] for v, at in zip(value(load), times, strict=True)]
            yield {"target": name, "datapoints": points}

    return frames


def _users(asked: GrafanaTarget) -> Iterator[Frame]:
    """Yield a table of users, those with most node-hours first."""
    with asked.service.database.reading() as connection:
        found = stats(connection, asked.viewer, asked.query.jobs(asked.target), ["user"])
    names = ("jobs", "node_hours", "energy_joule", "mean_wait_s", "mean_wra")
    rows = [
        [user or "none", *(sums.shown()[name] for name in names)]
        for (user,), sums in found[:_MOST_ROWS]
    ]
    yield _table([("user", "string"), *((name, "number") for name in names)], rows)


def _jobs(asked: GrafanaTarget) -> Iterator[Frame]:
    """Yield a table of the jobs that ended, the newest first."""
    with asked.service.database.reading() as connection:
        query = asked.query.jobs(asked.target)
        found = list_jobs(connection, asked.viewer, query, limit=_MOST_ROWS).rows
    columns = (
        ("end_s", "time"),
        ("jobid", "string"),
        ("cluster", "string"),
        ("user_identifier", "string"),
        ("state", "string"),
        ("num_host", "number"),
        ("wait_s", "number"),
        ("run_s", "number"),
        ("wra", "number"),
        ("energy_joule", "number"),
    )
    rows = [
        [row["end_s"] and 1_000 * row["end_s"], *(row[name] for name, _ in columns[1:])]
        for row in found
    ]
    yield _table([("ended", "time"), *columns[1:]], rows)


def _table(columns: list[tuple[str, str]], rows: list[list[Any]]) -> Frame:
    described = [{"text": name, "type": kind} for name, kind in columns]
    return {"type": "table", "columns": described, "rows": rows}


METRICS: dict[str, GrafanaMetric] = {
    "jobs": GrafanaMetric("Jobs that ended", _over_time(lambda sums: sums.jobs), by=True),
    "node_hours": GrafanaMetric(
        "Node-hours", _over_time(lambda s: s.shown()["node_hours"]), by=True
    ),
    "energy_joule": GrafanaMetric(
        "Energy", _over_time(lambda s: s.shown()["energy_joule"]), by=True
    ),
    "mean_wait_s": GrafanaMetric(
        "Mean wait", _over_time(lambda s: s.shown()["mean_wait_s"]), by=True
    ),
    "mean_wra": GrafanaMetric(
        "Run time / request", _over_time(lambda s: s.shown()["mean_wra"]), by=True
    ),
    "nodes_in_use": GrafanaMetric("Nodes in use", _load(lambda load: load.used_nodes)),
    "jobs_waiting": GrafanaMetric("Jobs waiting", _load(lambda load: load.queued_jobs)),
    "user_table": GrafanaMetric("Table of users", _users),
    "job_table": GrafanaMetric("Table of jobs", _jobs),
}
"""The metrics by their names in queries."""


def described() -> list[dict[str, Any]]:
    """Return the metrics as the editor of a panel offers them."""
    return [
        {"label": each.label, "value": name, "payloads": _payloads(each)}
        for name, each in METRICS.items()
    ]


def _payloads(metric: GrafanaMetric) -> list[dict[str, Any]]:
    names = (*(("by",) if metric.by else ()), *FILTERS)
    return [{"name": name, "label": name, "type": "select"} for name in names]


def options(service: Service, viewer: Viewer, name: str) -> list[str]:
    """Return the choices for a payload or a filter.

    Viewers who see no jobs of others see no names of others.
    """
    if name == "by":
        return list(BY)
    if name == "cluster":
        return clusters_of(service, viewer)
    if name not in FILTERS:
        raise ParameterError(f'"{name}" cannot be chosen; one of: by, {", ".join(FILTERS)}')
    return _seen(service, viewer, name)


def _seen(service: Service, viewer: Viewer, name: str) -> list[str]:
    """Return the values that occur in jobs of the last 90 days."""
    with service.database.reading() as connection:
        last_s = last_end_s(connection, viewer) or 0
        recent = JobQuery(ended_from_s=last_s - 90 * DAY_S)
        found = stats(connection, viewer, recent, [name])
    return sorted(value for (value,), _ in found if value)
