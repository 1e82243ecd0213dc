"""The contract of a policy: subclass one of these two, define one method."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from schedlab import _core
from schedlab._core import Queue, Running, View
from schedlab.copies import clone_of
from schedlab.errors import ParameterError, PolicyError
from schedlab.predict import ChosenPredictor, find_predictor

__all__ = [
    "CheckedOrder",
    "ChosenPolicy",
    "Order",
    "Policy",
    "Queue",
    "Running",
    "View",
    "require_plans_nodes",
]

_SHOWN = 40
"""The longest wrong answer that an error repeats, in letters."""


class Policy(_core.Policy):
    """Decides at each pass which waiting jobs start.

    A pass comes whenever a job has been submitted, has ended or was withdrawn. A job that the
    method neither starts nor reserves goes on waiting.
    """

    counts_nodes: ClassVar[bool] = False
    """Whether it plans numbers of whole nodes, and so cannot schedule jobs that share nodes."""

    def __new__(cls, *_: Any, **__: Any) -> Self:
        """Make the native part here: a subclass may forget ``super().__init__()``."""
        made = super().__new__(cls)
        _core.Policy.__init__(made)
        return made

    def __init__(self) -> None:
        """Nothing to do: ``__new__`` has made the native part."""

    def begin(self) -> None:
        """Forget any earlier simulation; called before each."""

    def clone(self) -> Self:
        """Return a copy for a fork of the simulation, with all that it keeps between passes.

        All attributes are copied deeply; override this method if some should be shared.
        """
        return clone_of(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.clone()

    def counters(self) -> Mapping[str, float]:
        """Return what the policy has counted, for the schedule's provenance."""
        return {}

    def schedule(self, view: View) -> None:
        """Start (``view.start``) or reserve (``view.reserve``) jobs of ``view.queue``."""
        raise PolicyError(f"{type(self).__name__} must define schedule(self, view)")


class Order(_core.Order):
    """Scores the waiting jobs; the core backfills in that order, whichever way is chosen."""

    def __new__(cls, *_: Any, **__: Any) -> Self:
        """Make the native part here: a subclass may forget ``super().__init__()``."""
        made = super().__new__(cls)
        _core.Order.__init__(made)
        return made

    def __init__(self) -> None:
        """Nothing to do: ``__new__`` has made the native part."""

    def clone(self) -> Self:
        """Return a copy for a fork of the simulation; all attributes are copied deeply."""
        return clone_of(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.clone()

    def score(self, queue: Queue) -> ArrayLike:
        """Return one number per waiting job, smaller first; equal numbers by arrival."""
        raise PolicyError(f"{type(self).__name__} must define score(self, queue)")


class CheckedOrder(Order):
    """Wraps an order, and checks its scores before the core gets them."""

    def __init__(self, order: Order) -> None:
        """Take the order."""
        self._order = order

    def score(self, queue: Queue) -> ArrayLike:
        """Return the order's scores, which must be one number per waiting job."""
        scores = self._order.score(queue)
        numbers = _as_array(scores)
        if numbers is None or numbers.dtype.kind not in "biuf" or numbers.ndim != 1:
            what = f"{scores!r}".partition("\n")[0]
            what = what if len(what) <= _SHOWN else f"a {type(scores).__name__}"
            if numbers is not None and numbers.ndim > 1:
                what += f" of shape {numbers.shape}"
            raise PolicyError(f"score returned {what}; must return one number per waiting job")
        return numbers


def _as_array(scores: Any) -> NDArray[Any] | None:
    try:
        return np.asarray(scores)
    except ValueError:  # rows of different lengths
        return None


@dataclass(frozen=True)
class ChosenPolicy:
    """A policy ready to run, with the full name that results record."""

    name: str
    core: _core.Policy
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """What the name set, such as ``depth``."""
    predictor: ChosenPredictor = field(default_factory=lambda: find_predictor("request"))

    def clone(self) -> ChosenPolicy:
        """Return a copy with a policy of its own, for a fork of the simulation."""
        return replace(self, core=self.core.clone())


def require_plans_nodes(chosen: ChosenPolicy, *, counted: bool) -> None:
    """Refuse a policy that cannot plan the nodes of this machine.

    Args:
        chosen: the policy.
        counted: whether jobs take whole nodes of clusters or partitions without common nodes.
    """
    if isinstance(chosen.core, _core.Pinned):
        raise ParameterError(
            f"policy {chosen.name} plans whole nodes of one pool that does not change, but these "
            "jobs share nodes, or may have only some of them, or nodes fail; take easy, "
            "conservative, all-reserved or one-reserved"
        )
    if not counted and getattr(chosen.core, "counts_nodes", False):
        raise ParameterError(
            f"policy {chosen.name} counts whole nodes, but these jobs share nodes, or have "
            "partitions that overlap; take plain conservative"
        )
