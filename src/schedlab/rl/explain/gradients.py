"""Integrated gradients (Sundararajan, Taly & Yan, ICML 2017) of the scores of actions."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from schedlab.errors import MissingExtraError
from schedlab.policies.learned.agent import Actions, Observations
from schedlab.rl.agent import TorchAgent
from schedlab.rl.explain.states import VisitedStates
from schedlab.rl.networks import action_scores
from schedlab.rl.observation_layout import ObservationLayout

try:
    from captum.attr import IntegratedGradients
except ModuleNotFoundError:
    raise MissingExtraError("captum", "explain") from None

STEPS = 64
_ROWS_AT_ONCE = 64

Values = NDArray[np.float64]


@dataclass(frozen=True)
class Attributions:
    """What each input adds to a score, relative to other visited situations.

    Args:
        by_input: a row per situation, its mean over the situations it is compared with.
        explained: how much the score differs from theirs, in the mean over all pairs.
        error: how far the attributions are from adding up to that.
    """

    by_input: Values
    explained: float
    error: float

    @property
    def completeness_error(self) -> float:
        """The error as a share of what is explained."""
        return self.error / self.explained if self.explained > 0 else 0.0

    def shares(self, layout: ObservationLayout) -> Values:
        """Return each group's share of the sums' sizes, a row per situation; NaN if all are 0."""
        sums = [self.by_input[:, group.columns].sum(axis=1) for group in layout.groups]
        sizes = np.abs(np.stack(sums, axis=1))
        total = sizes.sum(axis=1, keepdims=True)
        shares: Values = sizes / np.where(total > 0, total, np.nan)
        return shares


def attribute(
    agent: TorchAgent,
    layout: ObservationLayout,
    states: VisitedStates,
    actions: Actions,
    visited: VisitedStates,
    *,
    baselines: int,
    seed: int,
) -> Attributions:
    """Explain the score of an action in each situation, or its lead over another action's.

    Args:
        agent: whose network gives the scores.
        layout: of what it sees.
        states: the situations.
        actions: a row per situation: the action, and perhaps the one that it leads over.
        visited: situations to compare with.
        baselines: number of baselines for each.
        seed: draws them.
    """
    random = np.random.default_rng(seed)
    method = IntegratedGradients(_score(agent))
    total, explained, errors = np.zeros(states.observation.shape), 0.0, 0.0
    for _ in range(baselines):
        start = visited.observation[_comparable(layout, states, actions, visited, random)]
        given, delta = _integrate(method, states.observation, start, actions)
        total += given
        explained += float(np.abs(given.sum(axis=1) - delta).mean())
        errors += float(np.abs(delta).mean())
    return Attributions(total / baselines, explained / baselines, errors / baselines)


def randomised(agent: TorchAgent, random: np.random.Generator) -> TorchAgent:
    """Return the agent as if it had learnt nothing: each layer's parameters are shuffled."""
    policy = deepcopy(agent.policy)
    with torch.no_grad():
        for parameter in policy.parameters():
            order = torch.from_numpy(random.permutation(parameter.numel()))
            parameter.copy_(parameter.flatten()[order].view_as(parameter))
    return TorchAgent(policy, masked=agent.masked)


def agreement(first: Attributions, second: Attributions) -> float:
    """Return the mean cosine between two explanations over situations; NaN if the first is empty.

    It is 1 if they are the same but for their size, 0 if they have nothing in common.
    """
    sizes = [np.linalg.norm(each.by_input, axis=1) for each in (first, second)]
    products = (first.by_input * second.by_input).sum(axis=1)
    explained = sizes[0] > 0
    cosines = products[explained] / np.maximum(np.prod(sizes, axis=0), 1e-300)[explained]
    return float(cosines.mean()) if explained.any() else float("nan")


def _score(agent: TorchAgent) -> Callable[[Tensor, Tensor], Tensor]:
    def score(observation: Tensor, actions: Tensor) -> Tensor:
        scores = action_scores(agent.policy, observation).gather(1, actions)
        return scores[:, 0] if actions.shape[1] == 1 else scores[:, 0] - scores[:, 1]

    return score


def _comparable(
    layout: ObservationLayout,
    states: VisitedStates,
    actions: Actions,
    visited: VisitedStates,
    random: np.random.Generator,
) -> NDArray[np.intp]:
    """Draw, for each situation, a visited one in which its actions choose jobs, too.

    Only actions that choose a job in the situation count. A place without a job has no score that
    could be compared.
    """
    held, held_then = (_choosable(layout, each) for each in (states, visited))
    drawn = np.zeros(len(states), np.intp)
    for place, chosen in enumerate(actions):
        needed = chosen[held[place, chosen]]
        drawn[place] = random.choice(np.flatnonzero(held_then[:, needed].all(axis=1)))
    return drawn


def _choosable(layout: ObservationLayout, states: VisitedStates) -> NDArray[np.bool_]:
    """Return which actions choose something: places with a job, and the wait."""
    present = layout.present(states.observation)
    return np.concatenate([present, np.ones((len(states), 1), bool)], axis=1)


def _integrate(
    method: IntegratedGradients,
    observation: Observations,
    start: Observations,
    actions: Actions,
) -> tuple[Values, Values]:
    """Return the attributions of each row, and by how much their sum exceeds what it should be."""
    parts = []
    for first in range(0, len(observation), _ROWS_AT_ONCE):
        rows = slice(first, first + _ROWS_AT_ONCE)
        parts.append(
            method.attribute(
                torch.from_numpy(observation[rows]),
                baselines=torch.from_numpy(start[rows]),
                additional_forward_args=(torch.from_numpy(actions[rows]),),
                n_steps=STEPS,
                return_convergence_delta=True,
            )
        )
    given, deltas = zip(*parts, strict=True)
    return (
        torch.cat(given).detach().double().numpy(),
        torch.cat(deltas).detach().double().numpy(),
    )
