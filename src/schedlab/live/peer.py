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
        """Look at it now; PeerError if it does not answer."""

    def ended(self, names: Sequence[str]) -> dict[str, Ended]:
        """Return how jobs ended that are gone from the queue; those it does not know are left out.

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
    """What a scheduler allows to be added to a priority.

    Args:
        clamp: the largest change, unless another is given.
        lowest: that can be set.
        highest: that can be set.
    """

    clamp: int
    lowest: int = -(2**30)
    highest: int = 2**30


class Peer(Protocol):
    """A running scheduler, found by a site folder."""

    scheduler: str
    """What people call it."""
    factor: str
    """What people call that which is added to a priority."""

    @property
    def conf(self) -> Path | None:
        """What ``connect`` needs beside the folder."""

    @property
    def name(self) -> str:
        """What the cluster is called."""

    @property
    def site(self) -> SlurmSite:
        """The twin's idea of it: nodes, partitions, and how its scheduler decides."""

    @property
    def bounds(self) -> Bounds:
        """How far priorities can be changed."""

    def past(self) -> Iterable[LiveJob]:
        """Return jobs that have ended, beside those of the site's history, to learn from."""

    def reader(
        self, timeout_s: float = TIMEOUT_S, *, with_factors: bool = False
    ) -> SchedulerReader:
        """Return its reader; with what steering has added to priorities if that is asked for."""

    def hand(self, timeout_s: float) -> Hand:
        """Return what changes priorities."""
