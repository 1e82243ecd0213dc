"""explain(): what a learned policy decides by, and whether it uses the prediction."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import torch
from numpy.typing import NDArray

from schedlab.errors import WorkloadError
from schedlab.policies.learned.agent import Decider
from schedlab.rl.agent import TorchAgent, play
from schedlab.rl.explain.estimate import Estimate
from schedlab.rl.explain.explanation import Effort, Explanation
from schedlab.rl.explain.gradients import Attributions, agreement, attribute, randomised
from schedlab.rl.explain.importance import (
    POSITION,
    PREDICTION,
    GroupImportance,
    answer,
    rank_agreement,
)
from schedlab.rl.explain.shuffling import ShuffledGroups, ShuffledPositions, decisions_changed
from schedlab.rl.explain.states import Visitor, fcfs_choice
from schedlab.rl.model_file import TrainedModel
from schedlab.rl.observation_layout import FeatureGroup, ObservationLayout
from schedlab.workload.episodes import Episodes

_SHUFFLES, _RANDOMISED_NETWORKS, _RANDOMISED_STATES = 5, 3, 50

Progress = Callable[[int, int], None]
"""Called with the amount of work done, and the amount of all work."""


def explain(
    model: TrainedModel,
    episodes: Episodes,
    effort: Effort | None = None,
    *,
    estimate: str | None = None,
    progress: Progress | None = None,
) -> Explanation:
    """Explain a model by what it does in these episodes.

    Args:
        model: from ``read_model``.
        episodes: from ``choose_episodes``, or the model's own ``config.all_episodes(folder)``.
        effort: how much is played and computed.
        estimate: the predictor of run times. Default: that of the training.
        progress: called now and then.
    """
    effort = effort or Effort()
    torch.set_num_threads(effort.threads)
    return _Explainer(model, episodes, effort, estimate, progress).explanation()


class _Explainer:
    """A policy to explain: its network, its results, and situations that it has visited."""

    def __init__(
        self,
        model: TrainedModel,
        episodes: Episodes,
        effort: Effort,
        estimate: str | None,
        progress: Progress | None,
    ) -> None:
        self.settings = replace(model.settings, estimate=estimate or model.settings.estimate)
        self.agent, self.layout = model.agent(), ObservationLayout.of(self.settings)
        self.predicted = [group for group in self.layout.groups if group.predicted]
        self.episodes, self.effort, self.progress = episodes, effort, progress
        self.random, self.plays = np.random.default_rng(effort.seed), 0
        visitor = Visitor(self.agent, -(-effort.states // effort.episodes), self.random)
        self.results = self._play(visitor)
        self.states = visitor.states()
        if not len(self.states):
            raise WorkloadError("there is nothing to decide in these episodes")
        self.actions = self.agent.choose(self.states.observation, self.states.mask)
        self.fcfs = fcfs_choice(self.states.mask)

    def explanation(self) -> Explanation:
        """Compute all parts of the explanation."""
        everywhere, departs = np.ones(len(self.states), bool), self.actions != self.fcfs
        score = self._attribute(self.agent, everywhere)
        lead = self._attribute(self.agent, departs, lead=True) if departs.any() else None
        groups = tuple(self._groups(score, lead, self.states.episode[departs]))
        return Explanation(
            groups=groups,
            states=len(self.states),
            departures=Estimate.of_share(departs.astype(float), self.states.episode),
            results={name: Estimate.of(values) for name, values in self.results.items()},
            completeness_error=score.completeness_error,
            rank_agreement=rank_agreement(groups),
            randomised_agreement=self._randomised_agreement(),
            answer=answer(groups, [group.name for group in self.predicted], self.settings.estimate),
        )

    def _play(self, decider: Decider) -> dict[str, NDArray[np.float64]]:
        """Return the results of all episodes, by name."""
        effort = self.effort
        played = play(
            decider,
            self.settings,
            self.episodes,
            effort.episodes,
            seed=effort.seed,
            threads=effort.threads,
        )
        self.plays += 1
        if self.progress is not None:
            self.progress(self.plays, len(self.layout.groups) + 2 + (len(self.predicted) > 1))
        return {name: np.array([each[name] for each in played]) for name in played[0]}

    def _attribute(
        self, agent: TorchAgent, which: NDArray[np.bool_], *, lead: bool = False
    ) -> Attributions:
        """Attribute the chosen action's score in these situations, or its lead over FCFS's."""
        actions = [self.actions, self.fcfs] if lead else [self.actions]
        return attribute(
            agent,
            self.layout,
            self.states.take(which),
            np.stack(actions, axis=1)[which],
            self.states,
            baselines=self.effort.baselines,
            seed=self.effort.seed,
        )

    def _groups(
        self, score: Attributions, lead: Attributions | None, departing: NDArray[np.int64]
    ) -> Iterator[GroupImportance]:
        """Yield the importance of each group, of the position, and of all predictions at once.

        ``departing`` holds the episodes of the situations in ``lead``.
        """
        in_score = score.shares(self.layout)
        in_lead = None if lead is None else lead.shares(self.layout)
        for place, group in enumerate(self.layout.groups):
            yield self._importance(
                group.name,
                self._shuffling(group),
                Estimate.of_share(in_score[:, place], self.states.episode),
                None if in_lead is None else Estimate.of_share(in_lead[:, place], departing),
            )
        position = ShuffledPositions(self.agent, self.layout, self.random)
        yield self._importance(POSITION, position)
        if len(self.predicted) > 1:
            yield self._importance(PREDICTION, self._shuffling(*self.predicted))

    def _shuffling(self, *groups: FeatureGroup) -> ShuffledGroups:
        return ShuffledGroups(self.agent, self.layout, groups, self.states, self.random)

    def _importance(
        self,
        name: str,
        decider: Decider,
        score: Estimate | None = None,
        lead: Estimate | None = None,
    ) -> GroupImportance:
        """Return how decisions and results change with a decider that sees something else."""
        observation, mask = self.states.observation, self.states.mask
        changed = [
            decisions_changed(
                self.layout, observation, self.actions, decider.choose(observation, mask)
            )
            for _ in range(_SHUFFLES)
        ]
        results = self._play(decider)
        change = {key: Estimate.of(results[key] - self.results[key]) for key in results}
        return GroupImportance(
            name,
            score,
            lead,
            Estimate.of_share(np.mean(changed, axis=0), self.states.episode),
            change["return"],
            change["utilisation"],
            change["mean_bounded_slowdown"],
        )

    def _randomised_agreement(self) -> float:
        which = np.zeros(len(self.states), bool)
        which[:: -(-len(which) // _RANDOMISED_STATES)] = True
        learnt = self._attribute(self.agent, which)
        networks = (randomised(self.agent, self.random) for _ in range(_RANDOMISED_NETWORKS))
        return float(np.mean([agreement(learnt, self._attribute(n, which)) for n in networks]))
