"""Slurm's accounting from ``sacct --parsable``: the primary source of a Slurm site."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, ClassVar

from schedlab.history.ingest.slurm.sacct import JobAt, Sacct
from schedlab.history.ingest.slurm.sacct_lines import new_delimiter
from schedlab.history.ingest.slurm.sacct_rows import FIELDS, jobs_in
from schedlab.history.ingest.source import Fault


@dataclass
class SacctText(Sacct):
    """Reads the text form, whatever its columns; names may hold ``|`` and line ends."""

    environment: ClassVar[dict[str, str]] = {"SLURM_TIME_FORMAT": "%s"}

    def options(self) -> tuple[str, ...]:
        """Return the options of ``sacct``, with a delimiter that no user's text can contain."""
        delimiter = f"--delimiter={new_delimiter()}"
        return ("--parsable", delimiter, "--noconvert", f"--format={','.join(FIELDS)}")

    def jobs(self, stream: IO[bytes], label: str) -> Iterator[JobAt | Fault]:
        """Return every job of the text with its line."""
        lines = (line.decode(errors="replace").rstrip("\r\n") for line in stream)
        return jobs_in(lines, self.clock, label)
