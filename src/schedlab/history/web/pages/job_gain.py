"""How much sooner a job would have started: simulated in the background, kept for all its readers.

A script on the job's page asks for it; later visits find it there.
"""

from __future__ import annotations

import time
from dataclasses import asdict

from fastapi import APIRouter
from sqlalchemy import Connection
from starlette.responses import JSONResponse, Response

from schedlab.errors import ParameterError
from schedlab.history.efficiency.advice import Change
from schedlab.history.efficiency.judge import Efficiency, efficiency_of
from schedlab.history.schema.job import JobRecord
from schedlab.history.web.access import Role, Viewer
from schedlab.history.web.current import CurrentViewer, NamedViewer
from schedlab.history.web.problems import not_found
from schedlab.history.web.queries.search import jobs_by_key
from schedlab.history.web.service import CurrentService, Service
from schedlab.history.web.simulations import GAIN
from schedlab.history.web.simulations.gain import Gain
from schedlab.history.web.tasks import QueuedTask, State, TaskRequest
from schedlab.history.web.tasks.queue import find_asked, submit
from schedlab.units import short_duration

router = APIRouter(include_in_schema=False)

_SERVICE = Viewer(Role.ADMIN, "service: gains")
"""The viewer for whom it is simulated: the result shows nothing of other jobs, so all share it."""
_KEPT = 1_000
_RETRIED_AFTER_S = 3_600
_NONE = {"state": "none", "text": "", "how": ""}
UNASKED = ("none", State.INTERRUPTED)
"""The states in which a page asks for the simulation."""


def gain_asked(key: int, record: JobRecord, efficiency: Efficiency) -> TaskRequest | None:
    """Return the task that simulates the gain of a job; None if nothing can be gained."""
    change, queued, started = efficiency.change, record.queue_time, record.start_time
    if change is None or queued is None or started is None or not _may_help(record, change):
        return None
    parameters = {
        "key": key,
        "cluster": record.cluster or "",
        "queue_s": int(queued.timestamp()),
        "start_s": int(started.timestamp()),
        "change": asdict(change),
    }
    return TaskRequest(GAIN, parameters, _SERVICE, "1")


def _may_help(record: JobRecord, change: Change) -> bool:
    """Return whether the job waited, and the smaller request leaves room to others."""
    assert record.queue_time is not None
    assert record.start_time is not None
    waited_s = (record.start_time - record.queue_time).total_seconds()
    return waited_s >= 60 and (change.kind == "time" or not record.exclusive)


def known_gain(connection: Connection, asked: TaskRequest | None) -> dict[str, str]:
    """Return the task's state and, once it is done, a sentence and how it was computed."""
    found = None if asked is None else find_asked(connection, asked)
    return dict(_NONE) if found is None or _is_stale(found) else _told(found)


def _is_stale(task: QueuedTask) -> bool:
    """Return whether it failed some time ago: the cause, such as a restart, may be gone."""
    return task.state is State.FAILED and time.time() - task.created_s > _RETRIED_AFTER_S


@router.get("/jobs/{key}/gain", name="job_gain")
def get_gain(service: CurrentService, viewer: CurrentViewer, key: int) -> Response:
    """Return to the page's script what is known of the gain."""
    asked = _asked(service, viewer, key)
    with service.database.reading() as connection:
        return JSONResponse(known_gain(connection, asked))


@router.post("/jobs/{key}/gain", name="job_gain_ask")
def ask_gain(service: CurrentService, viewer: NamedViewer, key: int) -> Response:
    """Queue the simulation, unless it was done before or too many others are unfinished."""
    asked = _asked(service, viewer, key)
    try:
        with service.database.writing() as connection:
            submit(connection, asked, kept=_KEPT)
            told = known_gain(connection, asked)
    except ParameterError:  # too many others are unfinished
        told = dict(_NONE)
    service.runner.wake()
    return JSONResponse(told)


def _asked(service: Service, viewer: Viewer, key: int) -> TaskRequest:
    with service.database.reading() as connection:
        found = jobs_by_key(connection, viewer, [key], service.archive_folder)
    record = JobRecord.model_validate_json(found[0].document) if found else None
    site = service.settings.site
    asked = None if record is None else gain_asked(key, record, efficiency_of(record, site))
    if asked is None:
        raise not_found()
    return asked


def _told(task: QueuedTask) -> dict[str, str]:
    told = {"state": str(task.state), "text": "", "how": ""}
    if task.state is not State.DONE:
        return told
    gain = Gain.from_result(task.result)
    if gain.is_large:
        less, more = short_duration(gain.changed_wait_s), short_duration(gain.wait_s)
        told["text"] = f"In a simulation it waits {less} instead of {more}."
        told["how"] = (
            f"Two simulations with EASY backfilling of the {gain.jobs:,} jobs that ran or were "
            f"submitted from {short_duration(gain.before_s)} before this job came until it "
            "started: one with its own request, one with the smaller request. "
            + " ".join(gain.notes)
        )
    return told
