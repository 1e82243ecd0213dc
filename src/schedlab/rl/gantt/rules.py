"""The heuristics that DeepRM was compared with (Mao et al., HotNets 2016), on the grid.

They start only jobs that fit now, and read everything from the observation. One more rule, which is
not from that paper, reserves ahead.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from schedlab.errors import PolicyError, UnknownNameError
from schedlab.policies.learned.agent import Actions, Decider, Masks, Observations
from schedlab.rl.gantt.batch import GanttBatch
from schedlab.rl.gantt.settings import MOST_STEPS, SLOT_FEATURES, GanttSettings
from schedlab.sim import Schedule
from schedlab.workload import Workload
from schedlab.workload.episodes import FixedEpisode

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Waiting:
    """What observations show, a row each: the job in each slot or 0, and whether it fits now."""

    resources: Numbers
    time: Numbers
    fit: NDArray[np.bool_]

    @classmethod
    def seen(cls, observation: Observations, settings: GanttSettings) -> Waiting:
        """Read the slots from observations of any kind."""
        read = _from_vector if settings.observation == "vector" else _from_image
        return read(observation, settings)


class SlotRule(ABC):
    """Takes the fitting job with the highest score, among equals the one in the lowest slot."""

    def __init__(self, settings: GanttSettings) -> None:
        self.settings = settings

    @abstractmethod
    def scores(self, waiting: Waiting) -> Numbers:
        """Return a score for each slot; only scores of jobs that fit are compared."""

    def choose(self, observation: Observations, mask: Masks) -> Actions:
        """Return one action per row; time goes on where nothing fits."""
        waiting = Waiting.seen(observation, self.settings)
        fit = waiting.fit
        best = np.where(fit, self.scores(waiting), -np.inf).argmax(axis=1)
        actions: Actions = np.where(fit.any(axis=1), best, self.settings.slots)
        return actions


class ShortestFirst(SlotRule):
    """SJF: the shortest job that fits."""

    def scores(self, waiting: Waiting) -> Numbers:
        """Score shorter jobs higher."""
        return -waiting.time


class ShortestFirstAhead(ShortestFirst):
    """SJF that reserves ahead for the shortest job when nothing fits and every slot is taken.

    Another job becomes visible then, which may be shorter than all that were visible.
    """

    def choose(self, observation: Observations, mask: Masks) -> Actions:
        """Return one action per row."""
        actions, slots = super().choose(observation, mask), self.settings.slots
        waiting = Waiting.seen(observation, self.settings)
        room = mask[:, :slots] != 0
        stuck = (actions == slots) & (waiting.resources > 0).all(axis=1) & room.any(axis=1)
        ahead: Actions = np.where(room, waiting.time, np.inf).argmin(axis=1)
        return np.where(stuck, ahead, actions)


class Packer(SlotRule):
    """The widest job that fits, which fills the free resources best."""

    def scores(self, waiting: Waiting) -> Numbers:
        """Score wider jobs higher."""
        return waiting.resources


class Tetris(SlotRule):
    """Wide and short jobs first, after Grandl et al. (SIGCOMM 2014)."""

    def __init__(self, settings: GanttSettings, packing: float = 0.5) -> None:
        """Set the weight of packing; shortness has the rest."""
        super().__init__(settings)
        self.packing = packing

    def scores(self, waiting: Waiting) -> Numbers:
        """Return the weighted sum of the resources and of the reciprocal time."""
        shortness = 1 / np.maximum(waiting.time, 1)
        return self.packing * waiting.resources + (1 - self.packing) * shortness


class RandomRule:
    """Chooses among all actions with equal probability, whether they make sense or not."""

    def __init__(self, settings: GanttSettings, seed: int = 0) -> None:
        self.settings, self._random = settings, np.random.default_rng(seed)

    def choose(self, observation: Observations, mask: Masks) -> Actions:
        """Return one action per row."""
        return self._random.integers(self.settings.slots + 1, size=len(mask))


RULES: dict[str, Callable[[GanttSettings], Decider]] = {
    "sjf": ShortestFirst,
    "tetris": Tetris,
    "packer": Packer,
    "random": RandomRule,
    "sjf+ahead": ShortestFirstAhead,
}


TEACHERS = tuple(name for name in RULES if name != "random")
"""The rules that only take actions that make sense, from which a network can learn."""


def find_rule(name: str, settings: GanttSettings | None = None, seed: int = 0) -> Decider:
    """Return the rule of that name, for these settings; ``seed`` is that of the rule ``random``."""
    if name not in RULES:
        raise UnknownNameError("rule", name, RULES)
    rules = settings or GanttSettings()
    return RandomRule(rules, seed) if name == "random" else RULES[name](rules)


def schedule_by(
    decider: Decider, workload: Workload, settings: GanttSettings | None = None
) -> Schedule:
    """Return one episode with these jobs, decided by a rule or a trained agent.

    The episode may be long, but an agent that places no job in ``max_steps`` steps is refused.
    """
    rules = settings or GanttSettings()
    batch = GanttBatch(replace(rules, max_steps=MOST_STEPS), FixedEpisode(workload), 1, threads=1)
    batch.reset(0)
    placed = 0
    while not len(batch.step(decider.choose(batch.observation, batch.mask))):
        if batch.core.steps(0) % rules.max_steps == 0:
            if batch.core.started(0) == placed:
                raise PolicyError(f"the agent placed no job in {rules.max_steps:,} steps")
            placed = batch.core.started(0)
    return replace(batch.schedule(0), policy=f"gantt:{type(decider).__name__}")


def _from_image(observation: Observations, settings: GanttSettings) -> Waiting:
    image = observation.reshape(-1, *settings.image_shape)
    chart, end = settings.resources, settings.resources * (1 + settings.slots)
    jobs = image[:, :, chart:end].reshape(len(image), settings.window, settings.slots, chart)
    resources = jobs[:, 0].sum(axis=2, dtype=np.float64)
    time = jobs[:, :, :, 0].sum(axis=1, dtype=np.float64)
    free_for = (image[:, :, :chart] == 0).cumprod(axis=1).sum(axis=1)  # from now on
    free = (free_for[:, None] >= time[:, :, None]).sum(axis=2)
    return Waiting(resources, time, fit=(resources > 0) & (resources <= free))


def _from_vector(observation: Observations, settings: GanttSettings) -> Waiting:
    end = settings.window + SLOT_FEATURES * settings.slots
    slots = observation[:, settings.window : end].reshape(-1, settings.slots, SLOT_FEATURES)
    resources, time, _, start = np.moveaxis(slots, 2, 0)
    return Waiting(
        resources=np.rint(resources * float(settings.resources)).astype(np.float64),
        time=np.rint(time * float(settings.window)).astype(np.float64),
        fit=(resources > 0) & (start == 0),
    )
