"""The last forecast of each cluster, kept in the store and computed again when it is old."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import tzinfo

from sqlalchemy import Connection

from schedlab.analysis import Clock
from schedlab.analysis.forecast_words import start_in_words
from schedlab.errors import ParameterError
from schedlab.history.web.access import Role, Viewer
from schedlab.history.web.queries.unfinished import heard_s
from schedlab.history.web.service import Service
from schedlab.history.web.simulations import FORECAST
from schedlab.history.web.tasks import QueuedTask, State, TaskRequest
from schedlab.history.web.tasks.queue import find_task, recent_tasks, submit

FRESH_S = 120
"""How long a forecast stays valid."""
OLD_S = 86_400
"""The time without news after which a scheduler has no forecasts."""
_KEPT = 10
BY = {
    "mirror": "A live mirror of the scheduler goes on from its present state many times.",
    "twin": "The twin of the site's Slurm goes on from the present many times.",
    "easy": "EASY backfilling goes on from the present many times, in the order in which jobs "
    "came; the priorities of the scheduler are not known.",
}
HOW = (
    "Run times are drawn from what similar jobs ran for, and earlier forecasts correct this one. "
    "The interval holds the start of 80 % of jobs."
)


@dataclass(frozen=True)
class Forecast:
    """When jobs will start.

    Args:
        now_s: the time of the data that it uses, in epoch seconds.
        made_s: when it was computed.
        by: a key of ``BY``; None where no job waited.
        starts: the beginning, middle and end of the interval, in epoch seconds by job key.
    """

    now_s: int
    made_s: float
    by: str | None
    starts: Mapping[int, tuple[float, float, float]]

    @classmethod
    def of(cls, task: QueuedTask) -> Forecast:
        """Return the forecast that a task has computed."""
        starts = {int(key): tuple(each) for key, each in task.result["starts"].items()}
        made_s = task.ended_s or task.created_s
        return cls(task.parameters["now_s"], made_s, task.result["by"], starts)

    def words(self, key: int, zone: tzinfo) -> str | None:
        """Return in words when the job will start; None if it has no forecast."""
        if key not in self.starts:
            return None
        return start_in_words(self.now_s, *self.starts[key], Clock(0, zone, True))

    @property
    def how(self) -> str:
        """Sentences that say how the forecast was computed."""
        return "" if self.by is None else f"{BY[self.by]} {HOW}"


def _viewer(cluster: str) -> Viewer:
    """Return the viewer for whom forecasts are computed; readers get what they may see of them."""
    return Viewer(Role.ADMIN, f"service: forecasts of {cluster}")


def known_forecast(
    connection: Connection, cluster: str, now_s: float | None = None
) -> tuple[Forecast | None, QueuedTask | None]:
    """Return the last forecast, if it is not too old, and the last task."""
    tasks = recent_tasks(connection, _viewer(cluster).user, FORECAST, _KEPT, with_results=False)
    done = next((each for each in tasks if each.state is State.DONE), None)
    latest = tasks[0] if tasks else None
    now_s = time.time() if now_s is None else now_s
    if done is None or now_s - done.parameters["now_s"] > OLD_S:
        return None, latest
    whole = find_task(connection, done.id, _viewer(cluster).user)
    return None if whole is None else Forecast.of(whole), latest


def ask_forecast(service: Service, cluster: str) -> None:
    """Queue a new forecast, unless the last is fresh or there was no news since."""
    with service.database.reading() as connection:
        heard = heard_s(connection, cluster)
        tasks = recent_tasks(connection, _viewer(cluster).user, FORECAST, 1, with_results=False)
    if heard is None or time.time() - heard > OLD_S or any(map(_is_fresh, tasks)):
        return
    asked = TaskRequest(FORECAST, {"cluster": cluster, "now_s": heard}, _viewer(cluster), "1")
    try:
        with service.database.writing() as connection:
            submit(connection, asked, kept=_KEPT)
    except ParameterError:  # other forecasts are on their way
        return
    service.runner.wake()


def _is_fresh(task: QueuedTask) -> bool:
    return not task.is_finished or time.time() - task.created_s < FRESH_S
