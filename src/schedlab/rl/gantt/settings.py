"""The rules of the grid's environment: every constant of the paper is a parameter."""

from __future__ import annotations

from dataclasses import dataclass

from schedlab import _core
from schedlab.errors import UnknownNameError
from schedlab.units import require_whole

OBSERVATIONS = {
    "image": _core.GanttObservation.image,
    "flat": _core.GanttObservation.image,
    "vector": _core.GanttObservation.vector,
}
REWARDS = {"mean": _core.GanttReward.mean, "total": _core.GanttReward.total}
SLOT_FEATURES = 4
"""Numbers of each slot, where ``observation`` is ``vector``."""
_LEAST = {
    "resources": 1,
    "slots": 1,
    "window": 1,
    "backlog_columns": 0,
    "colours": 0,
    "arrival_memory": 1,
    "max_steps": 1,
}
_MOST = 10_000
MOST_STEPS = 2**31 - 1


@dataclass(frozen=True, kw_only=True)
class GanttSettings:
    """The rules of ``schedlab/Gantt-v0``; the defaults are those of Casagrande and Pillon.

    Args:
        resources: of the grid.
        slots: how many waiting jobs the agent sees; the others are in the backlog.
        window: how many time units ahead resources can be reserved; no job may be longer.
        backlog_columns: columns of the image for the backlog, a cell per job.
        colours: number of colours that jobs in the chart take in turn; 0 makes occupied cells 1.
        arrival_memory: the longest time since the last arrival that the agent can tell; longer
            times look the same.
        max_steps: the step after which the episode is truncated.
        observation: ``image``; ``flat``, the same numbers in a row; or ``vector``, a few numbers
            per time unit ahead and per slot.
        reward: the fall of the mean slowdown of all jobs submitted so far (``mean``), as in the
            paper; or that of the sum of their slowdowns (``total``), as in DeepRM, in which the
            next arrival changes nothing.
    """

    resources: int = 10
    slots: int = 10
    window: int = 20
    backlog_columns: int = 3
    colours: int = 39
    arrival_memory: int = 10
    max_steps: int = 10_000
    observation: str = "image"
    reward: str = "mean"

    def __post_init__(self) -> None:
        if self.observation not in OBSERVATIONS:
            raise UnknownNameError("observation", self.observation, OBSERVATIONS)
        if self.reward not in REWARDS:
            raise UnknownNameError("reward", self.reward, REWARDS)
        for name, least in _LEAST.items():
            most = MOST_STEPS if name == "max_steps" else _MOST
            require_whole(name, getattr(self, name), least, most)

    @property
    def image_shape(self) -> tuple[int, int]:
        """Rows and columns of the image."""
        return self.window, self.resources * (1 + self.slots) + self.backlog_columns + 1

    @property
    def observation_shape(self) -> tuple[int, ...]:
        """The shape of one agent's observation."""
        if self.observation == "vector":
            return (self.window + SLOT_FEATURES * self.slots + 2,)
        rows, columns = self.image_shape
        return (rows, columns) if self.observation == "image" else (rows * columns,)

    def options(self) -> _core.GanttOptions:
        """Return the rules in the form that the core takes."""
        return _core.GanttOptions(
            resources=self.resources,
            slots=self.slots,
            window=self.window,
            backlog_columns=self.backlog_columns,
            colours=self.colours,
            arrival_memory=self.arrival_memory,
            max_steps=self.max_steps,
            observation=OBSERVATIONS[self.observation],
            reward=REWARDS[self.reward],
        )
