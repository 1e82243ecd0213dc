"""Commands that operators and users gave a running Slurm, such as ``scancel``."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Command:
    """One command given to Slurm.

    Args:
        at_s: when it was given, in seconds on the clock of the history.
        text: the command as given, such as ``scontrol update NodeName=n2 State=DRAIN``.
        job: the ``slurm_id`` of the job that the command names, if any.
        worked: whether Slurm accepted it.
    """

    at_s: float
    text: str
    job: str | None = None
    worked: bool = True
