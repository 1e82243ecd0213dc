"""Slurm's accounting from ``sacct --parsable2``: the primary source of a Slurm site."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, ClassVar

from schedlab.history.ingest.slurm.sacct import JobAt, Sacct
from schedlab.history.ingest.slurm.sacct_rows import FIELDS, UNIT_SEPARATOR, jobs_in
from schedlab.history.ingest.source import Fault


@dataclass
class SacctText(Sacct):
    """Reads the text form, whatever its columns; a ``|`` within a name needs the delimiter."""

    options: ClassVar[tuple[str, ...]] = (
        "--parsable2",
        f"--delimiter={UNIT_SEPARATOR}",
        "--noconvert",
        f"--format={','.join(FIELDS)}",
    )

    environment: ClassVar[dict[str, str]] = {"SLURM_TIME_FORMAT": "%s"}

    def jobs(self, stream: IO[bytes], label: str) -> Iterator[JobAt | Fault]:
        """Every job of the text with its line."""
        lines = (line.decode(errors="replace").rstrip("\r\n") for line in stream)
        return jobs_in(lines, self.clock, label)
