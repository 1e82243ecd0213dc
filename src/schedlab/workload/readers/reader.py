"""What a reader of workload files is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

from schedlab.errors import ParameterError
from schedlab.workload.readers.source import Source
from schedlab.workload.workload import Workload

Procs = Literal["allocated", "requested"]
Cancelled = Literal["drop", "replay", "short"]


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

    def __post_init__(self) -> None:
        for what, allowed in (("procs", get_args(Procs)), ("cancelled", get_args(Cancelled))):
            if getattr(self, what) not in allowed:
                raise ParameterError(
                    f'{what} is "{getattr(self, what)}"; must be {" or ".join(allowed)}'
                )
        if not 0 < self.flops_per_s < float("inf"):
            raise ParameterError(f"flops_per_s is {self.flops_per_s}; must be > 0")


class Reader(ABC):
    """Reads the workload files of one format."""

    suffixes: ClassVar[tuple[str, ...]] = ()
    """Endings of file names, with the dot and without ``.gz``."""

    def recognises(self, head: bytes) -> bool:
        """Whether a file of unknown suffix that begins like this is of this format."""
        return False

    @abstractmethod
    def read(self, source: Source, options: ReadOptions) -> Workload:
        """The jobs of the file, with a report of what was repaired or dropped."""
