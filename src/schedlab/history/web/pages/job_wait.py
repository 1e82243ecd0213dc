"""Where a job waited and why, in sentences that claim no more than the store knows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import tzinfo

from sqlalchemy import Connection

from schedlab.errors import UnknownNameError
from schedlab.history.schema.job import JobRecord
from schedlab.history.site import Site
from schedlab.history.web.access import Viewer
from schedlab.history.web.plots.drawing import Drawing, drawing, over_time
from schedlab.history.web.plots.waiting import waiting_figure
from schedlab.history.web.quantities import FILTERS
from schedlab.history.web.queries.waiting import Wait, Waited, waited

SHORT_S = 60
"""A shorter wait is not worth explaining."""


@dataclass(frozen=True)
class WaitExplanation:
    """Sentences, a figure if there is something to see, and whether it shows free nodes."""

    sentences: list[str]
    figure: Drawing | None = None
    tells_room: bool = False


def explain_wait(
    connection: Connection, viewer: Viewer, record: JobRecord, site: Site | None, zone: tzinfo
) -> WaitExplanation | None:
    """Return why the job may have waited; None if it is unknown whether it did."""
    if record.queue_time is None or record.start_time is None:
        return None
    queue_s, start_s = (int(each.timestamp()) for each in (record.queue_time, record.start_time))
    short_s = start_s - queue_s
    if short_s < SHORT_S:
        after = "at once" if short_s <= 0 else f"{FILTERS['duration'](short_s)} after it came"
        return WaitExplanation([f"It started {after}."])
    wait = Wait(
        record.cluster or "",
        record.partition,
        queue_s,
        start_s,
        record.resource_req.num_host,
        _nodes(record, site),
        are_shared=site is not None and site.sharing is not None,
    )
    found = waited(connection, viewer, wait)
    sentences = [*_held_back(record), *_queue(wait, found), *_nodes_free(wait, found)]
    if found.busy is None:
        return WaitExplanation(sentences)
    if not found.busy.nodes.any():
        return WaitExplanation([*sentences, "No node of the cluster was in use meanwhile."])
    offset = zone.utcoffset(record.start_time)
    shift_s = offset.total_seconds() if offset else 0.0
    edge_s, busy = found.busy.time_s + shift_s, found.busy.nodes
    figure = waiting_figure(1e3 * edge_s, busy, wait.num_host, wait.nodes)
    drawn = drawing(figure, over_time(edge_s, {"nodes in use": busy[:-1]}))
    return WaitExplanation(sentences, drawn, tells_room=wait.nodes is not None)


def _nodes(record: JobRecord, site: Site | None) -> int | None:
    """Return how many nodes the cluster has; None if that is unknown or does not matter.

    It does not matter to a job that may share nodes, which needs none that is free.
    """
    if site is None or (site.sharing is not None and not record.exclusive):
        return None
    try:
        return site.cluster(record.cluster).nodes or None
    except UnknownNameError:
        return None


def _held_back(record: JobRecord) -> Iterator[str]:
    assert record.queue_time is not None
    if record.eligible_time is not None:
        held_s = (record.eligible_time - record.queue_time).total_seconds()
        if held_s >= SHORT_S:
            yield f"For the first {FILTERS['duration'](held_s)} it was not yet eligible."
    if record.dependency:
        yield f"It had to wait for {_some(len(record.dependency), 'other job')}."


def _queue(wait: Wait, found: Waited) -> Iterator[str]:
    where = "its partition" if wait.partition else "the cluster"
    if found.ahead:
        were = "was" if found.ahead == 1 else "were"
        yield (
            f"When it came, {_some(found.ahead, 'job')} of {where} {were} waiting already, "
            f"for {_some(found.ahead_num_host, 'node')} in all."
        )
    else:
        yield f"When it came, no job of {where} was waiting."
    if found.overtaken_by:
        yield f"{_some(found.overtaken_by, 'job')} that came later started before it."


def _nodes_free(wait: Wait, found: Waited) -> Iterator[str]:
    if found.busy is None:
        yield "Too many jobs ran in that time to tell how many nodes were free."
    elif found.short_share is not None:
        wanted = "a node was free" if wait.num_host == 1 else f"{wait.num_host:,} nodes were free"
        if found.short_share >= 0.995:
            asked = _some(wait.num_host, "node")
            yield f"Fewer than the {asked} it asked for were free all the time."
        elif found.short_share <= 0.005:
            yield f"All the time {wanted}, but others had reservations, or nodes were down."
        else:
            yield (
                f"For {FILTERS['percent'](found.short_share)} of the wait too few nodes were free; "
                f"for the rest {wanted}, but others had reservations, or nodes were down."
            )


def _some(count: int, noun: str) -> str:
    return f"{count:,} {noun}" + ("" if count == 1 else "s")
