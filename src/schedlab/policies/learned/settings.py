"""The rules of an environment: every constant of the paper is a parameter."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from schedlab import _core
from schedlab.errors import ParameterError, UnknownNameError
from schedlab.units import require_whole

MODES = {
    "pick": _core.Mode.pick,
    "order": _core.Mode.order,
    "order+guard": _core.Mode.guard,
}
OBSERVATIONS = {
    "baseline": _core.Observation.baseline,
    "proposal": _core.Observation.proposal,
    "jobs": _core.Observation.jobs,
}
REWARDS = {
    "terminal": _core.Reward.terminal,
    "slowdown": _core.Reward.slowdown,
    "utilisation": _core.Reward.utilisation,
}
_LEAST = {"nodes": 1, "visible_jobs": 1, "sim_step_s": 1, "failure_limit": 1, "max_steps": 1}
_MOST = 2**31 - 1


@dataclass(frozen=True, kw_only=True)
class QueueSettings:
    """The rules of ``schedlab/Queue-v0``; the defaults are those of Takizawa, Nomura and Matsuba.

    Args:
        nodes: whole nodes of the machine. An environment made without it has the nodes of the
            trace or model that its jobs come from, if they are known.
        visible_jobs: how many waiting jobs the agent sees, in order of arrival.
        sim_step_s: events are seen at multiples of this, in seconds.
        mode: what the agent decides. ``pick``: which job starts, or to wait. ``order``: which job
            goes first; the first job that does not fit becomes the head, and EASY fills in behind
            it. ``order+guard``: also which jobs are backfilled, among those that do not delay the
            head.
        observation: ``baseline`` (by request), ``proposal`` (also by estimate) or ``jobs``
            (features of each job and of the machine).
        reward: ``terminal`` (at the end), ``slowdown`` (minus the rise of the waiting jobs' bounded
            slowdowns, each step) or ``utilisation`` (minus the growth of a lower bound of the
            makespan, each step).
        reward_weights: weights of the share of jobs started, the utilisation and the share of
            steps left in the terminal reward.
        failure_limit: number of picks in a row that change nothing before time goes on.
        doubling: consecutive intervals without an event double, up to a day.
        max_steps: the step after which the episode is truncated.
        scaled: nodes as shares of the machine and times in units of ``time_scale_s``; else raw.
        time_scale_s: by default the longest request of the episodes; longer times count as 1.
        estimate: the predictor of run times: ``request``, ``actual`` or another.
    """

    nodes: int = 256
    visible_jobs: int = 100
    sim_step_s: int = 60
    mode: str = "pick"
    observation: str = "proposal"
    reward: str = "terminal"
    reward_weights: tuple[float, float, float] = (1.0, 1.0, 1.0)
    failure_limit: int = 4
    doubling: bool = True
    max_steps: int = 10_000
    scaled: bool = True
    time_scale_s: float | None = None
    estimate: str = "request"

    def __post_init__(self) -> None:
        for name, table in (("mode", MODES), ("observation", OBSERVATIONS), ("reward", REWARDS)):
            if getattr(self, name) not in table:
                raise UnknownNameError(name, getattr(self, name), table)
        for name, least in _LEAST.items():
            require_whole(name, getattr(self, name), least, _MOST)
        if self.time_scale_s is not None and not 0 < self.time_scale_s < math.inf:
            raise ParameterError(f"time_scale_s is {self.time_scale_s}; must be > 0")

    @property
    def largest(self) -> float:
        """The largest number that the agent sees; features of jobs are logarithms of any size."""
        if not self.scaled:
            return float(np.finfo(np.float32).max)
        return 10.0 if self.observation == "jobs" else 1.0

    def options(self, longest_request_s: float) -> _core.EnvOptions:
        """Return the settings as the core takes them."""
        started, utilisation, steps_left = self.reward_weights
        return _core.EnvOptions(
            nodes=self.nodes,
            visible=self.visible_jobs,
            tick=self.sim_step_s,
            mode=MODES[self.mode],
            observation=OBSERVATIONS[self.observation],
            reward=REWARDS[self.reward],
            max_failures=self.failure_limit,
            doubling=self.doubling,
            max_steps=self.max_steps,
            time_scale=(self.time_scale_s or longest_request_s) if self.scaled else 1.0,
            node_scale=self.nodes if self.scaled else 1.0,
            largest=self.largest,
            started_weight=started,
            utilisation_weight=utilisation,
            steps_left_weight=steps_left,
        )
