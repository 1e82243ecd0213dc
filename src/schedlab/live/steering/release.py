"""Return all priorities to what they were: the end of any steering."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from schedlab.errors import PeerError, SchedlabError
from schedlab.live.given import key_of
from schedlab.live.ledger import Entry, read_ledger
from schedlab.live.peer import Hand, SchedulerReader
from schedlab.live.queue import LiveJob, LiveStage


def not_returned(entries: Iterable[Entry]) -> set[str]:
    """Return the keys of jobs whose last change in a log is not a return to 0."""
    found: set[str] = set()
    for entry in entries:
        if entry["kind"] == "change":
            change = found.add if entry["to"] else found.discard
            change(key_of(entry["job"]))
    return found


def steered(jobs: Iterable[LiveJob], known: set[str]) -> dict[str, LiveJob]:
    """Return the waiting jobs that have a factor, or may have one, by handle.

    Slurm does not show the factors of jobs that are held or wait for others; the log knows which
    of them were changed.
    """
    return {
        job.handle: job
        for job in jobs
        if job.stage is LiveStage.WAITS and (job.site_factor or key_of(job.handle) in known)
    }


def release_all(reader: SchedulerReader, hand: Hand, log: Path | None) -> int:
    """Remove what was added to priorities, and read them again; return the number of jobs.

    PeerError if the scheduler does not answer, or if a job still has a changed priority.

    Args:
        reader: a reader with factors.
        hand: sets the factors.
        log: the log of the steering; one that cannot be read does not stop the release.
    """
    known = _known(log)
    found = steered(reader.read().jobs, known)
    for handle, job in found.items():
        try:
            hand.set_factor(handle, job.base)
        except PeerError:  # it has started, or its array was split: the next look shows
            continue
    left = {job.handle for job in steered(reader.read().jobs, set()).values()}
    if left:
        raise PeerError(f"{len(left):,} jobs still have a changed priority, such as {min(left)}")
    return len(found)


def _known(log: Path | None) -> set[str]:
    if log is None or not log.exists():
        return set()
    try:
        return not_returned(read_ledger(log))
    except SchedlabError:
        return set()
