"""What the agents told each other, counted."""

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
    """Of all messages together."""
    largest_cells: int
    """Cells of the largest UTIL message: the product of the domains of its separator."""
    largest_bytes: int
    width: int
    """The largest number of variables in a separator: the induced width of the pseudo tree."""

    @classmethod
    def together(cls, parts: Sequence[MessageStatistics]) -> MessageStatistics:
        """Of runs one after the other."""
        return cls(
            cycles=sum(part.cycles for part in parts),
            messages=sum(part.messages for part in parts),
            bytes=sum(part.bytes for part in parts),
            largest_cells=max((part.largest_cells for part in parts), default=0),
            largest_bytes=max((part.largest_bytes for part in parts), default=0),
            width=max((part.width for part in parts), default=0),
        )
