"""Environments stepped together, their workloads drawn and their results kept."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schedlab import _core
from schedlab.errors import ParameterError
from schedlab.platform import Platform
from schedlab.predict import choose_predictor
from schedlab.rl.episodes import Episodes
from schedlab.rl.settings import QueueSettings
from schedlab.sim.feasibility import check_feasible
from schedlab.sim.simulation import build_simulator
from schedlab.workload import Workload

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
        options = settings.options(episodes.longest_request_s)
        self.settings, self.episodes, self.size = settings, episodes, size
        self.core = _core.QueueBatch(options, size, threads or len(os.sched_getaffinity(0)))
        shape = size, self.core.observation_size
        self.observation = np.zeros(shape, np.float32) if observation is None else observation
        if self.observation.shape != shape:
            raise ParameterError(f"observation has shape {self.observation.shape}; must be {shape}")
        self.mask: NDArray[np.uint8] = np.zeros((size, self.core.actions), np.uint8)
        self.reward = np.zeros(size)
        self.terminated, self.truncated = (np.zeros(size, np.uint8) for _ in range(2))
        self.random = [np.random.default_rng() for _ in range(size)]
        self.cluster = Platform.homogeneous(settings.nodes).clusters[0]
        self.predictor = choose_predictor(settings.estimate)
        self.workload: list[Workload | None] = [None] * size
        self.simulator: list[_core.Simulator | None] = [None] * size

    def seed(self, seeds: Seeds) -> None:
        """Give every environment its own chance: one seed for all makes them all different."""
        if seeds is None:
            return
        given = [seeds + place for place in range(self.size)] if isinstance(seeds, int) else seeds
        for place, seed in enumerate(given):
            if seed is not None:
                self.random[place] = np.random.default_rng(seed)

    def reset(self, place: int, sequence: Workload | None = None) -> None:
        """Begin an episode of one environment, on these jobs or on its next ones."""
        workload = self.episodes.draw(self.random[place]) if sequence is None else sequence
        check_feasible(workload, self.cluster)
        simulator = build_simulator(
            workload,
            self.cluster,
            tick=self.settings.sim_step_s,
            kill_at_request=True,
            predictor=self.predictor.make(workload),
        )
        self.workload[place], self.simulator[place] = workload, simulator
        self.core.reset(place, simulator, self.observation, self.mask)

    def step(self, actions: NDArray[np.int64]) -> NDArray[np.intp]:
        """Step them all and say which have finished; those wait for ``reset``."""
        self.core.step(
            actions, self.observation, self.reward, self.terminated, self.truncated, self.mask
        )
        return np.flatnonzero(self.terminated | self.truncated)

    def result(self, place: int) -> Mapping[str, Any]:
        """What became of the episode that this environment has played so far."""
        core = self.core
        return {
            "steps": core.steps(place),
            "started": core.started(place),
            "utilisation": core.utilisation(place),
            "mean_wait_s": core.mean_wait(place),
            "mean_bounded_slowdown": core.mean_bounded_slowdown(place),
        }
