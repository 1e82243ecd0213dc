"""Why jobs wait in the twin, in the words of squeue."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from schedlab.slurm.clocks import Clocks
from schedlab.slurm.native import SiteTables, native_controller
from schedlab.slurm.site import SlurmSite

Waiting = Mapping[int, str]
"""Why each job waits, by its place in the history."""


def waiting_at(site: SlurmSite, clocks: Clocks, moments_s: Iterable[float]) -> dict[float, Waiting]:
    """Replay the history, and return which jobs wait at each moment, and why.

    Args:
        site: a site with a history.
        clocks: the phases of slurmctld's loops.
        moments_s: the moments, on the clock of the history.
    """
    tables = SiteTables(site)
    controller = native_controller(tables.made(), clocks)
    reasons, found = tables.reasons(), dict[float, Waiting]()
    for moment_s in sorted(set(moments_s)):
        controller.run_until(moment_s)
        found[moment_s] = {job: reasons[reason] for job, reason in controller.wait_reasons()}
    return found
