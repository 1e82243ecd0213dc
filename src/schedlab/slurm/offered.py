"""The twin of a site folder for a service: parameters for a form, and results for JSON."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from schedlab.errors import InputError, ParameterError
from schedlab.slurm.changes import changed_site, changes_told, parameter_named, present_values
from schedlab.slurm.more_nodes import nodes_told, with_more_nodes
from schedlab.slurm.periods import periods_of
from schedlab.slurm.replay import history_of, not_replayed, phases_of, replay_sites
from schedlab.slurm.scheduling import WITHIN
from schedlab.slurm.site import SlurmSite
from schedlab.slurm.site_folder import DETAILS, HISTORY, SLURM, read_site
from schedlab.slurm.what_if import compare_replays
from schedlab.slurm.written import written
from schedlab.version import __version__

GROUPS = {
    "priority": "Priorities",
    "select": "Nodes",
    "preempt": "Preemption",
    "control": "Limits and times",
}
BACKFILL, MAIN = "Backfill", "Main scheduler"
UNITS = {
    "seconds": "seconds",
    "plain minutes": "minutes",
    "short minutes": "days-hours:minutes:seconds",
    "time": "days-hours:minutes:seconds",
    "megabytes": "MiB",
    "words": "words, with commas",
    "enforce": "words, with commas",
    "weights": "such as cpu=1000,gres/gpu=5000",
}
PERCENT = range(101)
"""The percentiles of waits in a result."""


@dataclass(frozen=True)
class OfferedParameter:
    """A parameter of slurm.conf in a form.

    Args:
        name: the name that ``--set`` takes.
        label: the name without SchedulerParameters.
        value: the present value, as in slurm.conf.
        unit: how the value is written; empty where that is plain.
        choices: the possible values; empty for any.
    """

    name: str
    label: str
    value: str
    unit: str = ""
    choices: tuple[str, ...] = ()


class OfferedTwin:
    """The twin of a site folder, which answers what-if questions.

    A folder that has changed is read again.

    Args:
        folder: a folder that ``schedlab slurm import`` made, with a history.
    """

    def __init__(self, folder: str | Path) -> None:
        self._folder = Path(folder)
        self._known: tuple[str, SlurmSite] | None = None

    def version(self) -> str:
        """Return a text that changes with the folder and with the version of schedlab."""
        try:
            times = [(self._folder / name).stat().st_mtime_ns for name in (SLURM, HISTORY, DETAILS)]
        except OSError:
            raise InputError(
                f"{self._folder}: no site folder with a history; make one with: "
                "schedlab slurm import"
            ) from None
        return f"{__version__} {times}"

    def groups(self) -> dict[str, list[OfferedParameter]]:
        """Return all parameters that the twin uses, with their present values, by group."""
        found: dict[str, list[OfferedParameter]] = {BACKFILL: [], MAIN: []}
        for name, value in present_values(self._site()).items():
            _, section, field = parameter_named(name)
            kind, label = field.metadata["kind"], name.removeprefix(f"{WITHIN}.")
            group = GROUPS.get(section) or (BACKFILL if label.startswith("bf_") else MAIN)
            choices = ("YES", "NO") if kind in ("yes", "flag") else ()
            made = OfferedParameter(name, label, written(kind, value), UNITS.get(kind, ""), choices)
            found.setdefault(group, []).append(made)
        return found

    def checked(self, changes: Sequence[str], nodes: Sequence[str]) -> list[str]:
        """Return the changes under their full names.

        Raise ParameterError if nothing changes, or if a change or the nodes are wrong.
        """
        if not changes and not nodes:
            raise ParameterError("nothing is changed; give another value or more nodes")
        site = self._site()
        with_more_nodes(changed_site(site, changes), nodes)
        pairs = [change.partition("=") for change in changes]
        return [f"{parameter_named(name)[0]}={text.strip()}" for name, _, text in pairs]

    def what_if(
        self,
        changes: Sequence[str],
        nodes: Sequence[str],
        phases: int,
        seed: int,
        progress: Callable[[float], None],
    ) -> dict[str, Any]:
        """Replay the history with and without the changes, and return the results for JSON.

        Args:
            changes: changed parameters, such as ``PriorityWeightAge=1000``.
            nodes: nodes to add, such as ``16:gpu``.
            phases: number of draws of the phases of slurmctld's loops.
            seed: seed of the draws.
            progress: called with the share that is done; what it raises ends the replays.
        """
        site = self._site()
        self.checked(changes, nodes)
        other = with_more_nodes(changed_site(site, changes), nodes)
        before, after = replay_sites(
            [(each, phases_of(each, phases, seed)) for each in (site, other)],
            lambda done: progress(done / phases / 2),
        )
        try:
            found = compare_replays(site, before, after)
        except InputError as error:  # the user can do something about it: ask for another change
            raise ParameterError(str(error)) from None
        return {
            "cluster": site.parameters.cluster_name,
            "slurm": site.parameters.version,
            "jobs": len(history_of(site).workload),
            "changes": [*changes_told(site, changes), *nodes_told(nodes)],
            "unit": periods_of(site).unit,
            "rows": [row.as_json() for row in found.rows],
            "waits_s": found.waits.quantiles(PERCENT),
            "not_replayed": not_replayed(site),
            "version": __version__,
        }

    def _site(self) -> SlurmSite:
        version = self.version()
        if self._known is None or self._known[0] != version:
            site = read_site(self._folder)
            history_of(site)
            self._known = version, site
        return self._known[1]
