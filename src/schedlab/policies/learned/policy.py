"""An agent as a policy of the simulator."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from schedlab import _core
from schedlab.errors import PolicyError
from schedlab.policies.learned.agent import Decider
from schedlab.policies.learned.own_agent import Observe
from schedlab.policies.learned.settings import QueueSettings
from schedlab.policies.policy import Policy, View


class LearnedPolicy(Policy):
    """Lets an agent decide at each pass; it is asked as in its environment."""

    def __init__(
        self,
        agent: Decider,
        settings: QueueSettings,
        name: str = "learned",
        observe: Observe | None = None,
    ) -> None:
        """Take the agent.

        Args:
            agent: makes the decisions.
            settings: the rules of its environment, with the scale of time.
            name: the name in results.
            observe: makes what it sees in place of the settings' observation, if anything.
        """
        super().__init__()
        self.name, self.settings, self._agent, self._show = name, settings, agent, observe
        self._prepare(settings.nodes)
        self._started = self._fruitless = 0

    def clone(self) -> Self:
        """Return a copy that asks the same network; a copy that draws goes on by itself."""
        made = type(self)(deepcopy(self._agent), self.settings, self.name, self._show)
        made._fruitless = self._fruitless
        return made

    def schedule(self, view: View) -> None:
        """Ask the agent until it has nothing more to decide in this pass."""
        if view.nodes != self.settings.nodes:
            self._fit(view.nodes)
        more = self._passes.enter(view)
        while more:
            self._passes.observe(self._observation[0], self._mask[0])
            action = self._agent.choose(self._shown(view), self._mask)[0]
            more = self._passes.decide(int(action))
            self._fruitless += 1
        if self._passes.started != self._started:
            self._started, self._fruitless = self._passes.started, 0
        # An agent that never starts a job is not asked for ever: the simulation reports it.
        if self._fruitless < self.settings.max_steps:
            self._passes.leave()

    def _shown(self, view: View) -> NDArray[np.float32]:
        """Return what the agent sees, as the only row."""
        if self._show is None:
            return self._observation
        seen = self._show(view, self._observation[0].copy())
        return np.asarray(seen, np.float32)[np.newaxis]

    def _fit(self, nodes: int) -> None:
        """Adapt to the machine: features of jobs suit any size; those of nodes do not."""
        if self.settings.observation != "jobs":
            raise PolicyError(
                f"{self.name} was trained for {self.settings.nodes:,} nodes; "
                f"the machine has {nodes:,}"
            )
        self._prepare(nodes)

    def _prepare(self, nodes: int) -> None:
        # The reward is not used, and intervals double to shorten trainings, not schedules.
        self.settings = replace(self.settings, nodes=nodes, reward="terminal", doubling=False)
        self._passes = _core.QueuePasses(self.settings.options(self.settings.time_scale_s or 1.0))
        self._observation = np.zeros((1, self._passes.observation_size), np.float32)
        self._mask = np.zeros((1, self._passes.actions), np.uint8)
