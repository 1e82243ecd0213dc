"""Why a job waits, in the words of squeue."""

from __future__ import annotations

NO_REASON = "None"
PRIORITY = "Priority"
RESOURCES = "Resources"
HELD_BY_USER = "JobHeldUser"
HELD_BY_ADMIN = "JobHeldAdmin"
DEPENDENCY = "Dependency"
NEVER = "DependencyNeverSatisfied"
ARRAY_LIMIT = "JobArrayTaskLimit"
BEGIN_TIME = "BeginTime"
RESERVATION = "Reservation"
PARTITION_DOWN = "PartitionDown"
LICENSES = "Licenses"
NOT_AVAILABLE = "ReqNodeNotAvail"
RESERVED = "ReqNodeNotAvail, May be reserved for other job"

REASONS = (
    *(NO_REASON, PRIORITY, RESOURCES, HELD_BY_USER, HELD_BY_ADMIN, DEPENDENCY, NEVER),
    *(ARRAY_LIMIT, BEGIN_TIME, RESERVATION, PARTITION_DOWN, LICENSES, NOT_AVAILABLE, RESERVED),
)
"""The reasons that are not limits; cpp/slurm/wait_reason.h has them in this order."""
GO_BY_THEMSELVES = frozenset([DEPENDENCY, NEVER, BEGIN_TIME, RESERVATION, PARTITION_DOWN])
"""Reasons cleared when the job is in the queue again; others stay until the job is tested."""

_WORDS = {"cpu": "Cpu", "mem": "Memory", "node": "Node", "billing": "Billing"}
_WITH_LIMIT = ("cpu", "node")  # their reasons end in Limit where no minutes are limited


def group_reason(of: str, tres: str) -> str:
    """Return the reason of GrpTRES, of a QOS or of an association (Assoc)."""
    word = "Mem" if tres == "mem" else _word(of, tres)
    return f"{of}Grp{word}" + ("Limit" if tres in (*_WITH_LIMIT, "mem") else "")


def group_minutes_reason(of: str, tres: str, minutes: str) -> str:
    """Return the reason of GrpTRESMins (Minutes) or GrpTRESRunMins (RunMinutes)."""
    return f"{of}GrpCPU{minutes}Limit" if tres == "cpu" else f"{of}Grp{_word(of, tres)}{minutes}"


def user_reason(tres: str) -> str:
    """Return the reason of MaxTRESPerUser of a QOS."""
    return f"QOSMax{_word('QOS', tres)}PerUser" + ("Limit" if tres in _WITH_LIMIT else "")


def account_reason(tres: str) -> str:
    """Return the reason of MaxTRESPerAccount of a QOS."""
    return f"Max{_word('QOS', tres)}PerAccount"


def job_reason(of: str, tres: str) -> str:
    """Return the reason of MaxTRESPerJob."""
    return f"{of}Max{_word(of, tres)}PerJob" + ("Limit" if tres in _WITH_LIMIT else "")


def job_minutes_reason(of: str, tres: str) -> str:
    """Return the reason of MaxTRESMinsPerJob."""
    return f"{of}Max{_word(of, tres)}MinutesPerJob" + ("Limit" if tres == "cpu" else "")


def _word(of: str, tres: str) -> str:
    if tres.startswith("gres/"):
        return "GRES"
    if tres == "mem" and of == "Assoc":
        return "Mem"
    return _WORDS.get(tres, "Unknown")
