"""Change the priorities of waiting jobs through slurmrestd: only their nice values."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote

from schedlab.live.slurm.hand import require_change, require_factors, told_level
from schedlab.live.slurm.rest import SlurmRest
from schedlab.slurm.site import SlurmSite


@dataclass(frozen=True)
class RestHand:
    """Sets nice values: slurmrestd of 22.05 cannot set site factors.

    Args:
        rest: slurmrestd.
        site: the cluster's settings, as imported: slurmrestd does not give them.
        timeout_s: how long slurmctld may take.
    """

    rest: SlurmRest
    site: SlurmSite
    timeout_s: float = 10.0

    def set_factor(self, handle: str, factor: int) -> None:
        """Add to the priority of a waiting job, by a nice value of the opposite sign.

        PeerError if Slurm refuses.
        """
        require_change(handle, factor)
        self.rest.post(f"job/{quote(handle)}", {"nice": -factor}, self.timeout_s)

    def check_rights(self) -> str:
        """Return what rights the token has; InputError if it cannot, or must not, steer."""
        require_factors(self.site.parameters.priority.type)
        name = self.rest.user
        if name in ("root", "slurm"):
            return f"{name} may do anything to Slurm; an account with AdminLevel=Operator is enough"
        answer = self.rest.get_accounting(f"user/{name}", self.timeout_s)
        users = [each for each in answer.get("users") or () if isinstance(each, dict)]
        level = str(users[0].get("administrator_level") or "None") if users else "None"
        return told_level(name, level)
