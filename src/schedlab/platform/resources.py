"""What nodes have, as vectors of numbers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from schedlab.platform.node_type import NodeType
from schedlab.platform.platform import Platform
from schedlab.units import LARGEST, short_bytes

UNLIMITED = LARGEST
"""The amount of a resource that the description of a node does not give."""


@dataclass(frozen=True, eq=False)
class NodeResources:
    """The resources of a platform: cores, memory in bytes, GPUs, and any others.

    With GPUs of several types, ``gpu`` counts all of them and ``gpu:TYPE`` those of one type.
    Only resources that some node has by its description are counted.
    """

    names: tuple[str, ...]
    capacity: NDArray[np.int64]
    """What a node of each group has, as (group, resource)."""
    gpu_types: tuple[str, ...] = ()

    @classmethod
    def of(cls, platform: Platform) -> NodeResources:
        """Return the resources that the platform's nodes have by their descriptions."""
        types = [group.type for group in platform.groups]
        gpus = list(dict.fromkeys(kind for each in types for kind in each.gpus))
        names = ["cores"] if any(each.cores for each in types) else []
        names += ["memory"] if any(each.memory_bytes for each in types) else []
        names += ["gpu"] if gpus else []
        names += [f"gpu:{kind}" for kind in gpus] if len(gpus) > 1 else []
        names += list(dict.fromkeys(name for each in types for name in each.resources))
        table = [[_has(each, name) for name in names] for each in types]
        capacity = np.array(table, dtype=np.int64).reshape(len(types), len(names))
        return cls(tuple(names), capacity, tuple(gpus))

    @cached_property
    def place(self) -> dict[str, int]:
        """The column of each resource."""
        return {name: column for column, name in enumerate(self.names)}

    def told(self, amounts: NDArray[np.int64]) -> str:
        """Write amounts that are above 0 and limited: ``32 cores, 187 GiB memory and 2 gpu``."""
        words = [
            _words(name, amount)
            for name, amount in zip(self.names, amounts.tolist(), strict=True)
            if 0 < amount < UNLIMITED
        ]
        listed = " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
        return listed or "nothing that is counted"


def _words(name: str, amount: int) -> str:
    if name == "memory":
        return f"{short_bytes(amount)} memory"
    return "1 core" if name == "cores" and amount == 1 else f"{amount:,} {name}"


def _has(node: NodeType, name: str) -> int:
    if name == "cores":
        return node.cores or UNLIMITED
    if name == "memory":
        return node.memory_bytes or UNLIMITED
    if name == "gpu":
        return node.gpu_count
    kind, colon, gpu = name.partition(":")
    return node.gpus.get(gpu, 0) if colon and kind == "gpu" else node.resources.get(name, 0)
