"""A Slurm site: everything from which the twin of its slurmctld is made."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from schedlab.errors import PlatformError
from schedlab.platform.platform import Platform
from schedlab.slurm.accounts import Accounts
from schedlab.slurm.clocks import Clocks
from schedlab.slurm.commands import Command
from schedlab.slurm.details import checked_details
from schedlab.slurm.layout import NodeLayout, PartitionRules, ReservationRules, Switch
from schedlab.slurm.parameters import SlurmParameters
from schedlab.workload.workload import Workload

if TYPE_CHECKING:
    import polars as pl


class SlurmHistory:
    """The jobs of a site: a workload, and what only Slurm knows of each job.

    Args:
        workload: the jobs; time 0 is ``UnixStartTime`` of its header.
        details: a row for each job, in the same order; see ``DETAILS``.
        commands: the commands given to Slurm meanwhile, in order of time.
        clocks: the phases of slurmctld's loops, if known from a log.
        begin_s: the time from which the twin decides. Default: the first submission; the first end
            if jobs ran before the history begins.
    """

    def __init__(
        self,
        workload: Workload,
        details: pl.DataFrame,
        commands: tuple[Command, ...] = (),
        clocks: Clocks | None = None,
        begin_s: float | None = None,
    ) -> None:
        self.workload = workload
        self.details = checked_details(details, len(workload))
        self.commands = commands
        self.clocks = clocks
        self._begin_s = begin_s

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SlurmHistory):
            return NotImplemented
        return (
            self.workload == other.workload
            and self.workload.labels == other.workload.labels
            and self.details.equals(other.details)
            and self.commands == other.commands
            and self.clocks == other.clocks
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"SlurmHistory({len(self.workload):,} jobs)"

    @property
    def epoch_s(self) -> int | None:
        """The moment of time 0; None if unknown."""
        told: Any = self.workload.header.get("UnixStartTime", ())
        return int(told[0]) if told else None

    @property
    def begin_s(self) -> float:
        """The time from which the twin decides."""
        if self._begin_s is not None:
            return self._begin_s
        ran = self.details["ran_before"].any()
        first: Any = self.details["end_s" if ran else "submit_s"].min()
        return float(first or 0.0)


@dataclass(frozen=True)
class SlurmSite:
    """A Slurm site, which ``schedlab slurm import`` makes from a dump.

    Nodes are numbered in the order of Slurm's own table: by name, with numbers compared by value.

    Args:
        machine: nodes, partitions, licences, reservations and outages, as every policy knows them.
        parameters: the settings of slurmctld.
        accounts: associations, users and QOS.
        partitions: what only Slurm knows of each partition, in the order of slurm.conf.
        nodes: what only Slurm knows of the nodes.
        switches: topology.conf, in its order.
        reservations: what only Slurm knows of each reservation of the machine.
        history: the jobs; None for a site without a history.
        conf: the texts of slurm.conf and of the files that it includes, by name; for diffs.
    """

    machine: Platform
    parameters: SlurmParameters = field(default_factory=SlurmParameters)
    accounts: Accounts = field(default_factory=Accounts)
    partitions: tuple[PartitionRules, ...] = ()
    nodes: tuple[NodeLayout, ...] = ()
    switches: tuple[Switch, ...] = ()
    reservations: tuple[ReservationRules, ...] = ()
    history: SlurmHistory | None = None
    conf: dict[str, str] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        if len(self.machine.clusters) != 1:
            raise PlatformError("a Slurm site has one cluster")
        known = {each.name for each in self.machine.clusters[0].partitions}
        for each in self.partitions:
            if each.name not in known:
                raise PlatformError(f'partition "{each.name}" has rules, but no nodes')
