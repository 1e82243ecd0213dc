"""What one node has."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from schedlab.errors import PlatformError
from schedlab.platform.checks import (
    require_count,
    require_name,
    require_positive,
    require_word,
)
from schedlab.platform.power import NodePower

_FEATURE = re.compile(r"[^\s&|()\[\],*]+")
_TAKEN = ("cores", "memory", "gpu", "gpus")


@dataclass(frozen=True)
class NodeType:
    """A type of node. A value that is not given is unknown, and limits no job.

    Args:
        name: the name of these nodes in partitions and other lists of nodes.
        cores: number of cores, as the scheduler counts them.
        memory_bytes: memory that jobs can have.
        gpus: how many of each type, such as ``{"a100": 4}``; numbered from 0 in this order.
        gpu_memory_bytes: memory of each GPU.
        resources: any others that jobs can ask for, such as ``{"fpga": 2}``.
        features: words that a job's constraint can ask for.
        power: what a node draws.
        peak_flop_per_s: what its cores can compute, for the roofline of jobs.
        memory_byte_per_s: what its memory can move.
    """

    name: str = "node"
    cores: int | None = None
    memory_bytes: int | None = None
    gpus: dict[str, int] = field(default_factory=dict, hash=False)
    gpu_memory_bytes: int | None = None
    resources: dict[str, int] = field(default_factory=dict, hash=False)
    features: tuple[str, ...] = ()
    power: NodePower = field(default_factory=NodePower)
    peak_flop_per_s: float | None = None
    memory_byte_per_s: float | None = None

    def __post_init__(self) -> None:
        require_name("name of a node type", self.name)
        for key in ("cores", "memory_bytes", "gpu_memory_bytes"):
            if getattr(self, key) is not None:
                require_count(key, getattr(self, key), 1)
        for key in ("peak_flop_per_s", "memory_byte_per_s"):
            if getattr(self, key) is not None:
                require_positive(key, getattr(self, key))
        for key in ("gpus", "resources"):
            for name, count in getattr(self, key).items():
                require_word(f"a name in {key}", name)
                require_count(f"{key}: {name}", count)
        for name in self.resources:
            if name in _TAKEN:
                raise PlatformError(f"resources: {name} is not a name for another resource")
        require_features(self.features)

    @property
    def has_resources(self) -> bool:
        """Whether the amount of anything that jobs can ask for is known."""
        return bool(self.cores or self.memory_bytes or self.gpus or self.resources)

    @property
    def gpu_count(self) -> int:
        """The number of GPUs of all types."""
        return sum(self.gpus.values())

    def gpu_types(self) -> list[str]:
        """Return the type of each GPU, by its number."""
        return [kind for kind, count in self.gpus.items() for _ in range(count)]


def require_features(features: tuple[str, ...]) -> None:
    """Refuse features that no constraint could name."""
    for feature in features:
        if not isinstance(feature, str) or not _FEATURE.fullmatch(feature):
            raise PlatformError(
                f"feature {feature!r}; must be a word without blanks or any of & | ( ) [ ] , *"
            )
