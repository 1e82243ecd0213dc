"""Slurm's names of states, and what the record calls them."""

from __future__ import annotations

from schedlab.history.schema.job import JobState

STATES = {
    "PENDING": JobState.PENDING,
    "CONFIGURING": JobState.RUNNING,
    "RUNNING": JobState.RUNNING,
    "COMPLETING": JobState.RUNNING,
    "STAGE_OUT": JobState.RUNNING,
    "SIGNALING": JobState.RUNNING,
    "SUSPENDED": JobState.SUSPENDED,
    "STOPPED": JobState.SUSPENDED,
    "COMPLETED": JobState.COMPLETED,
    "FAILED": JobState.FAILED,
    "SPECIAL_EXIT": JobState.FAILED,
    "LAUNCH_FAILED": JobState.FAILED,
    "RECONFIG_FAIL": JobState.FAILED,
    "CANCELLED": JobState.CANCELLED,
    "REVOKED": JobState.CANCELLED,
    "TIMEOUT": JobState.TIMEOUT,
    "OUT_OF_MEMORY": JobState.OUT_OF_MEMORY,
    "NODE_FAIL": JobState.NODE_FAIL,
    "BOOT_FAIL": JobState.BOOT_FAIL,
    "PREEMPTED": JobState.PREEMPTED,
    "DEADLINE": JobState.DEADLINE,
    "REQUEUED": JobState.REQUEUED,
    "REQUEUE_FED": JobState.REQUEUED,
    "REQUEUE_HOLD": JobState.REQUEUED,
    # A job that changes its size goes on in another row, as one that is queued again does.
    "RESIZING": JobState.REQUEUED,
}

BY_NUMBER = (
    "PENDING",
    "RUNNING",
    "SUSPENDED",
    "COMPLETED",
    "CANCELLED",
    "FAILED",
    "TIMEOUT",
    "NODE_FAIL",
    "PREEMPTED",
    "BOOT_FAIL",
    "DEADLINE",
    "OUT_OF_MEMORY",
)
"""The base states in the order of their numbers in slurmdbd's tables."""

FLAG_REQUEUED = 1 << 10
"""The bit by which slurmdbd marks an attempt that was put back (``JOB_REQUEUE``)."""

PUT_BACK = frozenset(
    {JobState.REQUEUED, JobState.NODE_FAIL, JobState.PREEMPTED, JobState.BOOT_FAIL}
)
"""States of an attempt after which the same job may be tried again."""


def reason_of(text: str) -> str:
    """Return why a job waits, in Slurm's words.

    The text is empty if Slurm gives no reason, for example for a running job.
    """
    text = text.strip().removeprefix("(").removesuffix(")")
    return "" if text in ("", "None", "N/A", "(null)") else text


def state_of(text: str) -> JobState:
    """Return the state in texts such as ``COMPLETED`` and ``CANCELLED by 1001``."""
    try:
        return STATES.get(text) or STATES[text.partition(" ")[0].rstrip("+")]
    except KeyError:
        raise ValueError(f"State is {text!r}, which Slurm is not known to have") from None
