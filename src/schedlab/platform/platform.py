"""The machines: sites, clusters and their nodes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from schedlab.errors import PlatformError, UnknownNameError
from schedlab.platform.power import NodePower


@dataclass(frozen=True)
class Cluster:
    """A number of whole, interchangeable nodes."""

    nodes: int
    name: str = "cluster"
    processors_per_node: int = 1
    cores_per_processor: int = 1
    gpus_per_node: int = 0
    power: NodePower = field(default_factory=NodePower)

    def __post_init__(self) -> None:
        for what, least in (
            ("nodes", 1),
            ("processors_per_node", 1),
            ("cores_per_processor", 1),
            ("gpus_per_node", 0),
        ):
            value = getattr(self, what)
            if not isinstance(value, int) or isinstance(value, bool) or value < least:
                raise PlatformError(
                    f'cluster "{self.name}": {what} is {value!r}; must be an integer >= {least}'
                )
        if self.nodes > MAX_NODES:
            raise PlatformError(
                f'cluster "{self.name}": {self.nodes:,} nodes; at most {MAX_NODES:,} are supported'
            )

    @property
    def cores_per_node(self) -> int:
        """Cores in one node."""
        return self.processors_per_node * self.cores_per_processor


@dataclass(frozen=True)
class Site:
    """Clusters in one place."""

    clusters: tuple[Cluster, ...]
    name: str = "site"


@dataclass(frozen=True)
class Platform:
    """Sites with their clusters; names of clusters are unique within a site."""

    sites: tuple[Site, ...]
    name: str = "platform"

    def __post_init__(self) -> None:
        if not self.clusters:
            raise PlatformError(f'platform "{self.name}" has no cluster')
        names = [f"{site.name}/{cluster.name}" for site in self.sites for cluster in site.clusters]
        twice = {name for name in names if names.count(name) > 1}
        if twice:
            raise PlatformError(f'platform "{self.name}": two clusters named {min(twice)}')

    @classmethod
    def homogeneous(cls, nodes: int, **cluster: Any) -> Platform:
        """One cluster of so many equal nodes."""
        return cls((Site((Cluster(nodes, **cluster),)),), name=cluster.get("name", "platform"))

    @property
    def clusters(self) -> tuple[Cluster, ...]:
        """All clusters of all sites, in order."""
        return tuple(cluster for site in self.sites for cluster in site.clusters)

    @property
    def nodes(self) -> int:
        """Nodes of all clusters together."""
        return sum(cluster.nodes for cluster in self.clusters)

    def cluster_places(self) -> dict[str, int]:
        """The place of each cluster by ``site/cluster``, and by its own name where that tells."""
        names = [(site.name, cluster.name) for site in self.sites for cluster in site.clusters]
        own = Counter(cluster for _, cluster in names)
        places = {cluster: place for place, (_, cluster) in enumerate(names) if own[cluster] == 1}
        return places | {f"{site}/{cluster}": i for i, (site, cluster) in enumerate(names)}

    def only(self, name: str) -> Platform:
        """The platform reduced to the cluster of that name (``cluster`` or ``site/cluster``)."""
        known = {}
        for site in self.sites:
            for cluster in site.clusters:
                known[f"{site.name}/{cluster.name}"] = (site, cluster)
                known.setdefault(cluster.name, (site, cluster))
        if name not in known:
            raise UnknownNameError("cluster", name, known)
        site, cluster = known[name]
        return Platform((Site((cluster,), site.name),), self.name)

    def pool(self) -> Cluster:
        """All nodes as one cluster, numbered through sites and clusters in order.

        Communication between clusters costs nothing, so the nodes must be equal.
        """
        if len({cluster.cores_per_node for cluster in self.clusters}) > 1:
            nodes = ", ".join(f"{each.name}: {each.cores_per_node}" for each in self.clusters)
            raise PlatformError(
                f'platform "{self.name}" has clusters whose nodes have different numbers of cores '
                f"({nodes}); count cores with platform.of_cores(), or choose one cluster with "
                "platform.only(name)"
            )
        return replace(self.clusters[0], nodes=self.nodes, name=self.name)

    def of_cores(self) -> Platform:
        """The same with every core for itself, as a node that jobs can have."""
        return Platform(
            tuple(
                Site(tuple(_of_cores(cluster) for cluster in site.clusters), site.name)
                for site in self.sites
            ),
            self.name,
        )

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for provenance."""
        return asdict(self)

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Platform:
        """The inverse of ``to_dict``."""
        try:
            return cls(
                tuple(
                    Site(tuple(_cluster(**cluster) for cluster in site["clusters"]), site["name"])
                    for site in plain["sites"]
                ),
                plain["name"],
            )
        except (KeyError, TypeError) as error:
            raise PlatformError(f"not a platform: {error}") from None


def _of_cores(cluster: Cluster) -> Cluster:
    """Its cores as nodes; each draws its share of a node's power."""
    cores, watts = cluster.cores_per_node, asdict(cluster.power)
    power = NodePower(**{name: value / cores for name, value in watts.items()})
    return Cluster(cluster.nodes * cores, cluster.name, power=power)


def _cluster(power: Mapping[str, float], **cluster: Any) -> Cluster:
    return Cluster(**cluster, power=NodePower(**power))


MAX_NODES = 1 << 24
