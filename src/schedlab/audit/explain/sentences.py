"""Sentences that describe departures."""

from __future__ import annotations

from collections.abc import Iterable

from schedlab.audit.explain.instant import Instant
from schedlab.audit.verdict import Departure, Reason
from schedlab.audit.wording import count_nodes


def late(instant: Instant, job: int, reason: Reason, why: str, **details: float) -> Departure:
    """Return the departure of a job that the policy starts now, but the schedule later or never."""
    instead = f"; {_jobs(instant, instant.early)} started instead" if instant.early else ""
    sentence = f"could have started at {instant.time_s} ({why}) but {fate(instant, job)}{instead}"
    return departure(instant, job, reason, sentence, details)


def early(instant: Instant, job: int, reason: Reason, what: str, **details: float) -> Departure:
    """Return the departure of a job that the schedule starts now, but the policy later or never."""
    return departure(instant, job, reason, f"started at {instant.time_s} {what}", details)


def too_few_nodes(instant: Instant, job: int, free: int) -> Departure:
    """Return the departure of a job that starts on nodes that other jobs hold or take before it."""
    needed = instant.nodes(job)
    what = f"on {count_nodes(needed)} when those ahead of it left only {free} free"
    return early(instant, job, "too few nodes", what, free_nodes=free, needed_nodes=needed)


def delayed(
    instant: Instant, job: int, other: int, first_reserved_s: int, spare: int, whom: str = ""
) -> Departure:
    """Return the departure of a job that holds nodes promised to another job from some time on."""
    needed, until_s = instant.nodes(job), instant.asked_until_s(job)
    end_s = instant.replay.observed.end_s[job]
    in_time = f"; it ended at {end_s}, in time, but only its request counts"
    what = (
        f"and delayed {whom}job {instant.job_id(other)}, promised for {first_reserved_s} "
        f"(asks for {count_nodes(needed)} until {until_s}, {spare} to spare)"
        f"{in_time if end_s <= first_reserved_s else ''}"
    )
    return early(
        instant,
        job,
        "delayed a promise",
        what,
        delayed_job_id=instant.job_id(other),
        first_reserved_s=first_reserved_s,
        needed_nodes=needed,
        asked_until_s=until_s,
        spare_nodes=spare,
    )


def before_frozen_start(instant: Instant, job: int, start_s: int) -> Departure:
    """Return the departure of a job that starts before its frozen start, which is always kept."""
    what = f"although its start is frozen at {start_s}"
    return early(instant, job, "before its promise", what, first_reserved_s=start_s)


def beyond_depth(instant: Instant, job: int, place: int) -> Departure:
    """Return the departure of a job too far back in the queue for the policy to consider it."""
    what = f"from place {place + 1} in the queue, and the policy considers only {instant.depth}"
    return early(instant, job, "beyond depth", what, place=place + 1)


def departure(
    instant: Instant, job: int, reason: Reason, sentence: str, details: dict[str, float]
) -> Departure:
    """Return the departure of a job, with a sentence that begins with the job's number."""
    return Departure(
        reason,
        instant.job_id(job),
        instant.time_s,
        _start_or_none(instant.replay.observed.start_s[job]),
        _start_or_none(instant.replay.policy.start_s[job]),
        f"job {instant.job_id(job)} {sentence}",
        details,
    )


def _start_or_none(start_s: int) -> int | None:
    return int(start_s) if start_s >= 0 else None


def fate(instant: Instant, job: int) -> str:
    """Say when the job started in the observed schedule, or that it never did."""
    start_s = instant.replay.observed.start_s[job]
    return f"started at {start_s}" if start_s >= 0 else "never started"


def _jobs(instant: Instant, jobs: Iterable[int]) -> str:
    ids = sorted(instant.job_id(job) for job in jobs)
    if len(ids) == 1:
        return f"job {ids[0]}"
    shown = ids[:3] if len(ids) > 4 else ids[:-1]
    rest = f"{len(ids) - 3} more" if len(ids) > 4 else str(ids[-1])
    return f"jobs {', '.join(map(str, shown))} and {rest}"
