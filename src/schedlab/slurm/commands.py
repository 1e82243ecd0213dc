"""What operators and users told a running Slurm: ``scontrol update``, ``scancel`` and the like."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Command:
    """One command.

    Args:
        at_s: when, in seconds on the clock of the history.
        text: as it was given, such as ``scontrol update NodeName=n2 State=DRAIN``.
        job: the ``slurm_id`` of the job that it is about, if it is about one.
        worked: whether Slurm accepted it.
    """

    at_s: float
    text: str
    job: str | None = None
    worked: bool = True
