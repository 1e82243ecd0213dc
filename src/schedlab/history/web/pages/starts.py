"""Forecasts on pages: the known one is shown at once, and a script fetches a newer one."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import tzinfo
from typing import Any

from fastapi import APIRouter
from sqlalchemy import Connection
from starlette.responses import JSONResponse, Response

from schedlab.history.web.access import Role, Viewer
from schedlab.history.web.current import CurrentViewer, NamedViewer
from schedlab.history.web.forecasts import Forecast, ask_forecast, known_forecast
from schedlab.history.web.mirror import MirrorState
from schedlab.history.web.problems import not_found
from schedlab.history.web.quantities import FILTERS, zone_of
from schedlab.history.web.queries.unfinished import keys_by_jobid, unfinished_keys
from schedlab.history.web.service import CurrentService, Service
from schedlab.history.web.tasks import QueuedTask, State
from schedlab.history.web.windows import clusters_of

router = APIRouter(include_in_schema=False)


@dataclass(frozen=True)
class Starts:
    """What a page shows of starts.

    Args:
        cluster: the cluster of the jobs.
        forecast: the last known forecast.
        task: the last task that was asked for.
        zone: the time zone of shown times.
        asks: whether the page asks for a newer one.
    """

    cluster: str
    forecast: Forecast | None
    task: QueuedTask | None
    zone: tzinfo
    asks: bool

    def words(self, key: int) -> str:
        """Return when the job will start, in words; empty if that is not known."""
        return (self.forecast and self.forecast.words(key, self.zone)) or ""

    def middle_s(self, key: int) -> float:
        """Return the middle of the job's interval; infinity if it is unknown, so it comes last."""
        known = None if self.forecast is None else self.forecast.starts.get(key)
        return float("inf") if known is None else known[1]

    @property
    def how(self) -> str:
        """How the forecast was computed."""
        return "" if self.forecast is None else self.forecast.how

    @property
    def note(self) -> str:
        """How old the forecast is, or why there is none."""
        if self.task is not None and self.task.state is State.FAILED:
            return f"No newer forecast: {self.task.failure}."
        if self.forecast is None:
            return "No forecast has been computed yet."
        age_s = max(time.time() - self.forecast.made_s, 0)
        age = "just now" if age_s < 60 else f"{FILTERS['duration'](age_s)} ago"
        known = FILTERS["moment"](self.forecast.now_s, self.zone)
        return f"Forecast made {age}, with what was known at {known}."


def starts_of(connection: Connection, service: Service, viewer: Viewer, cluster: str) -> Starts:
    """Return what is known of the starts of the jobs that wait on a cluster."""
    live = live_state(service, cluster)
    if live is not None:
        keys = keys_by_jobid(connection, viewer, cluster)
        return live_starts(live, keys, zone_of(service))
    forecast, task = known_forecast(connection, cluster)
    asks = viewer.role is not Role.PUBLIC
    return Starts(cluster, forecast, task, zone_of(service), asks)


def live_state(service: Service, cluster: str) -> MirrorState | None:
    """Return the last state of a live mirror of the cluster; None if none runs."""
    mirror = service.settings.mirror
    live = None if mirror is None else mirror.state()
    return live if live is not None and live.cluster == cluster else None


def live_starts(live: MirrorState, keys: Mapping[str, int], zone: tzinfo) -> Starts:
    """Return the forecasts of a live mirror, for the jobs whose keys are known."""
    starts = {keys[job]: told for job, told in live.starts.items() if job in keys}
    by = "mirror" if live.starts else None
    return Starts(live.cluster, Forecast(int(live.at), live.at, by, starts), None, zone, False)


@router.get("/queue/starts", name="starts")
def get_starts(service: CurrentService, viewer: CurrentViewer, cluster: str) -> Response:
    """Return to the page's script what is known of the jobs that the viewer sees."""
    return _answer(service, viewer, cluster)


@router.post("/queue/starts", name="starts_ask")
def ask_starts(service: CurrentService, viewer: NamedViewer, cluster: str) -> Response:
    """Have a newer forecast computed, unless the last is fresh."""
    _require(service, viewer, cluster)
    ask_forecast(service, cluster)
    return _answer(service, viewer, cluster)


def _answer(service: Service, viewer: Viewer, cluster: str) -> Response:
    _require(service, viewer, cluster)
    with service.database.reading() as connection:
        starts = starts_of(connection, service, viewer, cluster)
        keys = unfinished_keys(connection, viewer, cluster)
    return JSONResponse(told(starts, keys))


def _require(service: Service, viewer: Viewer, cluster: str) -> None:
    if cluster not in clusters_of(service, viewer):
        raise not_found()


def told(starts: Starts, keys: Iterable[int]) -> dict[str, Any]:
    """Return the data for the page's script: the state of the last task, and words by key."""
    words = {key: starts.words(key) for key in keys}
    return {
        "state": "none" if starts.task is None else str(starts.task.state),
        "note": starts.note,
        "how": starts.how,
        "starts": {str(key): each for key, each in words.items() if each},
    }
