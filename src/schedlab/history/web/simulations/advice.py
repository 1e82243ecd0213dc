"""How long a user would have waited with tighter requests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schedlab.errors import ParameterError
from schedlab.history.web.database import Database
from schedlab.history.web.simulations.machine import Mask, SiteMachines
from schedlab.history.web.simulations.window import HistoryWindow, Window, replay_of
from schedlab.history.web.tasks.runner import Progress
from schedlab.history.web.tasks.task import QueuedTask
from schedlab.metrics import METRICS
from schedlab.sim import Schedule
from schedlab.workload import Workload

POLICY = "easy"
RATIOS = (1.1, 1.5, 2.0, 3.0, 5.0)
"""The multiples of the run time to which requests are cut."""
_ALMOST = 0.9
_LEAST_CUT = 0.05


@dataclass(frozen=True)
class Tried:
    """Requests cut to this many times the run time, and the mean wait with them."""

    ratio: float
    wait_s: float


@dataclass(frozen=True, kw_only=True)
class SimulationAdvice:
    """The result of the simulations.

    Args:
        jobs: the number of the user's jobs, over which the waits are means.
        all_jobs: the number of all jobs that were simulated.
        nodes: the number of nodes of the cluster.
        asked_ratio: all time that the user's jobs asked for over all that they used.
        recorded_wait_s: the mean wait as it really was.
        wait_s: the mean wait in simulation, with the requests as they were.
        tried: the mean waits in simulation, with tighter requests.
        notes: what machine was simulated, one sentence each.
    """

    jobs: int
    all_jobs: int
    nodes: int
    asked_ratio: float | None
    recorded_wait_s: float
    wait_s: float
    tried: list[Tried] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def best(self) -> Tried | None:
        """The loosest request with almost all of the gain; None if hardly anything is gained."""
        least_s = min((each.wait_s for each in self.tried), default=self.wait_s)
        gain_s = self.wait_s - least_s
        if gain_s < _LEAST_CUT * self.wait_s or gain_s < 1:
            return None
        return max(
            (each for each in self.tried if self.wait_s - each.wait_s >= _ALMOST * gain_s),
            key=lambda each: each.ratio,
        )

    @classmethod
    def from_result(cls, result: Mapping[str, Any]) -> SimulationAdvice:
        """Return the advice that a task's result holds."""
        known = {each.name: result[each.name] for each in fields(cls) if each.name in result}
        return cls(**{**known, "tried": [Tried(**each) for each in result["tried"]]})


def advise(database: Database, machines: SiteMachines, task: QueuedTask, progress: Progress) -> Any:
    """Simulate the window as it was, and for each ratio with this user's requests cut to it."""
    user = task.parameters["user"]
    with database.reading_long() as connection:
        replay = replay_of(connection, task.viewer, Window(**task.parameters["window"]), machines)
    counted = np.isin(replay.workload["job_id"], replay.counted)
    own = counted & (replay.workload.labelled("user") == user)
    own_ids = replay.workload["job_id"][own]
    if not own.any():
        raise ParameterError(
            "in that time this user submitted no job that has ended and that you may see"
        )

    def mean_wait_s(place: int, workload: Workload) -> float:
        def note(ended: int, jobs: int) -> None:
            progress((place + ended / jobs) / (1 + len(RATIOS)))

        return _mean_wait_s(replay.simulate(POLICY, note, workload), own_ids)

    return asdict(
        SimulationAdvice(
            jobs=int(own.sum()),
            all_jobs=len(own),
            nodes=replay.nodes,
            asked_ratio=_asked_ratio(replay, own),
            recorded_wait_s=_mean_wait_s(replay.recorded, own_ids),
            wait_s=mean_wait_s(0, replay.workload),
            tried=[
                Tried(ratio, mean_wait_s(place, tightened(replay.workload, own, ratio)))
                for place, ratio in enumerate(RATIOS, 1)
            ],
            notes=list(replay.notes),
        )
    )


def tightened(workload: Workload, own: Mask, ratio: float) -> Workload:
    """Cut some jobs' requests to a multiple of their run times; raise none."""
    run_s, request_s = workload["run_s"], workload["request_s"]
    enough_s = np.maximum(np.ceil(ratio * run_s), 1).astype(np.int64)
    return workload.replace(request_s=np.where(own, np.minimum(request_s, enough_s), request_s))


def _mean_wait_s(schedule: Schedule, job_ids: NDArray[np.int64]) -> float:
    return METRICS["wait"].value(schedule.take(np.isin(schedule.workload["job_id"], job_ids)))


def _asked_ratio(replay: HistoryWindow, own: Mask) -> float | None:
    used_s = int(replay.workload["run_s"][own].sum())
    return float(replay.workload["request_s"][own].sum() / used_s) if used_s else None
