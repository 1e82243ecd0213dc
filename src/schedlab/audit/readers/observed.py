"""What a reader of observed schedules is, and what it gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from schedlab.sim import Schedule


@dataclass(frozen=True)
class Observed:
    """A schedule that somebody else made, and what had to be assumed to read it."""

    schedule: Schedule
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class ScheduleReader:
    """How one format of schedule files is known and read."""

    suffixes: tuple[str, ...]
    read: Callable[[Path, int | None], list[Observed]]
    """Read the schedules of the file, on the given nodes or on those that the file names."""
    recognises: Callable[[bytes], bool] = lambda first_line: True
    """Whether a file of that suffix with this first line is of the format."""


def size_note(observed: Schedule, nodes: int | None) -> list[str]:
    """Return the message for a file without the size of the machine."""
    if nodes is not None or "platform" in observed.provenance:
        return []
    taken = f"{observed.platform.nodes:,} nodes, the peak use"
    return [f"the size of the machine is not given; taken are {taken}"]
