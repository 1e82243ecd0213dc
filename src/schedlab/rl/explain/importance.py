"""How much a group of inputs matters, by several measures, and what follows for the prediction."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from schedlab.metrics.incentive import spearman
from schedlab.rl.explain.estimate import Estimate, EstimatedRow

POSITION, PREDICTION = "position", "all predictions"
NEGLIGIBLE = 0.01
"""Smaller shares count as none: even an ignored input decides some near ties."""


@dataclass(frozen=True)
class GroupImportance(EstimatedRow):
    """How much a group of inputs matters.

    Args:
        group: its name.
        score: its share, by integrated gradients, of the difference between the chosen action's
            score and those in other situations; None for what is no input.
        lead: its share of the lead over the score of the action that FCFS would have chosen, where
            that is another action; None if it never is.
        decisions: share of decisions that change when the group is shuffled.
        episode_return: by how much the return changes when it is shuffled in whole episodes.
        utilisation: the same for the utilisation.
        bounded_slowdown: the same for the mean bounded slowdown.
    """

    group: str
    score: Estimate | None
    lead: Estimate | None
    decisions: Estimate
    episode_return: Estimate
    utilisation: Estimate
    bounded_slowdown: Estimate


def rank_agreement(groups: Sequence[GroupImportance]) -> float:
    """Return the rank correlation of gradients and shuffling on the order of the inputs."""
    both = [
        (group.score.mean, group.decisions.mean)
        for group in groups
        if group.score is not None and not math.isnan(group.score.mean)
    ]
    return spearman(*zip(*both, strict=True)) if len(both) > 1 else math.nan


def answer(groups: Sequence[GroupImportance], predicted: Sequence[str], estimate: str) -> str:
    """Return whether the policy uses the prediction, in a sentence.

    Args:
        groups: all of them.
        predicted: names of those that hold predictions.
        estimate: the predictor.
    """
    if not predicted:
        return "The policy does not use the prediction: it does not see it."
    by_name: Mapping[str, GroupImportance] = {group.group: group for group in groups}
    found = by_name[PREDICTION if len(predicted) > 1 else predicted[0]]
    changed = found.decisions.told(100, " %")
    source = " (here the request itself)" if estimate == "request" else ""
    if not found.decisions.mean >= NEGLIGIBLE:
        return (
            f"The policy does not use the prediction{source}: shuffled, it changes {changed} of "
            "the decisions."
        )
    effect = found.episode_return
    so = "and" if effect.excludes_zero else "but not measurably"
    return (
        f"The policy uses the prediction{source}: shuffled, it changes {changed} of the decisions, "
        f"{so} the return, by {effect.told()}."
    )
