"""Nodes that are alike."""

from __future__ import annotations

from dataclasses import dataclass, field

from schedlab.errors import PlatformError
from schedlab.platform.checks import require_count, require_unlike
from schedlab.platform.hostlist import expand_hosts
from schedlab.platform.node_type import NodeType, require_features


@dataclass(frozen=True)
class NodeGroup:
    """Nodes of one type, by number or by name.

    Args:
        type: what each of them has.
        count: how many there are, if they have no names.
        hosts: their names as a host list, such as ``n[01-08,12],g2``.
        more_features: the features that they have beside those of their type.
        weight: nodes of lower weight go first with the place ``weight``.
        switch: the leaf switch that connects them.
    """

    type: NodeType = field(default_factory=NodeType)
    count: int | None = None
    hosts: str = ""
    more_features: tuple[str, ...] = ()
    weight: int = 1
    switch: str = ""

    def __post_init__(self) -> None:
        if (self.count is None) == (not self.hosts):
            both = "both" if self.hosts else "neither"
            raise PlatformError(f"a group of nodes has a count or hosts; {both} are given")
        if self.count is not None:
            require_count("count", self.count, 1)
        require_unlike("hosts", self.names())
        require_features(self.more_features)
        require_count("weight", self.weight)

    @property
    def nodes(self) -> int:
        """The number of nodes."""
        return len(self.names()) if self.count is None else self.count

    def names(self) -> tuple[str, ...]:
        """Return the host names, none where they are not known."""
        return expand_hosts(self.hosts)

    def all_features(self) -> frozenset[str]:
        """Return the features of the type and those of the group."""
        return frozenset(self.type.features + self.more_features)
