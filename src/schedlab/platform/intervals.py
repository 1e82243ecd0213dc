"""Times in which nodes are not open to all jobs."""

from __future__ import annotations

from dataclasses import dataclass

from schedlab.errors import PlatformError
from schedlab.platform.checks import require_count


@dataclass(frozen=True)
class NodeInterval:
    """A period of time on some nodes, in seconds on the clock of the workload.

    Args:
        begin_s: first second.
        end_s: first second after it; None if it lasts to the end.
        nodes: names of hosts, of node types, or numbers within the cluster, as a host list; all if
            left out.
        name: what reports call it.
    """

    begin_s: int
    end_s: int | None = None
    nodes: str = ""
    name: str = ""

    def __post_init__(self) -> None:
        require_count("begin_s", self.begin_s)
        if self.end_s is not None:
            require_count("end_s", self.end_s)
            if self.end_s <= self.begin_s:
                raise PlatformError(f"end_s is {self.end_s}; must be after begin_s, {self.begin_s}")


@dataclass(frozen=True)
class Outage(NodeInterval):
    """The nodes are down: jobs on them end when it begins."""


@dataclass(frozen=True)
class Drain(NodeInterval):
    """No job starts on the nodes; those that run there go on."""


@dataclass(frozen=True)
class Reservation(NodeInterval):
    """The nodes are for some users or accounts; other jobs must end before it begins.

    Args:
        users: who may use the nodes.
        accounts: whose jobs may use them. Without users and accounts no job may: maintenance.
    """

    users: tuple[str, ...] = ()
    accounts: tuple[str, ...] = ()
