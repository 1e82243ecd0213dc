"""The contract of a writer of workload files."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import BinaryIO, ClassVar

from schedlab.workload.workload import Workload


class Writer(ABC):
    """Writes workload files of one format."""

    suffixes: ClassVar[tuple[str, ...]] = ()
    """Endings of file names, with the dot and without ``.gz``."""
    columns: ClassVar[frozenset[str]] = frozenset()
    """The columns that the format can carry."""

    @abstractmethod
    def write(self, workload: Workload, stream: BinaryIO) -> None:
        """Write the jobs to an open file."""
