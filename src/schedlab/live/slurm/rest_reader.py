"""Read a running Slurm through slurmrestd, with reading rights only."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from schedlab.errors import PeerError
from schedlab.live.given import GivenPriorities
from schedlab.live.peer import TIMEOUT_S, Ended
from schedlab.live.queue import LiveJob, Owner, Reading
from schedlab.live.slurm.answers import closed_nodes, live_jobs
from schedlab.live.slurm.rest import SlurmRest


@dataclass(frozen=True)
class RestReader:
    """Reads the queue and the nodes: what ``SlurmReader`` reads by commands.

    Args:
        rest: slurmrestd.
        usage: returns what users have used, which slurmrestd of 22.05 does not give.
        timeout_s: how long slurmctld may take to answer each request.
        given: knows which nice values steering has set; None if factors are not asked for.
    """

    rest: SlurmRest
    usage: Callable[[], Mapping[Owner, float]]
    timeout_s: float = TIMEOUT_S
    given: GivenPriorities | None = None

    def read(self) -> Reading:
        """Look at the cluster now; PeerError if it does not answer."""
        begun, tick = time.time(), time.monotonic()
        if self.given is not None:
            self.given.read_on()
        jobs, notes = live_jobs(self.rest.get("jobs/", self.timeout_s))
        closed = closed_nodes(self.rest.get("nodes/", self.timeout_s))
        usage = self.usage()
        if self.given is not None:
            jobs = [_with_factor(job, self.given) for job in jobs]
        took_s = time.monotonic() - tick
        return Reading(begun, tuple(jobs), closed, usage, took_s, tuple(notes))

    def ended(self, names: Sequence[str]) -> dict[str, Ended]:
        """Return how jobs that left the queue have ended: state, start and end.

        Jobs that accounting does not know are left out.
        """
        found: dict[str, Ended] = {}
        for number in dict.fromkeys(name.partition("_")[0] for name in names):
            answer = self.rest.get_accounting(f"job/{number}", self.timeout_s)
            for each in answer.get("jobs") or ():
                try:
                    name, how = _ended(each)
                except (KeyError, TypeError, ValueError, AttributeError) as error:
                    raise PeerError(f"job {number}: not readable: {error}") from None
                if name in names:
                    found[name] = how
        return found


def _with_factor(job: LiveJob, given: GivenPriorities) -> LiveJob:
    """Return the job with its own nice, and what steering has added: nice lowers a priority."""
    base = given.base(job.handle, -job.nice)
    return replace(job, nice=-base, base=base, site_factor=-job.nice - base)


def _ended(each: Mapping[str, Any]) -> tuple[str, Ended]:
    array, times = each["array"], each["time"]
    name = f"{array['job_id']}_{array['task_id']}" if array["job_id"] else str(each["job_id"])
    state = each["state"]["current"]
    word = state if isinstance(state, str) else state[0]
    return name, (word, times["start"] or None, times["end"] or None)
