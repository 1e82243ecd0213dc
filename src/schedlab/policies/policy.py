"""The contract of a policy: subclass one of these two, define one method."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from numpy.typing import ArrayLike

from schedlab import _core
from schedlab._core import Queue, Running, View
from schedlab.errors import ParameterError, PolicyError
from schedlab.predict import ChosenPredictor, choose_predictor

__all__ = [
    "ChosenPolicy",
    "Order",
    "Policy",
    "Queue",
    "Running",
    "View",
    "require_coallocating",
]


class Policy(_core.Policy):
    """Decides at each pass which waiting jobs start.

    A pass comes whenever a job has been submitted, has ended or was withdrawn. What the method
    neither starts nor reserves simply goes on waiting.
    """

    coallocates: ClassVar[bool] = False
    """Whether it plans by ``view.needs``, and so can have jobs that name clusters."""

    def begin(self) -> None:
        """Called before a simulation: forget any earlier one."""

    def facts(self) -> Mapping[str, float]:
        """What it has counted, for the schedule's provenance."""
        return {}

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


def require_coallocating(chosen: ChosenPolicy) -> None:
    """Refuse a policy that plans one pool of nodes, where jobs need nodes of named clusters."""
    if not getattr(chosen.core, "coallocates", False):
        raise ParameterError(
            f"policy {chosen.name} plans one pool of nodes, but these jobs need nodes of named "
            "clusters; take reserve, coalloc, or a Policy of yours with coallocates = True"
        )
