"""What the jobs of a window would have met under other policies."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from schedlab.errors import ParameterError, UnknownNameError
from schedlab.history.web.database import Database
from schedlab.history.web.simulations.window import Machines, Replay, Window, replay_of
from schedlab.history.web.tasks.runner import Progress
from schedlab.history.web.tasks.task import Task
from schedlab.metrics import find_job_metric
from schedlab.policies import POLICIES
from schedlab.sim import Schedule, simulate

MOST_POLICIES = 6
_BINS = 240
_SHARES = np.linspace(0, 100, 101)


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What the jobs that are counted met under one policy.

    Args:
        policy: its name.
        wait_s: the mean.
        p95_wait_s: which 95 % of the jobs did not exceed.
        bounded_slowdown: the mean.
        utilisation: the share of the cluster in use during the window.
        waits_s: which 0, 1, ... 100 % of the jobs did not exceed.
        used_nodes: the means over equal parts of the window.
    """

    policy: str
    wait_s: float | None
    p95_wait_s: float | None
    bounded_slowdown: float | None
    utilisation: float
    waits_s: list[float]
    used_nodes: list[float]


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """What happened, and what would have.

    Args:
        jobs: that are counted.
        all_jobs: that were simulated.
        nodes: of the cluster.
        outcomes: as it was first, then under each policy.
        are_shared: whether jobs shared nodes, which the simulation does not know.
    """

    jobs: int
    all_jobs: int
    nodes: int
    outcomes: list[Outcome]
    are_shared: bool = False

    @classmethod
    def from_result(cls, result: Mapping[str, Any]) -> Comparison:
        """As a task keeps it."""
        return cls(**{**result, "outcomes": [Outcome(**each) for each in result["outcomes"]]})


def check_policies(names: Sequence[str]) -> list[str]:
    """The names, each once; only those of the table, since others could name any code or file."""
    chosen = list(dict.fromkeys(names))
    if not 1 <= len(chosen) <= MOST_POLICIES:
        raise ParameterError(f"{len(chosen)} policies; choose from 1 to {MOST_POLICIES}")
    for name in chosen:
        if name not in POLICIES:
            raise UnknownNameError("policy", name, POLICIES)
    return chosen


def what_if(database: Database, machines: Machines, task: Task, progress: Progress) -> Any:
    """The window as it was, and under each of the policies."""
    policies = check_policies(task.parameters["policies"])
    with database.reading_long() as connection:
        replay = replay_of(connection, task.viewer, Window(**task.parameters["window"]), machines)
    if not replay.counted.any():
        raise ParameterError("in that time nobody whose jobs you see submitted one")
    outcomes = [outcome_of(replay, replay.recorded)]
    for place, policy in enumerate(policies):

        def note(ended: int, jobs: int, place: int = place) -> None:
            progress((place + ended / jobs) / len(policies))

        schedule = simulate(replay.workload, replay.nodes, policy, progress=note)
        outcomes.append(outcome_of(replay, schedule))
    return asdict(
        Comparison(
            jobs=int(replay.counted.sum()),
            all_jobs=len(replay.workload),
            nodes=replay.nodes,
            outcomes=outcomes,
            are_shared=replay.are_shared,
        )
    )


def outcome_of(replay: Replay, schedule: Schedule) -> Outcome:
    """What the schedule did to the jobs that are counted, and how full the cluster was."""
    counted = schedule.take(replay.counted)
    wait, slowdown = find_job_metric("wait"), find_job_metric("bounded_slowdown")
    used, (from_s, to_s) = schedule.used_nodes(), replay.span_s
    edges = np.unique(np.linspace(from_s, to_s, _BINS + 1).astype(np.int64))
    waits_s = wait.of_jobs(counted)
    waits_s = waits_s[~np.isnan(waits_s)]
    return Outcome(
        policy=schedule.policy,
        wait_s=_finite(wait.mean(counted)),
        p95_wait_s=_finite(wait.percentile(counted, 95)),
        bounded_slowdown=_finite(slowdown.mean(counted)),
        utilisation=used.mean(from_s, to_s) / replay.nodes,
        waits_s=np.percentile(waits_s, _SHARES).tolist() if len(waits_s) else [],
        used_nodes=used.bin_means(edges).tolist(),
    )


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
