"""How the jobs of a window would have fared under other policies."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

import numpy as np

from schedlab.errors import ParameterError
from schedlab.history.web.database import Database
from schedlab.history.web.simulations.machine import SiteMachines
from schedlab.history.web.simulations.policy_names import check_policies
from schedlab.history.web.simulations.schedule_table import pack_schedules
from schedlab.history.web.simulations.window import HistoryWindow, Window, replay_of
from schedlab.history.web.tasks.runner import Progress
from schedlab.history.web.tasks.task import QueuedTask
from schedlab.metrics import find_job_metric
from schedlab.sim import Schedule
from schedlab.sim.node_shares import busy_nodes

_BINS = 240
_SHARES = np.linspace(0, 100, 101)
SCHEDULES = "schedules"
"""The key of the result that holds the table of jobs."""


@dataclass(frozen=True, kw_only=True)
class WhatIfSettings:
    """The settings of a what-if.

    Args:
        window: a cluster and a time.
        policies: full names, checked.
        whole_nodes: whether every job has its nodes to itself.
    """

    window: Window
    policies: tuple[str, ...]
    whole_nodes: bool = False

    @classmethod
    def of(cls, parameters: Mapping[str, Any]) -> WhatIfSettings:
        """Return the settings that a task's parameters hold."""
        return cls(
            window=Window(**parameters["window"]),
            policies=tuple(parameters["policies"]),
            whole_nodes=parameters.get("whole_nodes", False),
        )

    def parameters(self) -> dict[str, Any]:
        """Return the settings as a task's parameters."""
        return {
            "window": asdict(self.window),
            "policies": list(self.policies),
            "whole_nodes": self.whole_nodes,
        }


@dataclass(frozen=True, kw_only=True)
class PolicyOutcome:
    """How the counted jobs fared under one policy.

    Args:
        policy: its name.
        wait_s: the mean wait.
        p95_wait_s: the wait that 95 % of the jobs did not exceed.
        bounded_slowdown: the mean.
        utilisation: the share of the cluster in use during the window.
        waits_s: the waits that 0, 1, ... 100 % of the jobs did not exceed.
        used_nodes: the means over equal parts of the window; parts of nodes count as such.
    """

    policy: str
    wait_s: float | None
    p95_wait_s: float | None
    bounded_slowdown: float | None
    utilisation: float
    waits_s: list[float]
    used_nodes: list[float]


@dataclass(frozen=True, kw_only=True)
class WhatIfComparison:
    """What happened, and what would have happened under other policies.

    Args:
        jobs: the number of counted jobs.
        all_jobs: the number of simulated jobs.
        nodes: the number of nodes of the cluster.
        outcomes: first what really happened, then the outcome of each policy.
        notes: what machine was simulated, one sentence each.
    """

    jobs: int
    all_jobs: int
    nodes: int
    outcomes: list[PolicyOutcome]
    notes: list[str] = field(default_factory=list)

    @classmethod
    def from_result(cls, result: Mapping[str, Any]) -> WhatIfComparison:
        """Return the comparison that a task's result holds."""
        known = {each.name: result[each.name] for each in fields(cls) if each.name in result}
        return cls(**{**known, "outcomes": [PolicyOutcome(**each) for each in result["outcomes"]]})


def what_if(
    database: Database, machines: SiteMachines, task: QueuedTask, progress: Progress
) -> Any:
    """Simulate the window under each policy, and compare that with what happened."""
    settings = WhatIfSettings.of(task.parameters)
    policies = check_policies(settings.policies)
    with database.reading_long() as connection:
        replay = replay_of(
            connection, task.viewer, settings.window, machines, whole_nodes=settings.whole_nodes
        )
    if not len(replay.counted):
        raise ParameterError("no job that you may see was submitted in that time")
    schedules = [replay.recorded]
    for place, policy in enumerate(policies):

        def note(ended: int, jobs: int, place: int = place) -> None:
            progress((place + ended / jobs) / len(policies))

        schedules.append(replay.simulate(policy, note))
    found = WhatIfComparison(
        jobs=len(replay.counted),
        all_jobs=len(replay.workload),
        nodes=replay.nodes,
        outcomes=[outcome_of(replay, each) for each in schedules],
        notes=list(replay.notes),
    )
    return {**asdict(found), SCHEDULES: pack_schedules(replay, schedules)}


def outcome_of(replay: HistoryWindow, schedule: Schedule) -> PolicyOutcome:
    """Return what the schedule did to the counted jobs, and how full the cluster was."""
    told = replay.told(schedule)
    wait, slowdown = find_job_metric("wait"), find_job_metric("bounded_slowdown")
    used, (from_s, to_s) = busy_nodes(schedule), replay.span_s
    edges = np.unique(np.linspace(from_s, to_s, _BINS + 1).astype(np.int64))
    waits_s = wait.of_jobs(told)
    waits_s = waits_s[~np.isnan(waits_s)]
    return PolicyOutcome(
        policy=schedule.policy,
        wait_s=_finite(wait.mean(told)),
        p95_wait_s=_finite(wait.percentile(told, 95)),
        bounded_slowdown=_finite(slowdown.mean(told)),
        utilisation=used.mean(from_s, to_s) / replay.nodes,
        waits_s=np.percentile(waits_s, _SHARES).tolist() if len(waits_s) else [],
        used_nodes=used.bin_means(edges).tolist(),
    )


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
