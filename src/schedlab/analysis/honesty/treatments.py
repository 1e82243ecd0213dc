"""Ways to change one user's requests while all other jobs stay as they are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schedlab.workload import Workload

PADDING = 5


@dataclass(frozen=True)
class Treatment:
    """A rule for new requests, never shorter than the run time, so that no job is killed."""

    sentence: str
    request_s: Callable[[Workload], NDArray[Any]]

    def of(self, workload: Workload, user: int) -> Workload:
        """Return the workload with only this user's requests changed."""
        mine = workload["user"] == user
        asked_s = np.where(mine, self.request_s(workload), workload["request_s"])
        return workload.replace(request_s=asked_s)

    def changes(self, workload: Workload, user: int) -> bool:
        """Return whether the treatment changes any request of this user."""
        return not np.array_equal(self.of(workload, user)["request_s"], workload["request_s"])


def _accurate(workload: Workload) -> NDArray[Any]:
    return np.maximum(workload["run_s"], 1)


def _padded(workload: Workload) -> NDArray[Any]:
    asked_s = workload["request_s"]
    return np.asarray(np.minimum(PADDING * asked_s, asked_s.max(initial=1)))


TREATMENTS: dict[str, Treatment] = {
    "accurate": Treatment("Asks for the run time, at least 1 s.", _accurate),
    "padded": Treatment(
        f"Asks for {PADDING} times as much, at most the longest request of all.", _padded
    ),
}


def without_kills(workload: Workload) -> Workload:
    """Return the same jobs, with run times cut at their requests.

    A job then runs equally long whatever its request is, so that before and after can be compared.
    """
    return workload.replace(run_s=np.minimum(workload["run_s"], workload["request_s"]))
