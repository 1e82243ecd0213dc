"""Change the priorities of waiting jobs of a running Slurm: nothing else, and never by a shell."""

from __future__ import annotations

import os
import pwd
import re
from dataclasses import dataclass

from schedlab.errors import InputError, PeerError
from schedlab.slurm.real_slurm import RealSlurm

_HANDLE = re.compile(r"\d+(?:_\d+|_\[[\d,:-]+\])?")
LARGEST = 2**30
"""Slurm keeps a factor in 32 bits, with an offset."""


@dataclass(frozen=True)
class SlurmHand:
    """Sets site factors.

    Args:
        slurm: the cluster.
        timeout_s: how long slurmctld may take.
    """

    slurm: RealSlurm
    timeout_s: float = 10.0

    def set_factor(self, handle: str, factor: int) -> None:
        """Set the site factor of a waiting job; PeerError if Slurm refuses."""
        require_change(handle, factor)
        self.slurm.run(
            *("scontrol", "update", f"JobId={handle}", f"SiteFactor={factor}"),
            timeout_s=self.timeout_s,
        )

    def check_rights(self) -> str:
        """Return what rights this account has; InputError if it cannot, or must not, steer."""
        config = self.slurm.config
        require_factors(config.get("PriorityType", "not known"))
        plugin = config.get("PrioritySiteFactorPlugin", "(null)")
        if plugin not in ("(null)", "", "none", "site_factor/none"):
            raise InputError(f"PrioritySiteFactorPlugin={plugin} sets site factors itself")
        name = pwd.getpwuid(os.geteuid()).pw_name
        if name == "root" or config.get("SlurmUser", "").partition("(")[0] == name:
            return f"{name} may do anything to Slurm; an account with AdminLevel=Operator is enough"
        text = self.slurm.run(
            *("sacctmgr", "--noheader", "--parsable2", "show", "user", name, "format=AdminLevel"),
            timeout_s=self.timeout_s,
        )
        return told_level(name, text.strip() or "None")


def require_change(handle: str, factor: int) -> None:
    """Refuse a handle that is not a job id, and a factor that Slurm cannot store."""
    if not _HANDLE.fullmatch(handle):
        raise PeerError(f"{handle!r} is not a job id")
    if abs(factor) > LARGEST:
        raise PeerError(f"site factor {factor}; must be from -{LARGEST:,} to {LARGEST:,}")


def require_factors(priority_type: str) -> None:
    """Refuse a Slurm without multifactor priorities."""
    if not priority_type.endswith("multifactor"):
        raise InputError(f"PriorityType is {priority_type}; steering needs priority/multifactor")


def told_level(name: str, level: str) -> str:
    """Return what an administrator level allows; InputError if that is too little."""
    if level == "Operator":
        return f"{name} has AdminLevel=Operator"
    if level == "Administrator":
        return f"{name} has AdminLevel=Administrator; Operator is enough"
    raise InputError(
        f"{name} has AdminLevel={level} and cannot raise priorities; allow it with: "
        f"sacctmgr modify user {name} set AdminLevel=Operator"
    )
