"""The live mirror of a site's scheduler, as the service shows it; its maker puts one in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True)
class MirrorState:
    """What a running scheduler said last, and what its twin makes of it.

    Args:
        at: when it was read, in epoch seconds.
        cluster: whose scheduler.
        records: of all jobs that run and wait, with the reasons why they wait, as far as the
            standard record has items for what is known.
        starts: of jobs that wait, by id: the begin of the interval, the middle and the end, in
            epoch seconds.
    """

    at: float
    cluster: str
    records: Sequence[Mapping[str, Any]]
    starts: Mapping[str, tuple[float, float, float]]


class SiteMirror(Protocol):
    """Reads the mirror of a site."""

    def state(self) -> MirrorState | None:
        """Return what it said last; None where none runs."""
