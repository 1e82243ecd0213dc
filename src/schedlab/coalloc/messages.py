"""Counts of the messages between agents, and what the agents learnt from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class MessageStatistics:
    """Messages of one run of a distributed solver."""

    cycles: int
    """Rounds in which every agent receives, computes and sends once."""
    messages: int
    bytes: int
    """The bytes of all messages together."""
    largest_cells: int
    """Cells of the largest UTIL message: the product of the domains of its separator."""
    largest_bytes: int
    width: int
    """The largest number of variables in a separator: the induced width of the pseudo tree."""

    @classmethod
    def together(cls, parts: Sequence[MessageStatistics]) -> MessageStatistics:
        """Return the statistics of runs one after the other."""
        return cls(
            cycles=sum(part.cycles for part in parts),
            messages=sum(part.messages for part in parts),
            bytes=sum(part.bytes for part in parts),
            largest_cells=max((part.largest_cells for part in parts), default=0),
            largest_bytes=max((part.largest_bytes for part in parts), default=0),
            width=max((part.width for part in parts), default=0),
        )


@dataclass(frozen=True)
class Learnt:
    """What one agent learnt about the jobs of others, and others about its own.

    A message reveals at most its own bits, and at most the data of the jobs it was computed from;
    ``bits`` is the sum of the smaller ones, never more than all data of the jobs concerned.
    ``revealed`` is the same sum over all messages to others that depend on the agent's own jobs.
    """

    agent: int
    own_jobs: int
    known: int
    """Others' jobs whose first slots and length it knows: they are in its separators."""
    summed: int
    """Others' jobs that it hears of only as parts of a sum, in UTIL messages."""
    unheard: int
    """Others' jobs that no message to it depends on."""
    cells: int
    """The cells of the UTIL messages that it received from others."""
    values: int
    """The number of others' jobs whose starts it received."""
    bits: float
    """An upper bound of what it learned about others' jobs."""
    all_bits: float
    """What it would know of others if everything was sent to it."""
    revealed: float
    """An upper bound of what others, all together, learned about its own jobs."""
    own_bits: float
    """All data of its own jobs, which it would have to send to a central solver."""

    @property
    def share(self) -> float:
        """``bits`` as a share of ``all_bits``; 0 where there is nothing to know."""
        return self.bits / self.all_bits if self.all_bits else 0.0
