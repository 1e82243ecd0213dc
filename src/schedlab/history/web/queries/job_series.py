"""The timelines of a job's item as a figure shows them: lines, or a band over many hosts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from sqlalchemy import Connection

from schedlab.history.attribution import times_on
from schedlab.history.schema.job import HostUse, JobRecord
from schedlab.history.sensors.series import Floats
from schedlab.history.sensors.source import MeasuringPoint
from schedlab.history.site import Site
from schedlab.history.web.queries.timelines import TimelinePart, TimelineRequest, read_timelines

Columns = Mapping[str, Floats]

_STALE_STEPS = 3.0


def places_of(hosts: Sequence[HostUse], item: str) -> list[MeasuringPoint]:
    """Return where a job's item is measured: on each host, or on each accelerator of each."""
    if not item.startswith("accelerator."):
        return [MeasuringPoint(host.node_id) for host in hosts]
    return [
        MeasuringPoint(host.node_id, str(number))
        for host in hosts
        for number in range(len(host.accelerator or ()))
    ]


def read_window(
    connection: Connection,
    site: Site,
    record: JobRecord,
    hosts: Sequence[HostUse],
    item: str,
    *,
    from_s: float,
    to_s: float,
    now_s: float,
    **wanted: Any,
) -> dict[MeasuringPoint, TimelinePart]:
    """Return the timelines of the hosts on which the job was between two moments."""
    there = [
        host
        for host, (start_s, end_s) in ((host, times_on(record, host)) for host in hosts)
        if start_s < to_s and from_s < min(end_s, now_s)
    ]
    if not there:
        return {}
    how = TimelineRequest(from_s=from_s, to_s=to_s, **wanted)
    found = read_timelines(connection, site, record, there, item, how, now_s=now_s)
    return {place: answer for place, answer in found.items() if len(answer.value)}


def line(answer: TimelinePart) -> Columns:
    """Return the points of a line that holds each value until the next.

    NaN where nothing is known.
    """
    start_s, end_s = answer.start_s, answer.end_s
    if end_s is None:
        span_s = 4 * (answer.to_s - answer.from_s) / max(len(start_s), 1)
        held_s = _STALE_STEPS * max(answer.provenance.native_step_s or 0.0, span_s)
        end_s = np.minimum(np.append(start_s[1:], answer.to_s), start_s + held_s)
    time_s, value = np.column_stack([start_s, end_s]).ravel(), np.repeat(answer.value, 2)
    gap = np.flatnonzero(start_s[1:] > end_s[:-1])
    after = 2 * (gap + 1)
    return {"t": np.insert(time_s, after, end_s[gap]), "v": np.insert(value, after, np.nan)}


def on_grid(answers: Sequence[TimelinePart], edges: Floats) -> Floats:
    """Return the values in the middle of a grid's steps, by timeline; NaN where unknown."""
    middle = (edges[:-1] + edges[1:]) / 2
    rows = np.full((len(answers), len(middle)), np.nan)
    for row, answer in zip(rows, answers, strict=True):
        assert answer.end_s is not None, "timelines for a grid are not thinned"
        at = np.searchsorted(answer.start_s, middle, side="right") - 1
        known = (at >= 0) & (middle < answer.end_s[at])
        row[known] = answer.value[at[known]]
    return rows


def band(answers: Sequence[TimelinePart], edges: Floats) -> Columns:
    """Return the least, the median and the greatest of many timelines, step by step.

    Where nothing is known the median is NaN, and the others are both 0: an area of no height.
    """
    rows = on_grid(answers, edges)
    values = {
        "low": _over_rows(rows, np.nanmin, 0.0),
        "v": _over_rows(rows, np.nanmedian, np.nan),
        "high": _over_rows(rows, np.nanmax, 0.0),
    }
    return _steps(edges, values)


def mean_over_places(answers: Sequence[TimelinePart], edges: Floats) -> Columns:
    """Return the mean of the timelines of a job, step by step."""
    return _steps(edges, {"v": _over_rows(on_grid(answers, edges), np.nanmean, np.nan)})


def _over_rows(rows: Floats, how: Callable[..., Floats], unknown: float) -> Floats:
    """Return one number for each step, from the rows in which it is known."""
    known = ~np.isnan(rows).all(axis=0)
    values = np.full(rows.shape[1], unknown)
    if known.any():
        values[known] = how(rows[:, known], axis=0)
    return values


def _steps(edges: Floats, values: Mapping[str, Floats]) -> Columns:
    """Return the corners of steps: each value at both of its ends."""
    corners = {name: np.repeat(each, 2) for name, each in values.items()}
    return {"t": np.repeat(edges, 2)[1:-1], **corners}
