"""Sets of nodes that jobs are submitted to."""

from __future__ import annotations

from dataclasses import dataclass

from schedlab.errors import PlatformError
from schedlab.platform.checks import require_count, require_name


@dataclass(frozen=True)
class Partition:
    """Nodes of a cluster under one rule; partitions may overlap.

    Args:
        name: the name that jobs give.
        nodes: names of hosts, of node types, or numbers within the cluster, as a host list; all if
            left out.
        default_time_s: run time of a job that asks for none.
        max_time_s: longest run time that a job may ask for.
        priority_tier: jobs of a higher tier go first.
        exclusive: every job has its nodes to itself.
        default: jobs that name no partition go here.
        min_nodes: fewest nodes of a job.
        max_nodes: most nodes of a job.
        memory_per_core_bytes: memory of a job that asks for none, for each of its cores.
    """

    name: str
    nodes: str = ""
    default_time_s: int | None = None
    max_time_s: int | None = None
    priority_tier: int = 1
    exclusive: bool = False
    default: bool = False
    min_nodes: int = 1
    max_nodes: int | None = None
    memory_per_core_bytes: int | None = None

    def __post_init__(self) -> None:
        require_name("name of a partition", self.name)
        if "," in self.name:
            raise PlatformError(f'partition "{self.name}": a comma separates names of partitions')
        for key, least in (("priority_tier", 0), ("min_nodes", 1)):
            require_count(key, getattr(self, key), least)
        for key in ("default_time_s", "max_time_s", "max_nodes", "memory_per_core_bytes"):
            if getattr(self, key) is not None:
                require_count(key, getattr(self, key), 1)
        for low, high in (("default_time_s", "max_time_s"), ("min_nodes", "max_nodes")):
            least, most = getattr(self, low), getattr(self, high)
            if least is not None and most is not None and least > most:
                raise PlatformError(f"{low} is {least}; must be at most {high}, {most}")
