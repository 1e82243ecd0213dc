"""Change the priorities of waiting jobs of a running Grid Engine, and nothing else."""

from __future__ import annotations

import os
import pwd
import re
from dataclasses import dataclass

from schedlab.errors import InputError, PeerError
from schedlab.live.grid_engine.cell import GridEngineCell
from schedlab.live.grid_engine.commands import GridEngineCommands

_HANDLE = re.compile(r"\d+")
LOWEST, HIGHEST = -1023, 1024


@dataclass(frozen=True)
class GridEngineHand:
    """Sets priorities with ``qalter -p``.

    Args:
        engine: the commands.
        cell: the settings of the cell.
        timeout_s: how long qmaster may take.
    """

    engine: GridEngineCommands
    cell: GridEngineCell
    timeout_s: float = 10.0

    def set_factor(self, handle: str, factor: int) -> None:
        """Set the priority of a waiting job; PeerError if Grid Engine refuses."""
        if not _HANDLE.fullmatch(handle):
            raise PeerError(f"{handle!r} is not a job id")
        if not LOWEST <= factor <= HIGHEST:
            raise PeerError(f"priority {factor}; must be from {LOWEST} to {HIGHEST}")
        self.engine.run("qalter", "-p", str(factor), handle, timeout_s=self.timeout_s)

    def check_rights(self) -> str:
        """Return what rights this account has; InputError if it cannot, or must not, steer."""
        if not self.cell.weights.priority:
            raise InputError(
                "weight_priority is 0: a priority set with qalter -p counts for nothing; set it "
                "with: qconf -msconf"
            )
        name = pwd.getpwuid(os.geteuid()).pw_name
        if name in self.engine.ask("qconf", "-sm", timeout_s=self.timeout_s).split():
            return f"{name} is a manager of Grid Engine; an operator is enough"
        if name in self.engine.ask("qconf", "-so", timeout_s=self.timeout_s).split():
            return f"{name} is an operator of Grid Engine"
        raise InputError(
            f"{name} is not an operator of Grid Engine and cannot raise priorities; allow it with: "
            f"qconf -ao {name}"
        )
