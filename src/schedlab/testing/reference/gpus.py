"""The GPUs of a node one by one, for jobs that take parts of them."""

from __future__ import annotations

from dataclasses import dataclass

from schedlab.platform import NodeType, Platform
from schedlab.platform.resources import NodeResources

Vector = tuple[int, ...]
WHOLE = 1000


@dataclass(frozen=True)
class Gpus:
    """A demand for GPUs of a node: how many, the share of each, and where they may be."""

    count: int
    milli: int
    places: range

    def able(self, free: Vector) -> list[int]:
        """Return the places of the GPUs that have enough free."""
        return [at for at in self.places if free[at] >= self.milli]

    def fit(self, free: Vector) -> bool:
        """Return whether enough GPUs have enough free."""
        return len(self.able(free)) >= self.count

    def taken(self, chosen: list[int], width: int) -> Vector:
        """Return what is taken of a node, as a vector of this width."""
        return tuple(self.milli if at in chosen else 0 for at in range(width))


class GpuPlaces:
    """The places of a node's GPUs in its vector: behind all other resources, type by type."""

    def __init__(self, platform: Platform) -> None:
        resources = NodeResources.of(platform)
        self.kept = [at for at, name in enumerate(resources.names) if name.split(":")[0] != "gpu"]
        self.of_type: dict[str, range] = {}
        begin = len(self.kept)
        for kind in resources.gpu_types:
            most = max(group.type.gpus.get(kind, 0) for group in platform.groups)
            self.of_type[kind] = range(begin, begin + most)
            begin += most
        self.all = range(len(self.kept), begin)

    def vector(self, amounts: list[int], node: NodeType) -> Vector:
        """Return what a node has: the resources that are not GPUs, then its GPUs."""
        gpus = [
            WHOLE if at < node.gpus.get(kind, 0) else 0
            for kind, places in self.of_type.items()
            for at in range(len(places))
        ]
        return tuple([amounts[at] for at in self.kept] + gpus)

    def asked(self, amounts: dict[str, int], milli: int) -> Gpus | None:
        """Return the GPUs that a job asks for, from its amounts by resource name."""
        if not amounts.get("gpu"):
            return None
        kinds = [kind for kind in self.of_type if amounts.get(f"gpu:{kind}")]
        return Gpus(amounts["gpu"], milli, self.of_type[kinds[0]] if kinds else self.all)

    def share(self, amounts: list[int]) -> Vector:
        """Return what a job asks for except GPUs."""
        return tuple([amounts[at] for at in self.kept] + [0] * len(self.all))
