"""What every batch of native environments has: arrays, random generators and steps."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from schedlab.errors import ParameterError, UnknownNameError, WorkloadError
from schedlab.processors import usable_processors
from schedlab.sim import Schedule
from schedlab.units import require_whole
from schedlab.workload import Workload

_MOST_ENVIRONMENTS = 65_536
_MOST_THREADS = 1024

Seeds = int | Sequence[int | None] | None


class BatchCore(Protocol):
    """The environments themselves, which write into the arrays."""

    @property
    def observation_size(self) -> int:
        """Numbers that each agent sees."""
        ...

    @property
    def actions(self) -> int:
        """Actions that each agent has."""
        ...

    @property
    def state_names(self) -> tuple[str, ...]:
        """Names of the numbers that ``states`` writes for each environment."""
        ...

    def states(self, states: Any) -> None:
        """Write the state of each environment."""
        ...

    def step(
        self,
        actions: Any,
        observation: Any,
        reward: Any,
        terminated: Any,
        truncated: Any,
        mask: Any,
    ) -> None:
        """Step every environment once."""
        ...


class NativeBatch(ABC):
    """Native environments with the arrays they write into.

    ``observation`` and ``mask`` hold one row per environment. After ``reset``, the row of a
    finished episode is that of the next one.
    """

    core: BatchCore

    def __init__(
        self,
        core: BatchCore,
        size: int,
        *,
        shape: tuple[int, ...],
        largest: float,
        observation: NDArray[np.float32] | None,
    ) -> None:
        """Take the environments.

        Args:
            core: the environments.
            size: number of environments.
            shape: that of one agent's observation.
            largest: an upper bound of the numbers that an agent sees.
            observation: an array to write observations into, such as a view of pinned memory.
        """
        self.core, self.size, self.largest = core, size, largest
        self.observation = _checked(observation, (size, *shape))
        self.mask: NDArray[np.uint8] = np.zeros((size, core.actions), np.uint8)
        self.reward = np.zeros(size)
        self.terminated, self.truncated = (np.zeros(size, np.uint8) for _ in range(2))
        self.random = [np.random.default_rng() for _ in range(size)]
        self._not_begun = set(range(size))
        self._states = np.zeros((size, len(core.state_names)), np.int64)

    def seed(self, seeds: Seeds) -> None:
        """Seed every environment's generator; from one number, each gets a different seed."""
        if seeds is None:
            return
        given = [seeds + place for place in range(self.size)] if isinstance(seeds, int) else seeds
        if len(given) != self.size:
            raise ParameterError(f"{len(given)} seeds for {self.size} environments")
        for place, seed in enumerate(given):
            if seed is not None:
                self.random[place] = np.random.default_rng(seed)

    @property
    def rows(self) -> NDArray[np.float32]:
        """The observations as the core writes them, even if another array has been put in place."""
        return self.observation.reshape(self.size, -1)

    @abstractmethod
    def reset(self, place: int, sequence: Workload | None = None) -> None:
        """Begin an episode of one environment, with these jobs or else with its next ones."""

    def step(self, actions: NDArray[np.int64]) -> NDArray[np.intp]:
        """Step all environments and return those that have finished; they need a ``reset``."""
        if self._not_begun:
            raise ParameterError("an episode must begin with reset() before the first step")
        self.core.step(actions, self.rows, self.reward, self.terminated, self.truncated, self.mask)
        return np.flatnonzero(self.terminated | self.truncated)

    def states(self) -> NDArray[np.int64]:
        """Return the state of all episodes: a row per environment, a column per ``state_names``."""
        self.core.states(self._states)
        return self._states

    def state(self, place: int) -> dict[str, int]:
        """Return the state of one environment's episode: the time, jobs that wait and run, ..."""
        return dict(zip(self.core.state_names, self.states()[place].tolist(), strict=True))

    @abstractmethod
    def result(self, place: int) -> Mapping[str, Any]:
        """Return the results of this environment's episode up to now."""

    @abstractmethod
    def schedule(self, place: int) -> Schedule:
        """Return the jobs of this environment's episode, with starts and ends decided so far."""


Batch = TypeVar("Batch", bound=NativeBatch)


def thread_count(size: int, threads: int | None) -> int:
    """Return the number of threads. Default: the number of processors."""
    require_whole("the number of environments", size, 1, _MOST_ENVIRONMENTS)
    if threads is None:
        return usable_processors()
    return require_whole("threads", threads, 1, _MOST_THREADS)


def _checked(
    observation: NDArray[np.float32] | None, shape: tuple[int, ...]
) -> NDArray[np.float32]:
    if observation is None:
        return np.zeros(shape, np.float32)
    if observation.shape != shape:
        raise ParameterError(f"observation has shape {observation.shape}; must be {shape}")
    if observation.dtype != np.float32 or not observation.flags.c_contiguous:
        raise ParameterError("observation must be a contiguous array of float32")
    return observation


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
    """Raise ParameterError for an action outside of 0 to ``count - 1``."""
    outside = (actions < 0) | (actions >= count)
    if outside.any():
        raise ParameterError(
            f"action is {actions[outside.argmax()]}; must be from 0 to {count - 1}"
        )


def sequence_in(options: Mapping[str, Any] | None) -> Workload | None:
    """Return the jobs that the options of a reset ask for."""
    asked = dict(options or {})
    sequence = asked.pop("sequence", None)
    for name in asked:
        raise UnknownNameError("option", name, ["sequence"])
    if not isinstance(sequence, Workload | None):
        raise ParameterError(f"sequence is a {type(sequence).__name__}; must be a Workload")
    return sequence
