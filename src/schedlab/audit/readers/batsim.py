"""Batsim's table of jobs, ``<prefix>_jobs.csv``."""

from __future__ import annotations

from pathlib import Path

from schedlab.audit.readers.observed import Observed
from schedlab.audit.readers.table import read_as


def is_batsim(first_line: bytes) -> bool:
    """By a column that only Batsim has."""
    return b"requested_number_of_" in first_line


def read_batsim(path: Path, nodes: int | None) -> list[Observed]:
    """The jobs of one simulation."""
    return read_as("batsim", path, nodes)
