"""The rewards of another policy for the same jobs, as a function of time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from schedlab.metrics.wait import BOUND_S
from schedlab.policies import PolicyLike
from schedlab.rl.batch import QueueBatch
from schedlab.sim import Schedule, simulate

Numbers = NDArray[np.float64]
Curve = tuple[Numbers, Numbers]
"""Times, and the sum of rewards until each, from 0 on; between two times it changes linearly."""


class Baseline:
    """A policy that schedules every environment's jobs, and its rewards up to the present time.

    These rewards do not depend on the agent's actions. An agent that learns from the difference
    therefore learns the same on average, but with less noise: the randomness of the jobs is taken
    off (Mao et al., "Variance reduction for reinforcement learning in input-driven environments",
    ICLR 2019).
    """

    def __init__(self, batch: QueueBatch, policy: PolicyLike) -> None:
        """Take the environments, whose rules hold for the policy too."""
        self._batch, self._policy = batch, policy
        self._curve = CURVES[batch.settings.reward]
        self._times, self._sums = np.full((batch.size, 1), np.inf), np.zeros((batch.size, 1))
        self._clock = np.zeros(batch.size, np.int64)
        self._at = np.zeros(batch.size, np.intp)
        self._taken = np.zeros(batch.size)

    def begin(self, place: int) -> None:
        """Let the policy schedule the jobs of the episode that this environment has begun."""
        workload, settings = self._batch.workload[place], self._batch.settings
        assert workload is not None, "it has begun"
        schedule = simulate(
            workload,
            self._batch.platform,
            self._policy,
            tick=settings.sim_step_s,
            kill_at_request=self._batch.kill_at_request,
            predict=settings.estimate,
        )
        times, sums = self._curve(schedule)
        self._make_room(len(times) + 2)
        self._times[place] = np.inf
        self._times[place, : len(times) + 1] = [times[0] - 1, *times]
        self._sums[place] = sums[-1]
        self._sums[place, : len(times) + 1] = [0.0, *sums]
        self._at[place] = 0
        self._taken[place] = 0.0

    def _make_room(self, columns: int) -> None:
        more = ((0, 0), (0, max(columns - self._times.shape[1], 0)))
        self._times = np.pad(self._times, more, constant_values=np.inf)
        self._sums = np.pad(self._sums, more, mode="edge")

    def gained(self, ended: NDArray[np.bool_]) -> Numbers:
        """Return the policy's rewards since the last call; all the rest where episodes ended."""
        sums = np.where(ended, self._sums[:, -1], self._sums_now())
        gained, self._taken = sums - self._taken, sums
        return gained

    def skip(self, underway: NDArray[np.bool_]) -> None:
        """Leave out the policy's rewards up to now where an episode is underway."""
        self._taken = np.where(underway, self._sums_now(), 0.0)

    def _sums_now(self) -> Numbers:
        self._batch.core.times(self._clock)
        places = np.arange(len(self._at))
        while (due := self._times[places, self._at + 1] <= self._clock).any():
            self._at += due
        since, until = self._times[places, self._at], self._times[places, self._at + 1]
        sums, next_sums = self._sums[places, self._at], self._sums[places, self._at + 1]
        now: Numbers = sums + (self._clock - since) / (until - since) * (next_sums - sums)
        return now


def _slowdowns(schedule: Schedule) -> Curve:
    """Pay a job's bounded slowdown as it grows: 1 when it arrives, the rest while it waits."""
    came = schedule.start_s - schedule.wait_s
    grows_from = np.minimum(came + np.maximum(BOUND_S - schedule.ran_s, 0), schedule.start_s)
    times, at = np.unique(np.concatenate((came, grows_from, schedule.start_s)), return_inverse=True)
    came_at, grows_at, starts_at = np.split(at, 3)
    rate = 1 / np.maximum(schedule.ran_s, BOUND_S)
    grows = np.cumsum(
        np.bincount(grows_at, rate, len(times)) - np.bincount(starts_at, rate, len(times))
    )
    waited = np.append(0.0, np.cumsum(grows[:-1] * np.diff(times)))
    arrived = np.bincount(came_at, minlength=len(times))
    sums = waited + np.cumsum(arrived)
    return np.repeat(times, 2).astype(float), -np.stack((sums - arrived, sums), axis=1).ravel()


def _idleness(schedule: Schedule) -> Curve:
    """Pay the excess of the makespan over its lower bound while nodes are idle."""
    nodes, machine = schedule.workload["nodes"], schedule.platform.nodes
    times = np.concatenate((schedule.start_s, schedule.end_s)).astype(float)
    order = np.argsort(times, kind="stable")
    times, used = times[order], np.cumsum(np.concatenate((nodes, -nodes))[order])
    idle = np.cumsum(np.append(0.0, (machine - used[:-1]) * np.diff(times)))
    least = max(
        np.sum(nodes * schedule.ran_s) / machine,
        np.max(schedule.workload["submit_s"] + schedule.ran_s),
    )
    return times, -idle / max(idle[-1], 1.0) * (times[-1] - least) / least


CURVES: dict[str, Callable[[Schedule], Curve]] = {
    "slowdown": _slowdowns,
    "utilisation": _idleness,
}
"""The curve for each ``reward`` of an environment."""
