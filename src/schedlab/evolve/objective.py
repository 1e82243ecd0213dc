"""The objective of an evolution: metrics relative to those of FCFS + EASY on the same jobs."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schedlab.errors import ParameterError
from schedlab.metrics import Metric, find_metric

Values = NDArray[np.float64]
"""One row per episode, one column per metric."""

_WEIGHTED = re.compile(r"(?:(?P<weight>[^*]+)\*)?(?P<metric>.+)")


@dataclass(frozen=True)
class Goal:
    """A metric and its weight."""

    name: str
    metric: Metric
    weight: float = 1.0

    @classmethod
    def parse(cls, text: str) -> Goal:
        """Return the goal written as a metric's name, or with a weight as ``0.3*utilisation``."""
        found = _WEIGHTED.fullmatch(text.strip())
        if found is None:
            raise ParameterError(f'"{text}" names no metric')
        name = found["metric"].strip()
        metric = find_metric(name)
        if metric.signed:
            raise ParameterError(f'metric "{name}" has a sign: nothing can be relative to it')
        return cls(name, metric, _weight(text, found["weight"]))

    @property
    def text(self) -> str:
        """The text from which ``parse`` makes this goal."""
        return self.name if self.weight == 1 else f"{self.weight:g}*{self.name}"

    @property
    def sign(self) -> int:
        """1 where less is better, else -1."""
        return 1 if self.metric.smaller_is_better else -1


def _weight(text: str, weight: str | None) -> float:
    try:
        value = 1.0 if weight is None else float(weight)
    except ValueError:
        value = math.nan
    if not (value > 0 and math.isfinite(value)):
        raise ParameterError(f'"{text}": the weight is "{weight}"; must be a number > 0')
    return value


@dataclass(frozen=True)
class WeightedObjective:
    """The weighted sum of goals, each relative to FCFS + EASY.

    The sign of a goal is negative if more is better.

    Args:
        goals: what is measured.
        absolute: whether means over all episodes are compared, to which episodes with very long
            queues contribute most; otherwise each episode is compared by itself, and all count the
            same.
    """

    goals: tuple[Goal, ...]
    absolute: bool = False

    @classmethod
    def parse(cls, texts: Sequence[str], *, absolute: bool = False) -> WeightedObjective:
        """Return the objective of goals such as ``0.3*utilisation``; a weight left out is 1."""
        goals = tuple(Goal.parse(text) for text in texts)
        names = [goal.name for goal in goals]
        for name in names:
            if names.count(name) > 1:
                raise ParameterError(f'metric "{name}" is given twice')
        if not goals:
            raise ParameterError("an evolution needs a metric")
        return cls(goals, absolute)

    def check(self, under_easy: Values) -> None:
        """Refuse metrics whose values under FCFS + EASY give nothing to compare with."""
        for goal, values in zip(self.goals, under_easy.T, strict=True):
            if not np.isfinite(values).all():
                raise ParameterError(f'metric "{goal.name}" has no value in some of the episodes')
            if not values.mean() > 0:
                raise ParameterError(
                    f'metric "{goal.name}" is {values.mean():g} under FCFS + EASY: there is '
                    "nothing to improve; take more or denser jobs"
                )

    def cost(self, values: Values, under_easy: Values) -> float:
        """Return the cost to minimise; that of FCFS + EASY is the sum of the signed weights."""
        signed = [goal.sign * goal.weight for goal in self.goals]
        if self.absolute:
            return float(np.dot(signed, values.mean(axis=0) / under_easy.mean(axis=0)))
        # If no job waits at all there is nothing to gain or to lose.
        relative = np.divide(values, under_easy, out=np.ones_like(values), where=under_easy > 0)
        return float(np.dot(signed, relative.mean(axis=0)))
