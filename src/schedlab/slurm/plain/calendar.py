"""Reservations of nodes, and times at which nodes are out of service."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from schedlab.platform.hostlist import expand_hosts
from schedlab.slurm.plain.jobs import TwinJob
from schedlab.slurm.plain.nodes import Selector
from schedlab.slurm.site import SlurmSite

FOR_EVER = 1 << 60


@dataclass(frozen=True, slots=True)
class ReservedNodes:
    """Nodes that only jobs of a reservation may use, in whole seconds of Slurm's clock."""

    name: str
    begin_s: int
    end_s: int
    nodes: frozenset[int]


class SlurmCalendar:
    """The reservations that slurmctld knows of now, and drains and outages as they came."""

    def __init__(self, site: SlurmSite, selector: Selector, epoch_s: int) -> None:
        self._numbers = {node.name: at for at, node in enumerate(selector.nodes)}
        cluster = site.machine.clusters[0]
        of_cores = {each.name for each in site.reservations if each.cores}
        self.reserved = [
            ReservedNodes(
                each.name,
                epoch_s + each.begin_s,
                FOR_EVER if each.end_s is None else epoch_s + each.end_s,
                self.numbers(expand_hosts(each.nodes)),
            )
            for each in cluster.reservations
            if each.name not in of_cores
        ]
        self.closings = [
            (each.begin_s, each.end_s, self.numbers(expand_hosts(each.nodes)), is_outage)
            for is_outage, intervals in ((False, cluster.drains), (True, cluster.outages))
            for each in intervals
        ]

    def numbers(self, hosts: tuple[str, ...]) -> frozenset[int]:
        """The nodes of these names."""
        return frozenset(self._numbers[host] for host in hosts if host in self._numbers)

    def add(self, settings: dict[str, str]) -> None:
        """``scontrol create reservation``."""
        if (made := self.reservation(settings)) is not None:
            self.reserved.append(made)

    def reservation(self, settings: dict[str, str]) -> ReservedNodes | None:
        """What is to be created; None for one of cores, which bars no whole node."""
        if "corecnt" in settings:
            return None
        begin = datetime.fromisoformat(settings["starttime"]).replace(tzinfo=UTC)
        begin_s = int(begin.timestamp())
        return ReservedNodes(
            settings["reservationname"],
            begin_s,
            begin_s + 60 * int(settings["duration"]),
            self.numbers(expand_hosts(settings["nodes"])),
        )

    def remove(self, name: str) -> None:
        """``scontrol delete``."""
        self.reserved = [each for each in self.reserved if each.name != name]

    def changes_s(self, epoch_s: int) -> list[float]:
        """When reservations begin and end, on the history's clock."""
        moments = [moment for each in self.reserved for moment in (each.begin_s, each.end_s)]
        return [float(moment - epoch_s) for moment in moments if moment != FOR_EVER]

    def barred(self, job: TwinJob, begin_s: int, end_s: int) -> set[int]:
        """Nodes that the job may not use between these whole seconds."""
        own = {each.name: each for each in self.reserved}.get(job.reservation or "")
        if own is not None:
            return set(self._numbers.values()) - own.nodes
        found: set[int] = set()
        for each in self.reserved:
            if each.begin_s < end_s and each.end_s > begin_s:
                found |= each.nodes
        return found

    def lets(self, job: TwinJob, second: int) -> bool:
        """Whether the reservation that the job asked for has begun, and not ended."""
        if job.reservation is None:
            return True
        return any(
            each.name == job.reservation and each.begin_s <= second < each.end_s
            for each in self.reserved
        )
