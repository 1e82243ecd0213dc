"""The contract of a reader of workload files."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal, get_args

from schedlab.errors import ParameterError, UnknownNameError
from schedlab.workload.readers.source import Source
from schedlab.workload.workload import COLUMNS, Workload

Procs = Literal["allocated", "requested"]
Cancelled = Literal["drop", "replay", "short"]

LEFT_OUT = "-"
"""The new name of an unwanted column."""


@dataclass(frozen=True)
class ReadOptions:
    """How to read a workload, whatever its format."""

    strict: bool = False
    """Refuse a file in which anything would have to be repaired or dropped."""
    procs: Procs = "allocated"
    """Which count of processors becomes ``nodes``, where the source has both."""
    cancelled: Cancelled = "drop"
    """A job that never ran: drop it, replay its wait and withdrawal, or let it run for 10 s."""
    flops_per_s: float = 1e6
    """Speed of one host, where the source has amounts of work instead of run times (Batsim)."""
    rename: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Our names of columns by the file's, where it names them; ``-`` leaves one out.

    ``memory_per_node_kb*1024`` also multiplies the values, here given in MB.
    """

    def __post_init__(self) -> None:
        for what, allowed in (("procs", get_args(Procs)), ("cancelled", get_args(Cancelled))):
            if getattr(self, what) not in allowed:
                raise ParameterError(
                    f'{what} is "{getattr(self, what)}"; must be {" or ".join(allowed)}'
                )
        if not 0 < self.flops_per_s < float("inf"):
            raise ParameterError(f"flops_per_s is {self.flops_per_s}; must be > 0")
        if not isinstance(self.rename, Mapping):
            kind = type(self.rename).__name__
            raise ParameterError(
                f'rename is a {kind}; must be a mapping, as in {{"Cores": "cores"}}'
            )
        for text in self.rename.values():
            ours, factor = _scaled(text)
            if ours != LEFT_OUT and ours not in COLUMNS:
                raise UnknownNameError("column", ours, COLUMNS)
            if not 0 < factor < float("inf"):
                raise ParameterError(f'rename to "{text}"; must be a column, or column*number')

    def names(self) -> dict[str, str]:
        """Return our names of columns by the file's, without factors."""
        return {theirs: _scaled(text)[0] for theirs, text in self.rename.items()}

    def factors(self) -> dict[str, float]:
        """Return the factor of each column whose values are multiplied."""
        return {ours: factor for ours, factor in map(_scaled, self.rename.values()) if factor != 1}


def _scaled(text: str) -> tuple[str, float]:
    """Return the column, and what it is multiplied by; NaN if that is not a number."""
    ours, star, factor = text.partition("*")
    try:
        return ours.strip(), float(factor) if star else 1.0
    except ValueError:
        return ours.strip(), float("nan")


class Reader(ABC):
    """Reads the workload files of one format."""

    suffixes: ClassVar[tuple[str, ...]] = ()
    """Endings of file names, with the dot and without ``.gz``."""
    has_names: ClassVar[bool] = False
    """Whether the file names its columns, which can then be renamed."""

    def recognises(self, head: bytes) -> bool:
        """Return whether a file of unknown suffix that begins like this is of this format."""
        return False

    @abstractmethod
    def read(self, source: Source, options: ReadOptions) -> Workload:
        """Return the jobs of the file, with a report of what was repaired or dropped."""
