"""Read a running Slurm by its commands, with reading rights only."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from schedlab.errors import PeerError
from schedlab.live.peer import TIMEOUT_S, Ended
from schedlab.live.queue import Owner, Reading
from schedlab.live.slurm.answers import closed_nodes, live_jobs
from schedlab.slurm.real_slurm import RealSlurm

_SHARES = ("sshare", "--all", "--noheader", "--parsable2", "--format=Account,User,RawUsage")


@dataclass(frozen=True)
class SlurmReader:
    """Reads the queue, the nodes and the shares of a cluster with three requests.

    Args:
        slurm: the cluster.
        timeout_s: how long slurmctld may take to answer each request.
        with_factors: whether to read site factors too, with a fourth request.
    """

    slurm: RealSlurm
    timeout_s: float = TIMEOUT_S
    with_factors: bool = False

    def __post_init__(self) -> None:
        # Without this, Slurm cuts the list of an array's tasks after 64 characters.
        environment: Mapping[str, str] = {**self.slurm.environment, "SLURM_BITSTR_LEN": "0"}
        object.__setattr__(self, "slurm", replace(self.slurm, environment=environment))

    def read(self) -> Reading:
        """Look at the cluster now; PeerError if it does not answer."""
        begun, tick = time.time(), time.monotonic()
        jobs, notes = live_jobs(self._json("squeue", "--all", "--states=all", "--json"))
        closed = closed_nodes(self._json("sinfo", "--json"))
        usage = read_usage(self.slurm, self.timeout_s)
        if self.with_factors:
            factors = self.site_factors()
            jobs = [replace(job, site_factor=factors.get(job.raw_id, 0)) for job in jobs]
        took_s = time.monotonic() - tick
        return Reading(begun, tuple(jobs), closed, usage, took_s, tuple(notes))

    def site_factors(self) -> dict[int, int]:
        """Return the site factors that are not 0, by the raw ids of waiting jobs."""
        text = self.slurm.run("sprio", "--noheader", "--format=%i %S", timeout_s=self.timeout_s)
        pairs = (line.split() for line in text.splitlines() if line.strip())
        return {int(raw): int(factor) for raw, factor in pairs if int(factor)}

    def ended(self, names: Sequence[str]) -> dict[str, Ended]:
        """Return how jobs that left the queue have ended: state, start and end.

        Jobs that accounting does not know are left out.
        """
        found: dict[str, Ended] = {}
        for at in range(0, len(names), 500):
            text = self.slurm.run(
                *("sacct", "--allocations", "--noheader", "--parsable2"),
                *("--format=JobID,State,Start,End", "--jobs", ",".join(names[at : at + 500])),
                timeout_s=self.timeout_s,
            )
            for line in text.splitlines():
                name, state, start, end = line.split("|")
                found[name] = state.partition(" ")[0], _epoch(start), _epoch(end)
        return found

    def _json(self, *command: str) -> dict[str, Any]:
        text = self.slurm.run(*command, timeout_s=self.timeout_s)
        try:
            answer = json.loads(text)
        except ValueError as error:
            raise PeerError(f"{command[0]} --json: not JSON: {error}") from None
        if not isinstance(answer, dict):
            raise PeerError(f"{command[0]} --json: not an object")
        if answer.get("errors"):
            raise PeerError(f"{command[0]} --json: {answer['errors'][0]}")
        return answer


def read_usage(slurm: RealSlurm, timeout_s: float) -> dict[Owner, float]:
    """Return what users have used, by sshare; empty where Slurm keeps no shares."""
    try:
        text = slurm.run(*_SHARES, timeout_s=timeout_s)
    except PeerError:
        return {}
    found: dict[Owner, float] = {}
    for line in text.splitlines():
        account, user, used = (cell.strip() for cell in line.rsplit("|", 2))
        if user:
            found[account, user] = float(used or 0)
    return found


def _epoch(text: str) -> int | None:
    return int(text) if text.isdecimal() else None
