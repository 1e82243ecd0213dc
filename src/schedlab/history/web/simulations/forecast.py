"""A forecast as a task, for the jobs of all users that wait on a cluster."""

from __future__ import annotations

from typing import Any

from schedlab.history.web.database import Database
from schedlab.history.web.queries.unfinished import Standing, standing_of
from schedlab.history.web.simulations.forecast_jobs import past_of, records_of
from schedlab.history.web.simulations.machine import SiteMachines
from schedlab.history.web.simulations.present_forecaster import PresentForecaster
from schedlab.history.web.tasks.runner import Progress
from schedlab.history.web.tasks.task import QueuedTask
from schedlab.history.web.twin import Twin
from schedlab.sim.forecast.start_forecast import HIGH, LOW, MIDDLE

MOMENTS = 20
"""The number of earlier moments from whose errors a forecast learns."""
EASY, TWIN = "easy", "twin"


def forecast_starts(
    database: Database,
    machines: SiteMachines,
    twin: Twin | None,
    task: QueuedTask,
    progress: Progress,
) -> Any:
    """Return each job's start interval in epoch seconds, by key, and what computed it."""
    cluster, now_s = task.parameters["cluster"], task.parameters["now_s"]
    with database.reading_long() as connection:
        records = records_of(connection, cluster, now_s)
    waiting = {
        key: record
        for key, record in records.items()
        if standing_of(record, now_s) is Standing.WAITS
    }
    if not waiting:
        return {"by": None, "starts": {}}

    def tell(done: int, moments: int) -> None:
        progress(done / (moments + 1))

    if twin is not None and twin.cluster() == cluster:
        told = twin.forecast(list(records.values()), now_s, tell)
        known = {key: told.get(record["jobid"]) for key, record in waiting.items()}
        return {"by": TWIN, "starts": {key: each for key, each in known.items() if each}}
    past = past_of(records, cluster, machines, now_s)
    forecaster, at_s = PresentForecaster(past), now_s - past.epoch_s
    forecaster.learn_before(at_s, MOMENTS, tell)
    made = forecaster.forecast(at_s)
    rows = (past.epoch_s + made.quantiles([LOW, MIDDLE, HIGH])).round().astype(int).tolist()
    keys = past.key[made.job].tolist()
    return {"by": EASY, "starts": dict(zip(keys, rows, strict=True))}
