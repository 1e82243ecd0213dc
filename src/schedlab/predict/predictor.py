"""The contract of a predictor: subclass it, define two methods."""

from __future__ import annotations

from typing import Any, Self

from schedlab import _core
from schedlab._core import SubmittedJob
from schedlab.copies import clone_of
from schedlab.errors import PolicyError

__all__ = ["Predictor", "SubmittedJob"]


class Predictor(_core.Predictor):
    """Predicts how long jobs run, from those that have ended.

    Plans use the prediction; kills use the request. A job that outlives its prediction is expected
    to run a little longer, then longer and longer, up to its request; plans are remade each time.
    """

    def __new__(cls, *_: Any, **__: Any) -> Self:
        """Make the native part here: a subclass may forget ``super().__init__()``."""
        made = super().__new__(cls)
        _core.Predictor.__init__(made)
        return made

    def __init__(self) -> None:
        """Nothing to do: ``__new__`` has made the native part."""

    def begin(self) -> None:
        """Forget what was learnt in an earlier simulation; called before the first job."""

    def clone(self) -> Self:
        """Return a copy for a fork of the simulation; all attributes are copied deeply."""
        return clone_of(self)

    def __deepcopy__(self, memo: object) -> Self:
        return self.clone()

    def predict(self, job: SubmittedJob) -> float:
        """Return how many seconds the job will run; called when it becomes eligible.

        Less than a second counts as one, more than the request as the request.
        """
        raise PolicyError(f"{type(self).__name__} must define predict(self, job)")

    def learn(self, job: SubmittedJob, run_s: int) -> None:
        """Learn that the job has ended after a run time in seconds."""
        raise PolicyError(f"{type(self).__name__} must define learn(self, job, run_s)")
