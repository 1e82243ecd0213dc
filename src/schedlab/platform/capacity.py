"""What a platform has in total, for the load that jobs offer to it."""

from __future__ import annotations

from schedlab.platform.platform import Platform
from schedlab.platform.resources import UNLIMITED, NodeResources
from schedlab.workload.offered import Capacity


def capacity_of(platform: Platform) -> Capacity:
    """Return nodes, cores, memory and GPUs of all nodes together.

    None for an amount that some node does not give.

    ``scale_load(workload, 0.9, **vars(capacity_of(platform)))`` gives the jobs that load.
    """
    resources = NodeResources.of(platform)
    nodes = [group.nodes for group in platform.groups]

    def total(name: str) -> int | None:
        if name not in resources.place:
            return None
        of_group = resources.capacity[:, resources.place[name]].tolist()
        if max(of_group) >= UNLIMITED:
            return None
        return sum(count * each for count, each in zip(nodes, of_group, strict=True)) or None

    return Capacity(platform.nodes, total("cores"), total("memory"), total("gpu"))
