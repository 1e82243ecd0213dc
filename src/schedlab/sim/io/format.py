"""The contract of a schedule file format."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schedlab.sim.schedule import Schedule

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class ScheduleTable:
    """What a file holds: the jobs of all its schedules, and the description of each by policy."""

    frame: pl.DataFrame
    descriptions: dict[str, dict[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True)
class ScheduleFormat:
    """How file names end, how schedules are written and, where they can be, read again."""

    suffixes: tuple[str, ...]
    write: Callable[[Sequence[Schedule], Path], None]
    read: Callable[[Path], ScheduleTable] | None = None
    beside: Callable[[Path], tuple[Path, ...]] = lambda path: ()
    """Returns the other files that are written with a file of this name."""
    single: bool = False
    """Whether a file holds one schedule only."""
