"""Reservations of nodes, and times at which nodes are out of service."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from schedlab.platform.hostlist import expand_hosts
from schedlab.slurm.plain.jobs import TwinJob
from schedlab.slurm.plain.nodes import Selector
from schedlab.slurm.site import SlurmSite

FOR_EVER = 1 << 60


@dataclass(frozen=True, slots=True)
class ReservedNodes:
    """Nodes that only jobs of a reservation may use; times in whole seconds of Slurm's clock.

    Args:
        name: name of the reservation.
        begin_s: when it begins.
        end_s: when it ends.
        nodes: the numbers of its nodes.
        cores: reserved cores of each node; 0 for whole nodes.
    """

    name: str
    begin_s: int
    end_s: int
    nodes: frozenset[int]
    cores: int = 0


class SlurmCalendar:
    """The reservations that slurmctld knows of now, and the recorded drains and outages."""

    def __init__(self, site: SlurmSite, selector: Selector, epoch_s: int) -> None:
        self._numbers = {node.name: at for at, node in enumerate(selector.nodes)}
        self._cpus = [node.cpus for node in selector.nodes]
        cluster = site.machine.clusters[0]
        cores = {each.name: each.cores or 0 for each in site.reservations}
        self.reserved = [
            self._reserved(
                each.name,
                epoch_s + each.begin_s,
                FOR_EVER if each.end_s is None else epoch_s + each.end_s,
                each.nodes,
                cores.get(each.name, 0),
            )
            for each in cluster.reservations
        ]
        self.closings = [
            (each.begin_s, each.end_s, self.numbers(expand_hosts(each.nodes)), is_outage)
            for is_outage, intervals in ((False, cluster.drains), (True, cluster.outages))
            for each in intervals
        ]

    def numbers(self, hosts: tuple[str, ...]) -> frozenset[int]:
        """Return the nodes of these names."""
        return frozenset(self._numbers[host] for host in hosts if host in self._numbers)

    def add(self, settings: dict[str, str]) -> None:
        """Obey ``scontrol create reservation``."""
        self.reserved.append(self.reservation(settings))

    def reservation(self, settings: dict[str, str]) -> ReservedNodes:
        """Return the reserved nodes that the settings of a command describe."""
        begin = datetime.fromisoformat(settings["starttime"]).replace(tzinfo=UTC)
        begin_s = int(begin.timestamp())
        return self._reserved(
            settings["reservationname"],
            begin_s,
            begin_s + 60 * int(settings["duration"]),
            settings["nodes"],
            sum(map(int, settings.get("corecnt", "0").split(","))),
        )

    def _reserved(
        self, name: str, begin_s: int, end_s: int, hosts: str, cores: int
    ) -> ReservedNodes:
        """Return the reserved nodes, with their cores spread evenly.

        A reservation of all cores of its nodes is one of whole nodes.
        """
        nodes = self.numbers(expand_hosts(hosts))
        of_each = -(-cores // len(nodes)) if nodes else 0
        if of_each >= min((self._cpus[at] for at in nodes), default=0):
            of_each = 0
        return ReservedNodes(name, begin_s, end_s, nodes, of_each)

    def remove(self, name: str) -> None:
        """Obey ``scontrol delete``."""
        self.reserved = [each for each in self.reserved if each.name != name]

    def changes_s(self, epoch_s: int) -> list[float]:
        """Return when reservations begin and end, on the history's clock."""
        moments = [moment for each in self.reserved for moment in (each.begin_s, each.end_s)]
        return [float(moment - epoch_s) for moment in moments if moment != FOR_EVER]

    def barred(self, job: TwinJob, begin_s: int, end_s: int) -> set[int]:
        """Return the nodes that the job may not use between these whole seconds."""
        own = {each.name: each for each in self.reserved}.get(job.reservation or "")
        if own is not None:
            others = set(self._numbers.values())
            return others if begin_s > own.end_s else others - own.nodes
        found: set[int] = set()
        for each in self.reserved:
            if not each.cores and each.begin_s < end_s and each.end_s > begin_s:
                found |= each.nodes
        return found

    def kept_cores(
        self, job: TwinJob, begin_s: int, end_s: int, running: Iterable[TwinJob]
    ) -> dict[int, int]:
        """Return the free cores of nodes that the job may not use between these whole seconds.

        Jobs that end before a reservation begins may hold some of its cores.
        """
        found: Counter[int] = Counter()
        for each in self.reserved:
            if not each.cores or each.name == job.reservation:
                continue
            if each.begin_s < end_s and each.end_s > begin_s:
                found.update(dict.fromkeys(each.nodes, each.cores))
                for other in running:
                    if begin_s < other.limit_end_s <= each.begin_s:
                        for at in each.nodes & other.shares.keys():
                            found[at] -= other.shares[at].cpus
        return {at: cores for at, cores in found.items() if cores > 0}

    def lets(self, job: TwinJob, second: int) -> bool:
        """Return whether the reservation that the job asked for has begun, and not ended."""
        if job.reservation is None:
            return True
        return any(
            each.name == job.reservation and each.begin_s <= second < each.end_s
            for each in self.reserved
        )
