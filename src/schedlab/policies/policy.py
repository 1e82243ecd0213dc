"""The contract of a policy: subclass one of these two, define one method."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import ArrayLike

from schedlab import _core
from schedlab._core import Queue, Running, View
from schedlab.errors import PolicyError
from schedlab.predict import ChosenPredictor, choose_predictor

__all__ = ["ChosenPolicy", "Order", "Policy", "Queue", "Running", "View"]


class Policy(_core.Policy):
    """Decides at each pass which waiting jobs start.

    A pass comes whenever a job has been submitted, has ended or was withdrawn. What the method
    neither starts nor reserves simply goes on waiting.
    """

    def schedule(self, view: View) -> None:
        """Start (``view.start``) or reserve (``view.reserve``) jobs of ``view.queue``."""
        raise PolicyError(f"{type(self).__name__} must define schedule(self, view)")


class Order(_core.Order):
    """Scores the waiting jobs; the core backfills in that order, whichever way is chosen."""

    def score(self, queue: Queue) -> ArrayLike:
        """One number per waiting job, smaller first; equal numbers by arrival."""
        raise PolicyError(f"{type(self).__name__} must define score(self, queue)")


@dataclass(frozen=True)
class ChosenPolicy:
    """A policy ready to run, with the full name that results record."""

    name: str
    core: _core.Policy
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """What the name set, such as ``depth``."""
    predictor: ChosenPredictor = field(default_factory=lambda: choose_predictor("request"))
