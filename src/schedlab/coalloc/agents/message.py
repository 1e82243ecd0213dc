"""The messages between agents, and to the coordinator."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from schedlab.coalloc.node import JobNode, UtilMessage
from schedlab.coalloc.propagation import BYTES_PER_VALUE

COORDINATOR = 0
"""The number of the coordinator; agents count from 1."""


@dataclass(frozen=True)
class Share:
    """An agent's part of one pass: its own nodes, and the agents of their neighbours."""

    epoch: int
    """The number of the pass; messages of an earlier pass are ignored."""
    nodes: Mapping[int, JobNode]
    children: Mapping[int, tuple[int, ...]]
    """The children of each of its nodes."""
    owners: Mapping[int, int]
    """The agents of the parents and children of its nodes."""
    threads: int = 1


@dataclass(frozen=True)
class Util:
    """The best utility of a subtree for each combination of its separator's values, sent up."""

    epoch: int
    job: int
    """The job at the root of the subtree; the last of the separator is its parent."""
    content: UtilMessage

    @property
    def payload_bytes(self) -> int:
        """The size of the message without its header."""
        return self.content.table.nbytes


@dataclass(frozen=True)
class Value:
    """What the jobs of a separator have chosen, sent down."""

    epoch: int
    job: int
    """The job whose node may choose now."""
    values: Mapping[int, int]

    @property
    def payload_bytes(self) -> int:
        """The size of the message without its header."""
        return BYTES_PER_VALUE * len(self.values)


@dataclass(frozen=True)
class Answer:
    """An agent's result of a pass: what its jobs chose, or that nothing is feasible."""

    epoch: int
    agent: int
    feasible: bool
    utilities: Mapping[int, float] = field(default_factory=dict)
    """The utilities of the trees whose roots it owns."""
    values: Mapping[int, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Resend:
    """A request to repeat the messages of this pass to one agent, or to all."""

    epoch: int
    agent: int | None = None


@dataclass(frozen=True)
class Lost:
    """An agent does not answer any more, as its transport noticed."""

    agent: int
    reason: str


Message = Share | Util | Value | Answer | Resend
Addressed = tuple[int, Message]
