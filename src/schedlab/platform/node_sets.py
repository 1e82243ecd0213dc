"""The nodes that jobs may have, by partition and constraint."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from schedlab.errors import UnknownNameError, WorkloadError
from schedlab.platform.constraint import Constraint
from schedlab.platform.node_names import NodeNumbers
from schedlab.platform.partition import Partition
from schedlab.platform.platform import Platform


@dataclass(frozen=True, eq=False)
class PlacedPartition:
    """A partition with the numbers of its nodes on the platform."""

    name: str
    rules: Partition
    nodes: NodeNumbers


@dataclass(frozen=True, eq=False)
class NodeSet:
    """Nodes that some jobs may have.

    Args:
        nodes: their numbers, rising.
        partitions: the partitions that they come from; none where the platform has none.
        constraint: the features that they have.
    """

    nodes: NodeNumbers
    partitions: tuple[PlacedPartition, ...] = ()
    constraint: str = ""

    @cached_property
    def exclusive(self) -> bool:
        """Whether a job here has its nodes to itself."""
        return any(each.rules.exclusive for each in self.partitions)

    @cached_property
    def memory_per_core_bytes(self) -> int:
        """What a job that asks for no memory gets with each core."""
        return max((each.rules.memory_per_core_bytes or 0 for each in self.partitions), default=0)

    def __str__(self) -> str:
        names = " and ".join(f'"{each.name}"' for each in self.partitions)
        where = f"partition {names}" if names else "the platform"
        return f'{where} with constraint "{self.constraint}"' if self.constraint else where


def placed_partitions(platform: Platform) -> dict[str, PlacedPartition]:
    """Return the partitions by ``cluster/partition``, and by their own names if unique."""
    own = Counter(rules.name for cluster in platform.clusters for rules in cluster.partitions)
    found: dict[str, PlacedPartition] = {}
    for first, cluster in zip(platform.first_nodes(), platform.clusters, strict=True):
        for rules in cluster.partitions:
            nodes = first + cluster.node_names.numbers(rules.nodes)
            placed = PlacedPartition(rules.name, rules, nodes)
            found[f"{cluster.name}/{rules.name}"] = placed
            if own[rules.name] == 1:
                found[rules.name] = placed
    return found


def chosen_partitions(
    text: str | None, known: Mapping[str, PlacedPartition]
) -> tuple[PlacedPartition, ...]:
    """Return the partitions that a job names, such as ``debug,general``.

    Return the default partition if it names none.
    """
    if not known:
        return ()
    if text is None:
        usual = [each for each in dict.fromkeys(known.values()) if each.rules.default]
        if not usual:
            raise WorkloadError("names no partition, and none is the default")
        return tuple(usual[:1])
    for name in text.split(","):
        if name not in known:
            raise WorkloadError(str(UnknownNameError("partition", name, known)))
    return tuple(dict.fromkeys(known[name] for name in text.split(",")))


class NodeSets:
    """The sets that jobs of a workload may have, each made once."""

    def __init__(self, platform: Platform) -> None:
        self.sets: list[NodeSet] = []
        self._made: dict[tuple[object, ...], int] = {}
        self._platform = platform

    @cached_property
    def has_features(self) -> bool:
        """Whether any node has a feature that a constraint could ask for."""
        return any(group.all_features() for group in self._platform.groups)

    def find(
        self, partitions: Sequence[PlacedPartition], text: str, wanted: Constraint | None
    ) -> int:
        """Return the place of the set of nodes in any of the partitions that have the features.

        Args:
            partitions: the partitions; none for all nodes.
            text: the text of the constraint.
            wanted: the test that the text stands for.
        """
        key = (*partitions, text)
        if key not in self._made:
            self._made[key] = len(self.sets)
            self.sets.append(self._make(tuple(partitions), text, wanted))
        return self._made[key]

    def _make(
        self, partitions: tuple[PlacedPartition, ...], text: str, wanted: Constraint | None
    ) -> NodeSet:
        nodes = np.arange(self._platform.nodes)
        if partitions:
            nodes = np.unique(np.concatenate([each.nodes for each in partitions]))
        if wanted is not None:
            groups = self._platform.groups
            good = [wanted(group.all_features()) for group in groups]
            nodes = nodes[np.repeat(good, [group.nodes for group in groups])[nodes]]
        return NodeSet(nodes, partitions, text)
