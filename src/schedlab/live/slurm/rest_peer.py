"""A running Slurm behind slurmrestd, found by the folder of its site."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from schedlab.errors import InputError
from schedlab.live.given import GivenPriorities
from schedlab.live.peer import TIMEOUT_S, Bounds
from schedlab.live.queue import LiveJob, Owner
from schedlab.live.slurm.hand import LARGEST
from schedlab.live.slurm.peer import default_clamp
from schedlab.live.slurm.reader import read_usage
from schedlab.live.slurm.rest import SlurmRest
from schedlab.live.slurm.rest_hand import RestHand
from schedlab.live.slurm.rest_reader import RestReader
from schedlab.live.slurm.token import read_token
from schedlab.live.switch import LIVE, LOG
from schedlab.slurm.real_slurm import RealSlurm
from schedlab.slurm.site import SlurmSite
from schedlab.slurm.site_folder import read_site


@dataclass(frozen=True)
class RestPeer:
    """A cluster under Slurm that is asked through slurmrestd.

    Args:
        folder: the folder of the site, with the file ``slurmrestd.toml``.
        conf: the slurm.conf, for ``sshare``. Default: as Slurm finds it.
        twin: the folder that ``schedlab slurm import`` has made. Default: that of the site.
    """

    folder: Path
    conf: Path | None = None
    twin: Path | None = None
    scheduler = "Slurm"
    factor = "change of nice"

    @cached_property
    def rest(self) -> SlurmRest:
        """The slurmrestd to ask."""
        return SlurmRest.find(self.folder)

    @cached_property
    def site(self) -> SlurmSite:
        """The site, as imported."""
        return read_site(self.twin or self.folder)

    @property
    def name(self) -> str:
        """The name of the cluster, as imported."""
        return self.site.machine.clusters[0].name

    @property
    def bounds(self) -> Bounds:
        """How far priorities can be changed. Default: a tenth of what all weights together give."""
        return Bounds(default_clamp(self.site), -LARGEST, LARGEST)

    def past(self) -> Iterable[LiveJob]:
        """Return no jobs: the site has its history."""
        return ()

    def reader(self, timeout_s: float = TIMEOUT_S, *, with_factors: bool = False) -> RestReader:
        """Return a reader by slurmrestd; the log has what steering has done to nice values."""
        given = GivenPriorities(self.folder / LIVE / LOG) if with_factors else None
        return RestReader(self.rest, lambda: self._usage(timeout_s), timeout_s, given)

    def hand(self, timeout_s: float) -> RestHand:
        """Return what sets nice values, by slurmrestd."""
        return RestHand(self.rest, self.site, timeout_s)

    def _usage(self, timeout_s: float) -> Mapping[Owner, float]:
        """Ask sshare, with the same token; empty where the command is not installed."""
        try:
            environment = dict(os.environ, TZ="UTC", SLURM_JWT=read_token(self.rest.token))
        except InputError:
            return {}
        if self.conf is not None:
            environment["SLURM_CONF"] = str(self.conf.resolve())
        return read_usage(RealSlurm(environment), timeout_s)
