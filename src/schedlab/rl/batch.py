"""A batch of environments that are stepped together, with their workloads and results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from schedlab import _core
from schedlab.errors import ParameterError
from schedlab.platform import Platform
from schedlab.policies.learned.settings import QueueSettings
from schedlab.predict import find_predictor
from schedlab.rl.native_batch import NativeBatch, check_playable, thread_count
from schedlab.sim import JobOutcome, NodeRanges, Schedule
from schedlab.sim.feasibility import check_feasible
from schedlab.sim.native import build_simulator
from schedlab.workload import Workload
from schedlab.workload.episodes import Episodes

_IN_A_ROW = 10
"""Number of forbidden actions in a row that leads to a warning; fewer may be exploration."""


class QueueBatch(NativeBatch):
    """Environments ``schedlab/Queue-v0`` with the arrays they write into.

    ``observation`` and ``mask`` hold one row per environment. After ``reset``, the row of a
    finished episode is that of the next one.
    """

    core: _core.QueueBatch

    def __init__(
        self,
        settings: QueueSettings,
        episodes: Episodes,
        size: int,
        *,
        threads: int | None = None,
        observation: NDArray[np.float32] | None = None,
        kill_at_request: bool = True,
        warns: bool = True,
    ) -> None:
        """Prepare the environments.

        Args:
            settings: their rules.
            episodes: where their jobs come from.
            size: number of environments.
            threads: number of threads that step them. Default: the number of processors.
            observation: an array to write observations into, such as a view of pinned memory.
            kill_at_request: whether jobs end when their requested time is over.
            warns: whether to warn once of an agent that orders jobs and ignores the mask.
        """
        options = settings.options(episodes.longest_request_s)
        core = _core.QueueBatch(options, size, thread_count(size, threads))
        super().__init__(
            core,
            size,
            shape=(core.observation_size,),
            largest=settings.largest,
            observation=observation,
        )
        self.settings, self.episodes = settings, episodes
        self.kill_at_request = kill_at_request
        self.platform = Platform.homogeneous(settings.nodes)
        self.predictor = find_predictor(settings.estimate)
        self.workload: list[Workload | None] = [None] * size
        self.simulator: list[_core.Simulator | None] = [None] * size
        self._sound: Workload | None = None
        self._watches = warns and settings.mode != "pick"
        self._ignored = np.zeros(size, np.int64)

    @property
    def told_settings(self) -> QueueSettings:
        """The rules with the time scale that the episodes give them."""
        scale_s = float(self.settings.time_scale_s or self.episodes.longest_request_s)
        return replace(self.settings, time_scale_s=scale_s)

    def step(self, actions: NDArray[np.int64]) -> NDArray[np.intp]:
        """Step all environments and return those that have finished; they need a ``reset``."""
        if self._watches and len(actions) == self.size and not self._not_begun:
            self._watch(actions)
        return super().step(actions)

    def _watch(self, actions: NDArray[np.int64]) -> None:
        """Warn of an agent that ignores the mask."""
        forbidden = self.mask[np.arange(self.size), actions] == 0
        self._ignored = (self._ignored + 1) * forbidden
        if self._ignored.max() < _IN_A_ROW:
            return
        self._watches = False
        gymnasium.logger.warn(
            f"the agent chose actions that action_masks() forbids, {_IN_A_ROW} in a row: in mode "
            f'"{self.settings.mode}" they start no job, and time goes on; '
            "choose among the actions that the mask allows, as MaskablePPO does"
        )

    def reset(self, place: int, sequence: Workload | None = None) -> None:
        """Begin an episode of one environment, with these jobs or else with its next ones."""
        workload = self.next_jobs(place) if sequence is None else sequence
        cluster = self.platform.clusters[0]
        if workload is not self._sound:
            check_playable(workload)
            check_feasible(workload, cluster)
            self._sound = workload
        simulator = build_simulator(
            workload,
            cluster.nodes,
            tick=self.settings.sim_step_s,
            kill_at_request=self.kill_at_request,
            predictor=self.predictor.make(workload),
        )
        self.workload[place], self.simulator[place] = workload, simulator
        self._not_begun.discard(place)
        self.core.reset(place, simulator, self.observation, self.mask)

    def next_jobs(self, place: int) -> Workload:
        """Draw the jobs of the next episode of one environment."""
        return self.episodes.draw(self.random[place])

    def played(self, place: int) -> tuple[Workload, _core.Simulator]:
        """Return the jobs of one environment's episode, and the simulator that plays them."""
        workload, simulator = self.workload[place], self.simulator[place]
        if workload is None or simulator is None:
            raise ParameterError("no episode has begun; call reset() first")
        return workload, simulator

    def result(self, place: int) -> Mapping[str, Any]:
        """Return the results of this environment's episode up to now."""
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
        """Return the jobs of this environment's episode, with starts and ends decided so far."""
        workload, simulator = self.played(place)
        start_s, state = simulator.start_times(), simulator.states()
        killed = self.kill_at_request & (workload["run_s"] > workload["request_s"])
        how_it_ends = np.where(killed, JobOutcome.KILLED, JobOutcome.COMPLETED).astype(state.dtype)
        runs = (start_s >= 0) & (state == JobOutcome.WAITING)
        return Schedule(
            workload=workload,
            platform=self.platform,
            policy=f"agent:mode={self.settings.mode}",
            start_s=start_s,
            end_s=simulator.end_times(),
            eligible_s=simulator.eligible_times(),
            first_reserved_s=simulator.promised_times(),
            state=np.where(runs, how_it_ends, state),
            estimate_s=simulator.estimates(),
            node_ranges=NodeRanges(*simulator.node_ranges()),
            provenance={
                "environment": asdict(self.settings),
                "workload": {"name": workload.name, "steps": list(workload.provenance)},
            },
        )
