"""The page of the queue: what runs, what waits and why, with forecasts of the starts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from fastapi import APIRouter, Request
from pydantic_core import from_json, to_json
from sqlalchemy import Connection
from starlette.responses import Response

from schedlab.errors import UnknownNameError
from schedlab.history.web.access import Viewer
from schedlab.history.web.access.visible import may_see
from schedlab.history.web.mirror import MirrorState
from schedlab.history.web.pages.starts import Starts, live_starts, live_state, starts_of
from schedlab.history.web.pages.wait_reasons import reason_in_words
from schedlab.history.web.parameters import Asking, CurrentAsking
from schedlab.history.web.quantities import zone_of
from schedlab.history.web.queries.search import FoundJob
from schedlab.history.web.queries.shown import Shown
from schedlab.history.web.queries.unfinished import (
    MOST,
    Standing,
    heard_s,
    keys_by_jobid,
    standing_of,
    standings,
    unfinished_jobs,
)
from schedlab.history.web.render import render
from schedlab.history.web.windows import clusters_of

router = APIRouter(include_in_schema=False)

LISTED = 200
"""The largest number of jobs that a list shows; of more, it shows the first."""


@dataclass(frozen=True)
class QueueRow:
    """A job that has not ended, as a list shows it.

    Args:
        key: its key in the store; negative for a job that is not there yet.
        job: the items of its record that the viewer may see.
        standing: how it stands with its scheduler.
        queue_s: when it came, in epoch seconds.
        start_s: when it started; None while it waits.
        eligible_s: when it may start at the earliest, if that is known.
        reason: why it waits, and the scheduler's word for it.
    """

    key: int
    job: Mapping[str, Any]
    standing: Standing
    queue_s: int | None
    start_s: int | None
    eligible_s: int | None
    reason: tuple[str, str]

    @classmethod
    def of(cls, found: FoundJob, shown: Shown, now_s: float) -> QueueRow:
        """Return the row of a job."""
        true, job = from_json(found.document), shown.record(found.document)
        return cls(
            found.key,
            job,
            standing_of(true, now_s),
            queue_s=_epoch_s(true.get("queue_time")),
            start_s=_epoch_s(true.get("start_time")),
            eligible_s=_epoch_s(true.get("eligible_time")),
            reason=reason_in_words(job.get("wait_reason")),
        )

    @property
    def request_s(self) -> float | None:
        """The time that it asked for."""
        asked: float | None = self.job.get("req_walltime_sec")
        return asked

    @property
    def end_s(self) -> float | None:
        """When it ends at the latest."""
        known = self.start_s is not None and self.request_s is not None
        return self.start_s + self.request_s if known else None  # type: ignore[operator]


@dataclass(frozen=True)
class QueueView:
    """The jobs of a cluster that have not ended and that the viewer sees.

    Args:
        cluster: its name.
        now_s: the time of the last news from its scheduler; None if there was none.
        rows: the jobs.
        jobs: the number of jobs of all users, by state.
        nodes: the number of their nodes, by state.
        starts: what is known of their starts.
        is_live: whether all this is from a live mirror, and not from the last ingest.
    """

    cluster: str
    now_s: int | None
    rows: Sequence[QueueRow]
    jobs: Mapping[str, int]
    nodes: Mapping[str, int]
    starts: Starts
    is_live: bool = False

    def standing(self, standing: str) -> list[QueueRow]:
        """Return the jobs of this standing; waiting jobs in the order of their likely starts."""
        found = [row for row in self.rows if row.standing == standing]
        if standing == Standing.WAITS:
            found.sort(key=lambda row: self.starts.middle_s(row.key))
        return found


def queue_of(connection: Connection, asking: Asking, cluster: str, most: int = MOST) -> QueueView:
    """Return the queue of a cluster at the time of the last news from its scheduler."""
    viewer: Viewer = asking.viewer
    live = live_state(asking.service, cluster)
    if live is not None:
        return _live_queue(connection, asking, live)
    heard = heard_s(connection, cluster)
    found = unfinished_jobs(connection, viewer, cluster, most)
    rows = [QueueRow.of(each, asking.shown, heard or 0) for each in found]
    jobs, nodes = standings(connection, viewer, cluster)
    starts = starts_of(connection, asking.service, viewer, cluster)
    return QueueView(cluster, heard, rows, jobs, nodes, starts)


def _live_queue(connection: Connection, asking: Asking, live: MirrorState) -> QueueView:
    """Return the queue of a live mirror; jobs that no ingest has read yet have no page."""
    known = keys_by_jobid(connection, asking.viewer, live.cluster)
    seen = [
        record
        for record in live.records
        if may_see(asking.viewer, record.get("user_identifier"), record.get("accounting_group"))
    ]
    keys = {
        record["jobid"]: known.get(record["jobid"], -place) for place, record in enumerate(seen, 1)
    }
    rows = [
        QueueRow.of(FoundJob(keys[each["jobid"]], to_json(each).decode()), asking.shown, live.at)
        for each in seen
    ]
    jobs, nodes = Counter[str](), Counter[str]()
    for record in live.records:
        jobs[record["state"]] += 1
        nodes[record["state"]] += record["resource_req"]["num_host"]
    starts = live_starts(live, keys, zone_of(asking.service))
    return QueueView(live.cluster, int(live.at), rows, jobs, nodes, starts, is_live=True)


@router.get("/queue", name="queue")
def queue_page(request: Request, asking: CurrentAsking, cluster: str = "") -> Response:
    """Show what runs and waits on a cluster."""
    clusters = clusters_of(asking.service, asking.viewer)
    if cluster and cluster not in clusters:
        raise UnknownNameError("cluster", cluster, clusters)
    chosen = cluster or next(iter(clusters), "")
    with asking.service.database.reading() as connection:
        queue = queue_of(connection, asking, chosen)
    return render(
        request,
        asking.viewer,
        "queue.html",
        clusters=clusters,
        queue=queue,
        machine=_nodes(asking, chosen),
        listed=LISTED,
        hides_names=asking.shown.release is not None,
        zone=zone_of(asking.service),
    )


def _nodes(asking: Asking, cluster: str) -> int | None:
    site = asking.service.settings.site
    clusters = () if site is None else site.clusters
    return next((each.nodes for each in clusters if each.name == cluster), None)


def _epoch_s(text: str | None) -> int | None:
    return None if text is None else int(datetime.fromisoformat(text).timestamp())
