"""A job that still waits: for how long, why, and when it will start."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy import Connection

from schedlab.history.web.access import Viewer
from schedlab.history.web.pages.queue import QueueRow
from schedlab.history.web.pages.starts import Starts, starts_of
from schedlab.history.web.quantities import FILTERS, zone_of
from schedlab.history.web.queries.search import FoundJob
from schedlab.history.web.queries.shown import Shown
from schedlab.history.web.queries.unfinished import Standing, ahead_of, heard_s
from schedlab.history.web.service import Service

_WAITING = (Standing.WAITS, Standing.HELD, Standing.NOT_ELIGIBLE)


@dataclass(frozen=True)
class StillWaiting:
    """What a page shows of a waiting job.

    Args:
        sentences: what is known of its wait.
        starts: forecasts of its cluster; None for a job without a forecast.
    """

    sentences: list[str]
    starts: Starts | None


def still_waiting(
    connection: Connection, service: Service, viewer: Viewer, found: FoundJob, shown: Shown
) -> StillWaiting | None:
    """Return what is known of a job that waits; None if it does not wait."""
    row = QueueRow.of(found, shown, 0.0)
    if row.standing not in _WAITING:
        return None
    cluster = row.job.get("cluster") or ""
    heard = heard_s(connection, cluster)
    row = QueueRow.of(found, shown, heard or 0.0)
    sentences = list(_sentences(connection, viewer, service, row, heard))
    waits = row.standing is Standing.WAITS
    starts = starts_of(connection, service, viewer, cluster) if waits else None
    return StillWaiting(sentences, starts)


def _sentences(
    connection: Connection, viewer: Viewer, service: Service, row: QueueRow, heard: int | None
) -> Iterator[str]:
    if heard is not None and row.queue_s is not None:
        waited, moment = FILTERS["duration"](heard - row.queue_s), zone_of(service)
        told = FILTERS["moment"](heard, moment)
        news = "the time of the last news from the scheduler"
        yield f"At {told}, {news}, it had waited for {waited}."
    meant, word = row.reason
    if word:
        yield f"The scheduler says: {word}{f' ({meant})' if meant else ''}."
    if row.standing is Standing.HELD:
        yield "It does not start until it is released."
    elif row.standing is Standing.NOT_ELIGIBLE:
        if row.eligible_s is not None:
            moment = zone_of(service)
            yield f"It may start from {FILTERS['moment'](row.eligible_s, moment)} on."
        else:
            yield "It may not start yet."
    elif row.queue_s is not None:
        ahead = ahead_of(connection, viewer, row.job.get("cluster") or "", row.queue_s, row.key)
        some = {0: "No job", 1: "One job"}.get(ahead, f"{ahead:,} jobs")
        yield f"{some} that came before it still {'wait' if ahead > 1 else 'waits'}."
