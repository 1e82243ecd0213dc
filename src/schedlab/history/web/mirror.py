"""The interface to the live mirror of a scheduler; the service is given an implementation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True)
class MirrorState:
    """The last state of a running scheduler, and the starts that its twin forecasts.

    Args:
        at: when it was read, in epoch seconds.
        cluster: the cluster of the scheduler.
        records: the records of all jobs that run and wait, with the reasons why they wait, as far
            as the standard record has items for what is known.
        starts: for each waiting job, by id: the beginning, middle and end of the interval, in
            epoch seconds.
    """

    at: float
    cluster: str
    records: Sequence[Mapping[str, Any]]
    starts: Mapping[str, tuple[float, float, float]]


class SiteMirror(Protocol):
    """Reads the mirror of a site."""

    def state(self) -> MirrorState | None:
        """Return the last state; None if no mirror runs."""
