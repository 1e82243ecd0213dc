"""A running scheduler as the layers above know it: its reader, and what changes priorities."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from schedlab.live.queue import LiveJob, Reading
from schedlab.slurm.site import SlurmSite

TIMEOUT_S = 30.0
"""How long a scheduler may take to answer one request."""
Ended = tuple[str, int | None, int | None]
"""How a job ended: the state, the start and the end."""


class SchedulerReader(Protocol):
    """Reads a running scheduler."""

    def read(self) -> Reading:
        """Return its state now; PeerError if it does not answer."""

    def ended(self, names: Sequence[str]) -> dict[str, Ended]:
        """Return how jobs that left the queue have ended; unknown jobs are left out.

        PeerError if accounting does not answer.
        """


class Hand(Protocol):
    """Changes priorities of waiting jobs, and nothing else."""

    def set_factor(self, handle: str, factor: int) -> None:
        """Set what is added to the priority of a waiting job; PeerError if it is refused."""

    def check_rights(self) -> str:
        """Return what rights this account has; InputError if it cannot, or must not, steer."""


@dataclass(frozen=True)
class Bounds:
    """How far a scheduler allows priorities to be changed.

    Args:
        clamp: the largest change, unless another is given.
        lowest: the lowest value that can be set.
        highest: the highest value that can be set.
    """

    clamp: int
    lowest: int = -(2**30)
    highest: int = 2**30


class Peer(Protocol):
    """A running scheduler, found by a site folder."""

    scheduler: str
    """Its usual name."""
    factor: str
    """The usual name of the value that is added to a priority."""

    @property
    def conf(self) -> Path | None:
        """What ``connect`` needs beside the folder."""

    @property
    def name(self) -> str:
        """The name of the cluster."""

    @property
    def site(self) -> SlurmSite:
        """The twin's model of it: nodes, partitions, and how its scheduler decides."""

    @property
    def bounds(self) -> Bounds:
        """How far priorities can be changed."""

    def past(self) -> Iterable[LiveJob]:
        """Return jobs that have ended, beside those of the site's history, to learn from."""

    def reader(
        self, timeout_s: float = TIMEOUT_S, *, with_factors: bool = False
    ) -> SchedulerReader:
        """Return its reader; ``with_factors`` also reads what steering has added to priorities."""

    def hand(self, timeout_s: float) -> Hand:
        """Return what changes priorities."""
