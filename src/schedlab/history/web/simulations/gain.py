"""How much sooner a job would have started, had it asked for what it used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np
from sqlalchemy import Connection

from schedlab.errors import ParameterError
from schedlab.history.efficiency.advice import Change
from schedlab.history.web.access import Viewer
from schedlab.history.web.database import Database
from schedlab.history.web.simulations.machine import SiteMachines
from schedlab.history.web.simulations.window import HistoryWindow, Window, replay_of, version_of
from schedlab.history.web.tasks.runner import Progress
from schedlab.history.web.tasks.task import QueuedTask
from schedlab.workload import Workload

POLICY = "easy"
BEFORE_S = (86_400, 21_600, 3_600)
"""The simulation begins this long before the job came: the first value with few enough jobs."""
_KIB = 1024
_LEAST_S, _LEAST_SHARE = 300, 0.25


@dataclass(frozen=True, kw_only=True)
class Gain:
    """The result of the two simulations.

    Args:
        wait_s: the wait of the job with its own request.
        changed_wait_s: the wait of the job with the smaller request.
        jobs: the number of jobs that were simulated.
        before_s: how long before the job came the simulation began.
        notes: what machine was simulated, one sentence each.
    """

    wait_s: int
    changed_wait_s: int
    jobs: int
    before_s: int
    notes: list[str]

    @property
    def is_large(self) -> bool:
        """Whether the gain is worth mentioning: minutes, and a good part of the wait."""
        saved_s = self.wait_s - self.changed_wait_s
        return saved_s >= max(_LEAST_S, _LEAST_SHARE * self.wait_s)

    @classmethod
    def from_result(cls, result: Mapping[str, Any]) -> Gain:
        """Return the gain that a task's result holds."""
        return cls(**{each.name: result[each.name] for each in fields(cls)})


def simulate_gain(
    database: Database, machines: SiteMachines, task: QueuedTask, progress: Progress
) -> Any:
    """Simulate the time until the job started, with its own request and with the better one."""
    asked = task.parameters
    with database.reading_long() as connection:
        before_s, replay = _replay(connection, task.viewer, machines, asked)
    place = _place(replay, asked["key"])
    waits = []
    for run, workload in enumerate(
        (replay.workload, changed(replay.workload, place, Change(**asked["change"])))
    ):

        def note(ended: int, jobs: int, run: int = run) -> None:
            progress((run + ended / jobs) / 2)

        waits.append(int(replay.simulate(POLICY, note, workload).wait_s[place]))
    return asdict(
        Gain(
            wait_s=waits[0],
            changed_wait_s=waits[1],
            jobs=len(replay.workload),
            before_s=before_s,
            notes=list(replay.notes),
        )
    )


def _replay(
    connection: Connection, viewer: Viewer, machines: SiteMachines, asked: Mapping[str, Any]
) -> tuple[int, HistoryWindow]:
    for before_s in BEFORE_S:
        window = Window(asked["cluster"], asked["queue_s"] - before_s, asked["start_s"] + 1)
        try:
            version_of(connection, viewer, window)  # which refuses too many jobs
        except ParameterError:
            continue
        return before_s, replay_of(connection, viewer, window, machines)
    raise ParameterError("too many jobs ran around this one")


def _place(replay: HistoryWindow, key: int) -> int:
    if key in replay.keys:
        found = np.flatnonzero(replay.workload["job_id"] == replay.keys.index(key) + 1)
        if len(found):
            return int(found[0])
    raise ParameterError("the machine that the site file describes cannot hold this job")


def changed(workload: Workload, place: int, change: Change) -> Workload:
    """Return the workload with one job's request changed."""
    columns = {}
    for name, value in _COLUMNS[change.kind](change.amount).items():
        columns[name] = workload[name].copy()
        columns[name][place] = value
    return workload.replace(**columns)


_COLUMNS: Mapping[str, Callable[[int], dict[str, float]]] = {
    "memory": lambda amount: {"memory_per_node_kb": amount / _KIB, "requested_memory_kb": -1},
    "time": lambda amount: {"request_s": amount},
    "cpu": lambda amount: {"cores_per_node": amount, "cores": -1},
    "gpu": lambda amount: {"gpus_per_node": amount, "gpus": -1},
}
"""The columns by which a workload says what a job asks for."""
