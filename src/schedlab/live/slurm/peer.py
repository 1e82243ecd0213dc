"""A running Slurm, found by the folder of its site."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from schedlab.live.peer import TIMEOUT_S, Bounds
from schedlab.live.queue import LiveJob
from schedlab.live.slurm.hand import LARGEST, SlurmHand
from schedlab.live.slurm.reader import SlurmReader
from schedlab.slurm.real_slurm import RealSlurm
from schedlab.slurm.site import SlurmSite
from schedlab.slurm.site_folder import read_site


@dataclass(frozen=True)
class SlurmPeer:
    """A cluster under Slurm.

    Args:
        folder: the folder of the site.
        conf: the slurm.conf. Default: as Slurm finds it.
        twin: the folder that ``schedlab slurm import`` has made. Default: that of the site.
    """

    folder: Path
    conf: Path | None = None
    twin: Path | None = None
    scheduler = "Slurm"
    factor = "site factor"

    @cached_property
    def slurm(self) -> RealSlurm:
        """The commands."""
        return RealSlurm.find(self.conf)

    @cached_property
    def site(self) -> SlurmSite:
        """The site, as imported."""
        return read_site(self.twin or self.folder)

    @property
    def name(self) -> str:
        """The name of the cluster in slurm.conf."""
        return self.slurm.config.get("ClusterName", "?")

    @property
    def bounds(self) -> Bounds:
        """How far priorities can be changed. Default: a tenth of what all weights together give."""
        return Bounds(default_clamp(self.site), -LARGEST, LARGEST)

    def past(self) -> Iterable[LiveJob]:
        """Return no jobs: the site has its history."""
        return ()

    def reader(self, timeout_s: float = TIMEOUT_S, *, with_factors: bool = False) -> SlurmReader:
        """Return a reader by squeue, sinfo and sshare, and by sprio for site factors."""
        return SlurmReader(self.slurm, timeout_s, with_factors)

    def hand(self, timeout_s: float) -> SlurmHand:
        """Return what sets site factors, by scontrol."""
        return SlurmHand(self.slurm, timeout_s)


def default_clamp(site: SlurmSite) -> int:
    """Return a tenth of what all weights of the priority together can give; at least 1."""
    own = site.parameters.priority
    weights = (
        *(own.weight_age, own.weight_assoc, own.weight_fairshare, own.weight_job_size),
        *(own.weight_partition, own.weight_qos),
    )
    return max(1, int(sum(weights)) // 10)
