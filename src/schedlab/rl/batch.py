"""Environments stepped together, their workloads drawn and their results kept."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schedlab import _core
from schedlab.errors import ParameterError, UnknownNameError, WorkloadError
from schedlab.platform import Platform
from schedlab.policies.learned.settings import QueueSettings
from schedlab.predict import choose_predictor
from schedlab.sim import JobState, NodeRanges, Schedule
from schedlab.sim.feasibility import check_feasible
from schedlab.sim.simulation import build_simulator
from schedlab.workload import Workload
from schedlab.workload.episodes import Episodes

Seeds = int | Sequence[int | None] | None


class QueueBatch:
    """The native environments with the arrays they write into.

    ``observation`` and ``mask`` hold one row per environment; rows of finished episodes are those
    of the next one after ``step``.
    """

    def __init__(
        self,
        settings: QueueSettings,
        episodes: Episodes,
        size: int,
        *,
        threads: int | None = None,
        observation: NDArray[np.float32] | None = None,
    ) -> None:
        """Prepare so many environments.

        Args:
            settings: their rules.
            episodes: where their jobs come from.
            size: how many.
            threads: how many step them; by default as many as there are processors.
            observation: an array to write observations into, such as a view of pinned memory.
        """
        if size < 1:
            raise ParameterError(f"{size} environments; must be >= 1")
        if threads is not None and threads < 1:
            raise ParameterError(f"threads is {threads}; must be >= 1")
        options = settings.options(episodes.longest_request_s)
        self.settings, self.episodes, self.size = settings, episodes, size
        self.core = _core.QueueBatch(options, size, threads or len(os.sched_getaffinity(0)))
        shape = size, self.core.observation_size
        self.observation = np.zeros(shape, np.float32) if observation is None else observation
        if self.observation.shape != shape:
            raise ParameterError(f"observation has shape {self.observation.shape}; must be {shape}")
        if self.observation.dtype != np.float32 or not self.observation.flags.c_contiguous:
            raise ParameterError("observation must be a contiguous array of float32")
        self.mask: NDArray[np.uint8] = np.zeros((size, self.core.actions), np.uint8)
        self.reward = np.zeros(size)
        self.terminated, self.truncated = (np.zeros(size, np.uint8) for _ in range(2))
        self.random = [np.random.default_rng() for _ in range(size)]
        self.platform = Platform.homogeneous(settings.nodes)
        self.predictor = choose_predictor(settings.estimate)
        self.workload: list[Workload | None] = [None] * size
        self.simulator: list[_core.Simulator | None] = [None] * size
        self._not_begun = set(range(size))

    def seed(self, seeds: Seeds) -> None:
        """Give every environment its own chance: one seed for all makes them all different."""
        if seeds is None:
            return
        given = [seeds + place for place in range(self.size)] if isinstance(seeds, int) else seeds
        if len(given) != self.size:
            raise ParameterError(f"{len(given)} seeds for {self.size} environments")
        for place, seed in enumerate(given):
            if seed is not None:
                self.random[place] = np.random.default_rng(seed)

    def reset(self, place: int, sequence: Workload | None = None) -> None:
        """Begin an episode of one environment, on these jobs or on its next ones."""
        workload = self.episodes.draw(self.random[place]) if sequence is None else sequence
        cluster = self.platform.clusters[0]
        check_playable(workload)
        check_feasible(workload, cluster)
        simulator = build_simulator(
            workload,
            cluster,
            tick=self.settings.sim_step_s,
            kill_at_request=True,
            predictor=self.predictor.make(workload),
        )
        self.workload[place], self.simulator[place] = workload, simulator
        self._not_begun.discard(place)
        self.core.reset(place, simulator, self.observation, self.mask)

    def step(self, actions: NDArray[np.int64]) -> NDArray[np.intp]:
        """Step them all and say which have finished; those wait for ``reset``."""
        if self._not_begun:
            raise ParameterError("an episode must begin with reset() before the first step")
        self.core.step(
            actions, self.observation, self.reward, self.terminated, self.truncated, self.mask
        )
        return np.flatnonzero(self.terminated | self.truncated)

    def played(self, place: int) -> tuple[Workload, _core.Simulator]:
        """The jobs of one environment's episode, and the simulator that plays them."""
        workload, simulator = self.workload[place], self.simulator[place]
        if workload is None or simulator is None:
            raise ParameterError("no episode has begun; call reset() first")
        return workload, simulator

    def result(self, place: int) -> Mapping[str, Any]:
        """What became of the episode that this environment has played so far."""
        workload, simulator = self.played(place)
        core, first_s = self.core, int(workload["submit_s"][0])
        return {
            "steps": core.steps(place),
            "started": core.started(place),
            "share_started": core.started(place) / len(workload),
            "utilisation": core.utilisation(place),
            "makespan_s": max(int(simulator.end_times().max()) - first_s, 0),
            "mean_wait_s": core.mean_wait(place),
            "mean_bounded_slowdown": core.mean_bounded_slowdown(place),
        }

    def schedule(self, place: int) -> Schedule:
        """The jobs of this environment's episode, with the starts and ends decided so far."""
        workload, simulator = self.played(place)
        start_s, state = simulator.start_times(), simulator.states()
        exceeding = workload["run_s"] > workload["request_s"]
        how_it_ends = np.where(exceeding, JobState.KILLED, JobState.COMPLETED).astype(state.dtype)
        runs = (start_s >= 0) & (state == JobState.WAITING)
        return Schedule(
            workload=workload,
            platform=self.platform,
            policy=f"agent:mode={self.settings.mode}",
            start_s=start_s,
            end_s=simulator.end_times(),
            eligible_s=simulator.eligible_times(),
            promised_s=simulator.promised_times(),
            state=np.where(runs, how_it_ends, state),
            estimate_s=simulator.estimates(),
            node_ranges=NodeRanges(*simulator.node_ranges()),
            provenance={
                "environment": asdict(self.settings),
                "workload": {"name": workload.name, "steps": list(workload.provenance)},
            },
        )


def check_playable(workload: Workload) -> None:
    """Raise WorkloadError for jobs that an episode would wait for in vain."""
    if not len(workload):
        raise WorkloadError("an episode needs at least one job")
    withdrawn = np.flatnonzero(workload["cancel_after_s"] >= 0)
    if len(withdrawn):
        raise WorkloadError(
            f"job {workload['job_id'][withdrawn[0]]} is withdrawn while it waits "
            f"({len(withdrawn):,} such jobs); an episode ends when all its jobs have started"
        )


def check_actions(actions: NDArray[np.int64], count: int) -> None:
    """Raise ParameterError for an action that there is not."""
    outside = (actions < 0) | (actions >= count)
    if outside.any():
        raise ParameterError(
            f"action is {actions[outside.argmax()]}; must be from 0 to {count - 1}"
        )


def sequence_in(options: Mapping[str, Any] | None) -> Workload | None:
    """The jobs that the options of a reset ask for."""
    asked = dict(options or {})
    sequence = asked.pop("sequence", None)
    for name in asked:
        raise UnknownNameError("option", name, ["sequence"])
    if not isinstance(sequence, Workload | None):
        raise ParameterError(f"sequence is a {type(sequence).__name__}; must be a Workload")
    return sequence
