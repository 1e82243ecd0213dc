"""A running Grid Engine, found by a folder that says where it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from schedlab.errors import PeerError
from schedlab.live.given import GivenPriorities
from schedlab.live.grid_engine.accounting import TAIL_BYTES, Accounting
from schedlab.live.grid_engine.cell import STEPS, GridEngineCell, read_cell
from schedlab.live.grid_engine.commands import GridEngineCommands
from schedlab.live.grid_engine.hand import HIGHEST, LOWEST, GridEngineHand
from schedlab.live.grid_engine.model import site_of
from schedlab.live.grid_engine.reader import GridEngineReader
from schedlab.live.peer import TIMEOUT_S, Bounds
from schedlab.live.queue import LiveJob
from schedlab.live.switch import LIVE, LOG
from schedlab.slurm.site import SlurmSite


@dataclass(frozen=True)
class GridEnginePeer:
    """A cell of Grid Engine.

    Args:
        folder: the folder of the site, with the file ``grid-engine.toml``.
    """

    folder: Path
    conf: Path | None = None
    scheduler = "Grid Engine"
    factor = "priority"

    @cached_property
    def engine(self) -> GridEngineCommands:
        """The commands."""
        return GridEngineCommands.find(self.folder)

    @cached_property
    def cell(self) -> GridEngineCell:
        """Queues, parallel environments and settings."""
        return read_cell(self.engine)

    @cached_property
    def site(self) -> SlurmSite:
        """The cell as a site for the twin."""
        return site_of(self.cell, self.name)

    @property
    def name(self) -> str:
        """The name of the installation."""
        return self.engine.name

    @property
    def bounds(self) -> Bounds:
        """How far priorities can be changed. Default: a tenth of what all weights together give."""
        weights = self.cell.weights
        own = STEPS if not weights.priority else int(STEPS + weights.steps(1.0, 1.0))
        return Bounds(max(1, own // 10), LOWEST, HIGHEST)

    def past(self) -> Iterable[LiveJob]:
        """Return the jobs of the accounting file, the latest ones; none if it cannot be read."""
        return self._past()

    def _past(self) -> Iterator[LiveJob]:
        try:
            yield from Accounting(self.engine.accounting, TAIL_BYTES).jobs()
        except PeerError:
            return

    def reader(
        self, timeout_s: float = TIMEOUT_S, *, with_factors: bool = False
    ) -> GridEngineReader:
        """Return a reader by qstat and qhost; the log has what steering has added to priorities."""
        given = GivenPriorities(self.folder / LIVE / LOG if with_factors else None)
        accounting = Accounting(self.engine.accounting)
        return GridEngineReader(self.engine, self.cell, accounting, given, timeout_s)

    def hand(self, timeout_s: float) -> GridEngineHand:
        """Return what sets priorities, by qalter."""
        return GridEngineHand(self.engine, self.cell, timeout_s)
