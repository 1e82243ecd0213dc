"""Agents that see some inputs of other situations, to find out which inputs they need."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from schedlab.policies.learned.agent import Actions, Masks, Observations
from schedlab.rl.agent import TorchAgent
from schedlab.rl.explain.states import VisitedStates
from schedlab.rl.observation_layout import FeatureGroup, ObservationLayout


class ShuffledGroups:
    """The agent, with some inputs from other situations that it has visited.

    Inputs that describe the machine all come from one other situation. A visible job gets the
    inputs of a visible job of some situation; places without a job stay empty.
    """

    def __init__(
        self,
        agent: TorchAgent,
        layout: ObservationLayout,
        groups: Sequence[FeatureGroup],
        states: VisitedStates,
        random: np.random.Generator,
    ) -> None:
        self.agent, self.layout, self.groups, self.random = agent, layout, groups, random
        held = layout.present(states.observation)
        self._donors = {
            group.name: states.observation[:, group.columns][held if group.per_job else slice(None)]
            for group in groups
        }

    def choose(self, observation: Observations, mask: Masks) -> Actions:
        """Return the agent's choices from shuffled inputs."""
        return self.agent.choose(self._shuffled(observation), mask)

    def _shuffled(self, observation: Observations) -> Observations:
        shown, present = observation.copy(), self.layout.present(observation)
        machine_chance = self.random.random(len(observation))
        job_chance = self.random.random(present.shape)
        for group in self.groups:
            donors = self._donors[group.name]
            chance = job_chance if group.per_job else machine_chance
            others = donors[(chance * len(donors)).astype(np.intp)]
            own = observation[:, group.columns]
            shown[:, group.columns] = np.where(present, others, own) if group.per_job else others
        return shown


class ShuffledPositions:
    """The agent, shown the visible jobs in another order; its choice is mapped back to the job."""

    def __init__(
        self, agent: TorchAgent, layout: ObservationLayout, random: np.random.Generator
    ) -> None:
        self.agent, self.layout, self.random = agent, layout, random

    def choose(self, observation: Observations, mask: Masks) -> Actions:
        """Return the place at which the chosen job really is."""
        order = self._order(self.layout.present(observation))
        shown, columns = observation.copy(), self.layout.job_columns
        jobs = np.take_along_axis(observation[:, columns], order[:, :-1, None], axis=1)
        shown[:, columns] = jobs
        chosen = self.agent.choose(shown, np.take_along_axis(mask, order, axis=1))
        meant: Actions = order[np.arange(len(order)), chosen]
        return meant

    def _order(self, present: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return which action is shown at each place; empty places and the wait are not moved."""
        rows, visible = present.shape
        key = np.where(present, self.random.random(present.shape), 1.0 + np.arange(visible))
        wait = np.full((rows, 1), visible)
        return np.concatenate([np.argsort(key, axis=1), wait], axis=1)


def decisions_changed(
    layout: ObservationLayout, observation: Observations, before: Actions, after: Actions
) -> NDArray[np.bool_]:
    """Return where another job is chosen; a job with exactly the same inputs does not count."""
    columns = layout.job_columns
    visible = len(columns)
    rows = np.arange(len(observation))[:, None]
    first, second = (np.minimum(each, visible - 1) for each in (before, after))
    alike = (observation[rows, columns[first]] == observation[rows, columns[second]]).all(axis=1)
    both_jobs = (before < visible) & (after < visible)
    changed: NDArray[np.bool_] = (before != after) & ~(both_jobs & alike)
    return changed
