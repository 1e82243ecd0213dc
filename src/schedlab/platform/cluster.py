"""Nodes under one scheduler."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

from schedlab.errors import PlatformError, SchedlabError
from schedlab.platform.checks import require_name, require_unlike
from schedlab.platform.intervals import Drain, NodeInterval, Outage, Reservation
from schedlab.platform.node_group import NodeGroup
from schedlab.platform.node_names import NodeNames, numbers_text
from schedlab.platform.node_type import NodeType
from schedlab.platform.partition import Partition
from schedlab.platform.power import NodePower
from schedlab.sections import from_keywords

MAX_NODES = 1 << 24


@dataclass(frozen=True)
class Cluster:
    """Groups of nodes, the partitions they are in, and when they are not open to all.

    Args:
        name: the name in jobs and tables.
        groups: the nodes, numbered through the groups in order.
        site: the place that the cluster is in.
        partitions: sets of nodes; without any, all jobs may have all nodes.
        outages: when nodes are down.
        drains: when nodes take no new jobs.
        reservations: when nodes are for some users or accounts only.
    """

    name: str = "cluster"
    groups: tuple[NodeGroup, ...] = ()
    site: str = "site"
    partitions: tuple[Partition, ...] = ()
    outages: tuple[Outage, ...] = ()
    drains: tuple[Drain, ...] = ()
    reservations: tuple[Reservation, ...] = ()

    def __post_init__(self) -> None:
        require_name("name of a cluster", self.name)
        require_name("site of a cluster", self.site)
        self._check()

    @classmethod
    def homogeneous(
        cls, nodes: int, name: str = "cluster", *, site: str = "site", **node: Any
    ) -> Cluster:
        """Make equal nodes without names; ``node`` has the settings of their ``NodeType``."""
        return cls(name, (NodeGroup(from_keywords(NodeType, node), nodes),), site)

    @cached_property
    def nodes(self) -> int:
        """The number of nodes."""
        return sum(group.nodes for group in self.groups)

    @cached_property
    def node_names(self) -> NodeNames:
        """Numbers and names of the nodes."""
        return NodeNames(self.groups)

    @cached_property
    def by_host(self) -> Mapping[str, NodeType]:
        """The type of each node that has a name."""
        return {host: group.type for group in self.groups for host in group.names()}

    def intervals(self) -> Iterator[NodeInterval]:
        """Yield outages, drains and reservations."""
        yield from (*self.outages, *self.drains, *self.reservations)

    def of_cores(self) -> Cluster:
        """Return the cluster with each core as a node of its own."""
        first = [0]
        for group in self.groups:
            for _ in range(group.nodes):
                first.append(first[-1] + (group.type.cores or 1))

        def moved(text: str) -> str:
            nodes = self.node_names.numbers(text).tolist() if text else []
            return numbers_text(
                number for node in nodes for number in range(first[node], first[node + 1])
            )

        def all_moved(each: tuple[Any, ...]) -> tuple[Any, ...]:
            return tuple(replace(one, nodes=moved(one.nodes)) for one in each)

        return replace(
            self,
            groups=tuple(map(_of_cores, self.groups)),
            partitions=all_moved(self.partitions),
            outages=all_moved(self.outages),
            drains=all_moved(self.drains),
            reservations=all_moved(self.reservations),
        )

    def _check(self) -> None:
        if self.nodes > MAX_NODES:
            raise PlatformError(f"{self.nodes:,} nodes; at most {MAX_NODES:,} are supported")
        require_unlike("nodes named", (host for group in self.groups for host in group.names()))
        require_unlike("partitions named", (each.name for each in self.partitions))
        defaults = [each.name for each in self.partitions if each.default]
        if len(defaults) > 1:
            raise PlatformError(
                f'partitions "{defaults[0]}" and "{defaults[1]}" are both the default'
            )
        on_nodes: list[Partition | NodeInterval] = [*self.partitions, *self.intervals()]
        for each in on_nodes:
            self._require_nodes(each)

    def _require_nodes(self, each: Partition | NodeInterval) -> None:
        try:
            self.node_names.numbers(each.nodes)
        except SchedlabError as error:
            kind = type(each).__name__.lower()
            raise PlatformError(f'{kind} "{each.name}": {error}') from None


def _of_cores(group: NodeGroup) -> NodeGroup:
    """Return the group's cores as nodes; each draws its share of a node's power."""
    cores, watts = group.type.cores or 1, asdict(group.type.power)
    power = NodePower(**{name: value / cores for name, value in watts.items()})
    of_core = NodeType(group.type.name, 1, features=group.type.features, power=power)
    return replace(group, type=of_core, count=group.nodes * cores, hosts="")
