"""Several simulations of one learned policy with drawn actions, computed side by side."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path

import numpy as np

from schedlab.errors import PolicyError
from schedlab.policies.learned.agent import (
    Actions,
    GreedyAgent,
    Masks,
    Observations,
    SamplingAgent,
)
from schedlab.policies.learned.settings import QueueSettings
from schedlab.rl.batch import QueueBatch
from schedlab.rl.gantt import GanttSettings, schedule_by
from schedlab.rl.model_file import read_model
from schedlab.sim import Schedule
from schedlab.workload import Workload
from schedlab.workload.episodes import FixedEpisode

_FOR_EVER = 2**31 - 1


def sampled_schedules(
    model: str | Path,
    workload: Workload,
    nodes: int,
    runs: int,
    *,
    predict: str | None = None,
    kill_at_request: bool = True,
) -> list[Schedule]:
    """Return the schedules of ``learned:MODEL:sample=0``, ``sample=1`` and so on, also on the grid.

    In a queue, the network, which is most of the work, is evaluated for all runs at once.
    """
    trained = read_model(model)
    if isinstance(trained.config.environment, GanttSettings):
        return [
            schedule_by(SamplingAgent(trained.agent(), seed), workload, trained.config.environment)
            for seed in range(runs)
        ]
    rules = replace(
        trained.settings,
        nodes=nodes,
        reward="terminal",
        doubling=False,
        max_steps=_FOR_EVER,
        estimate=predict or trained.settings.estimate,
    )
    batch = QueueBatch(
        rules, FixedEpisode(workload), runs, threads=1, kill_at_request=kill_at_request
    )
    return _play(batch, _Sampling(trained.agent(), runs), trained.settings)


class _Sampling:
    """Draws the action of each row with a random generator of its own."""

    def __init__(self, agent: GreedyAgent, runs: int) -> None:
        self._agent = agent
        self._random = [np.random.default_rng(seed) for seed in range(runs)]

    def choose(self, observation: Observations, mask: Masks) -> Actions:
        scores = self._agent.allowed_scores(observation, mask)
        noise = [random.gumbel(size=scores.shape[1]) for random in self._random]
        actions: Actions = (scores + noise).argmax(axis=1)
        return actions


def _play(batch: QueueBatch, agent: _Sampling, settings: QueueSettings) -> list[Schedule]:
    """Play until every run has ended; runs that end early begin again, but count once."""
    for place in range(batch.size):
        batch.reset(place)
    schedules: dict[int, Schedule] = {}
    seen = [-1] * batch.size
    for step in count(1):
        for place in map(int, batch.step(agent.choose(batch.observation, batch.mask))):
            schedules.setdefault(place, batch.schedule(place))
            batch.reset(place)
        if len(schedules) == batch.size:
            return [schedules[place] for place in range(batch.size)]
        if step % settings.max_steps == 0:
            started = [batch.core.started(place) for place in range(batch.size)]
            _check_progress(schedules, seen, started, settings.max_steps)
            seen = started
    raise AssertionError("steps are counted without end")


def _check_progress(
    finished: Container[int], before: Sequence[int], now: Sequence[int], steps: int
) -> None:
    """Raise PolicyError, as a simulation does, for a run without a start since the last check."""
    for run, (earlier, later) in enumerate(zip(before, now, strict=True)):
        if run not in finished and earlier == later:
            raise PolicyError(
                f"run {run} of the learned policy started no job in {steps:,} decisions"
            )
