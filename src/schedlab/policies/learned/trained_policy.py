"""An agent from a file, with warnings about situations that it was not trained on."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator

from schedlab.errors import OutsideTrainingWarning
from schedlab.policies.learned.agent import Decider
from schedlab.policies.learned.own_agent import Observe
from schedlab.policies.learned.policy import LearnedPolicy
from schedlab.policies.learned.settings import QueueSettings
from schedlab.policies.policy import View


class TrainedPolicy(LearnedPolicy):
    """Warns once about another tick, once about another machine, once about longer requests."""

    def __init__(
        self,
        agent: Decider,
        settings: QueueSettings,
        name: str = "learned",
        observe: Observe | None = None,
    ) -> None:
        """Take the agent, the rules of its training, and what makes its own observation, if any."""
        super().__init__(agent, settings, name, observe)
        self._learnt = settings
        self._told: set[str] = set()

    def schedule(self, view: View) -> None:
        """Warn if the agent was not trained for this, and decide."""
        for what, sentence in self._doubts(view):
            if what not in self._told:
                self._told.add(what)
                warnings.warn(OutsideTrainingWarning(f"{self.name} {sentence}"), stacklevel=2)
        super().schedule(view)

    def _doubts(self, view: View) -> Iterator[tuple[str, str]]:
        learnt = self._learnt
        if view.now % learnt.sim_step_s:
            yield (
                "tick",
                f"was trained with a tick of {learnt.sim_step_s:,} s; "
                f"it is asked at {view.now:,} s, which is no multiple of it",
            )
        if view.nodes != learnt.nodes and learnt.observation == "jobs":  # others refuse it
            yield (
                "nodes",
                f"was trained on {learnt.nodes:,} nodes; the machine has {view.nodes:,}",
            )
        longest_s = learnt.time_scale_s or math.inf
        asked_s = max(view.queue.request_s.tolist(), default=0)
        if asked_s > longest_s:
            yield (
                "requests",
                f"was trained with {longest_s:,.0f} s as the longest request; "
                f"a job asks for {asked_s:,} s",
            )
