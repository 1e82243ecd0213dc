"""Jobs that run longer than was predicted."""

from __future__ import annotations

from schedlab.testing.reference.job import Job

CORRECTIONS_S = (60, 300, 900, 1800, 3600, 7200, 18000, 36000, 72000, 180000, 360000)
"""The time added to an estimate each time that a job outlives it (Tsafrir et al. 2007)."""


def short(job: Job) -> bool:
    """Return whether the job may still run longer than plans expect."""
    return job.estimate_s < job.limit_s


def correct(job: Job) -> None:
    """Raise the job's estimate, at most to its limit."""
    more_s = CORRECTIONS_S[min(job.corrections, len(CORRECTIONS_S) - 1)]
    job.estimate_s = min(job.estimate_s + more_s, job.limit_s)
    job.corrections += 1
