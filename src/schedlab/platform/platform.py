"""The machines: clusters with their nodes, and what else the site has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from schedlab.errors import PlatformError, UnknownNameError
from schedlab.platform.checks import require_unlike
from schedlab.platform.cluster import Cluster
from schedlab.platform.consumable import Consumable
from schedlab.platform.document import plain_clusters, plain_consumables, read_document
from schedlab.platform.intervals import NodeInterval
from schedlab.platform.node_group import NodeGroup
from schedlab.platform.node_names import NodeNumbers
from schedlab.workload.notebook import preview

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, repr=False)
class Platform:
    """Clusters, whose names are unique within a site.

    Nodes are numbered through clusters and their groups in order.

    Args:
        clusters: at least one, each with nodes.
        name: what tables and pictures call it.
        consumables: licences, watts and the like, for all clusters together.
    """

    clusters: tuple[Cluster, ...]
    name: str = "platform"
    consumables: tuple[Consumable, ...] = ()

    def __post_init__(self) -> None:
        try:
            self._check()
        except PlatformError as error:
            raise PlatformError(f'platform "{self.name}": {error}') from None

    @classmethod
    def homogeneous(cls, nodes: int, *, name: str | None = None, **node: Any) -> Platform:
        """Return one cluster of equal nodes; ``node`` has the settings of their ``NodeType``."""
        cluster = Cluster.homogeneous(nodes, name or Cluster.name, **node)
        return cls((cluster,), name or cls.name)

    def __repr__(self) -> str:
        clusters = f"{len(self.clusters)} cluster{'s' if len(self.clusters) > 1 else ''}"
        return f"Platform({self.name!r}, {self.nodes:,} nodes in {clusters})"

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the groups of nodes."""
        return preview(repr(self), self.frame())

    def frame(self) -> pl.DataFrame:
        """Return one row per group of equal nodes; null where the platform does not say."""
        import polars as pl

        each = [(cluster, group) for cluster in self.clusters for group in cluster.groups]
        gib = [(group.type.memory_bytes or 0) / 2**30 or None for _, group in each]
        columns = {
            "cluster": pl.Series([cluster.name for cluster, _ in each], dtype=pl.String),
            "nodes": pl.Series([group.nodes for _, group in each], dtype=pl.Int64),
            "type": pl.Series([group.type.name for _, group in each], dtype=pl.String),
            "cores": pl.Series([group.type.cores for _, group in each], dtype=pl.Int64),
            "memory_gib": pl.Series(gib, dtype=pl.Float64),
            "gpus": pl.Series([sum(group.type.gpus.values()) for _, group in each], dtype=pl.Int64),
        }
        return pl.DataFrame(columns)

    @property
    def groups(self) -> tuple[NodeGroup, ...]:
        """The groups of nodes of all clusters, in order."""
        return tuple(group for cluster in self.clusters for group in cluster.groups)

    @property
    def nodes(self) -> int:
        """Nodes of all clusters together."""
        return sum(cluster.nodes for cluster in self.clusters)

    @property
    def cores(self) -> int:
        """Cores of all nodes together; a node with an unknown number counts as one."""
        return sum((group.type.cores or 1) * group.nodes for group in self.groups)

    def first_nodes(self) -> list[int]:
        """Return the number of the first node of each cluster."""
        return [sum(each.nodes for each in self.clusters[:at]) for at in range(len(self.clusters))]

    def intervals(self) -> list[tuple[NodeInterval, NodeNumbers]]:
        """Return outages, drains and reservations of all clusters, each with its node numbers."""
        return [
            (each, first + cluster.node_names.numbers(each.nodes))
            for first, cluster in zip(self.first_nodes(), self.clusters, strict=True)
            for each in cluster.intervals()
        ]

    def node_names(self) -> list[str]:
        """Return the host name of each node, by its number.

        Return the number itself where no name is known.
        """
        names = [str(number) for number in range(self.nodes)]
        for first, cluster in zip(self.first_nodes(), self.clusters, strict=True):
            for host, number in cluster.node_names.by_host.items():
                names[first + number] = host
        return names

    def cluster_places(self) -> dict[str, int]:
        """Return each cluster's place by ``site/cluster``, and by its own name if unique."""
        names = [(cluster.site, cluster.name) for cluster in self.clusters]
        own = Counter(cluster for _, cluster in names)
        places = {cluster: place for place, (_, cluster) in enumerate(names) if own[cluster] == 1}
        return places | {f"{site}/{cluster}": i for i, (site, cluster) in enumerate(names)}

    def only(self, name: str) -> Platform:
        """Return the platform with only this cluster, named ``cluster`` or ``site/cluster``."""
        known: dict[str, Cluster] = {}
        for cluster in self.clusters:
            known[f"{cluster.site}/{cluster.name}"] = cluster
            known.setdefault(cluster.name, cluster)
        if name not in known:
            raise UnknownNameError("cluster", name, known)
        return replace(self, clusters=(known[name],))

    def pool(self) -> Cluster:
        """Return all nodes as one cluster without partitions, numbered through clusters in order.

        Communication between clusters costs nothing, so the nodes must have equally many cores.
        """
        cores = {group.type.cores or 1 for group in self.groups}
        if len(cores) > 1:
            raise PlatformError(
                f'platform "{self.name}" has clusters whose nodes have different numbers of cores '
                f"({self._cores_told()}); count cores with platform.of_cores(), or choose one "
                "cluster with platform.only(name)"
            )
        return Cluster(
            self.name, tuple(replace(group, hosts="", count=group.nodes) for group in self.groups)
        )

    def of_cores(self) -> Platform:
        """Return the platform with each core as a node of its own."""
        return replace(self, clusters=tuple(each.of_cores() for each in self.clusters))

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for provenance: the sections of a platform file."""
        document: dict[str, Any] = {"name": self.name, "cluster": plain_clusters(self.clusters)}
        if self.consumables:
            document["consumable"] = plain_consumables(self.consumables)
        return document

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any], default_name: str = "platform") -> Platform:
        """Return the inverse of ``to_dict``."""
        machine = read_document(plain, default_name)
        return cls(machine.clusters, machine.name, machine.consumables)

    def _check(self) -> None:
        if not self.clusters:
            raise PlatformError("has no cluster")
        for each in self.clusters:
            if not each.groups:
                raise PlatformError(f'cluster "{each.name}" has no nodes')
        require_unlike("clusters named", (f"{each.site}/{each.name}" for each in self.clusters))
        require_unlike("consumables named", (each.name for each in self.consumables))

    def _cores_told(self) -> str:
        return ", ".join(
            f"{cluster.name}: {' and '.join(map(str, sorted(_cores(cluster))))}"
            for cluster in self.clusters
        )


def _cores(cluster: Cluster) -> set[int]:
    return {group.type.cores or 1 for group in cluster.groups}
