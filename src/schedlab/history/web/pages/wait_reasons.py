"""Why a job waits, in words: what Slurm says, and what that means."""

from __future__ import annotations

from collections.abc import Mapping

REASONS: Mapping[str, str] = {
    "Resources": "too few nodes are free for it",
    "Priority": "jobs with a higher priority come first",
    "Dependency": "other jobs must end first",
    "DependencyNeverSatisfied": "a job that it depends on did not end as it had to",
    "BeginTime": "it asked to begin later",
    "JobHeld": "held",
    "JobHeldUser": "held by its user",
    "JobHeldAdmin": "held by an administrator",
    "JobHoldMaxRequeue": "held: it was queued again too many times",
    "JobArrayTaskLimit": "its array runs as many tasks as it may",
    "Licenses": "too few licences are free",
    "Reservation": "its reservation has not begun",
    "ReqNodeNotAvail": "a node that it needs is down, drained or reserved",
    "NodeDown": "a node that it needs is down",
    "BadConstraints": "no node has what it asks for",
    "PartitionDown": "its partition is down",
    "PartitionInactive": "its partition is not active",
    "PartitionTimeLimit": "it asks for more time than its partition allows",
    "PartitionNodeLimit": "it asks for more nodes than its partition allows",
    "Cleaning": "its last attempt is being cleaned up",
    "FrontEndDown": "no front end is up",
}
_LIMITS = {
    "QOS": "a limit of its QOS is reached",
    "MaxQOS": "a limit of its QOS is reached",
    "Assoc": "a limit of its account is reached",
    "MaxJobs": "a limit of its account is reached",
    "MaxCpu": "a limit of its account is reached",
    "MaxNode": "a limit of its account is reached",
    "MaxMem": "a limit of its account is reached",
    "MaxWall": "a limit of its account is reached",
    "MaxSubmit": "a limit of its account is reached",
    "MaxGRES": "a limit of its account is reached",
}


def reason_in_words(reason: str | None) -> tuple[str, str]:
    """Return the meaning of a reason, empty if it is unknown, and the scheduler's own words."""
    if not reason:
        return "", ""
    word = reason.partition(",")[0].strip()
    meant = REASONS.get(word)
    if meant is None:
        meant = next((told for begin, told in _LIMITS.items() if word.startswith(begin)), "")
    return meant, reason
