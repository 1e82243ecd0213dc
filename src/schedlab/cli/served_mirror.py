"""The live mirror of a site folder as the service shows it: one file, written after every look."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from schedlab.atomic import atomic_write
from schedlab.history.schema.times import format_time
from schedlab.history.web.mirror import MirrorState
from schedlab.live.queue import UNLIMITED_S, LiveJob, LiveStage
from schedlab.live.watch import StartsTold
from schedlab.platform.hostlist import expand_hosts

STALE_S = 600
"""A mirror that was silent for longer counts as stopped."""
_HELD = "JobHeld"


class ServedMirror:
    """Reads the file of the live mirror.

    Args:
        folder: the site folder.
    """

    def __init__(self, folder: Path) -> None:
        self._path = mirror_file(folder)

    def state(self) -> MirrorState | None:
        """Return the state that the mirror wrote last; None if it is too old, or missing."""
        try:
            said = json.loads(self._path.read_bytes())
        except (OSError, ValueError):
            return None
        if time.time() - said["at"] > STALE_S:
            return None
        starts = {job: (low, likely, high) for job, (low, likely, high) in said["starts"].items()}
        return MirrorState(said["at"], said["cluster"], said["records"], starts)


def mirror_file(folder: Path) -> Path:
    """Return the file that the mirror of a site folder writes."""
    return folder / "live" / "mirror.json"


def write_mirror(
    folder: Path, at: float, cluster: str, jobs: Iterable[LiveJob], told: Iterable[StartsTold]
) -> None:
    """Write the state of the scheduler, readable by its owner only: it shows all users' jobs."""
    path = mirror_file(folder)
    path.parent.mkdir(exist_ok=True)
    there = [job for job in jobs if job.stage is not LiveStage.ENDED]
    said = {
        "at": at,
        "cluster": cluster,
        "records": [record_of(job, cluster) for job in there],
        "starts": {each.job: (each.low, each.likely, each.high) for each in told},
    }
    with atomic_write(path) as temporary:
        temporary.touch(mode=0o600)
        temporary.write_text(json.dumps(said))


def record_of(job: LiveJob, cluster: str) -> dict[str, Any]:
    """Return the items of the standard record that the scheduler knows."""
    runs = job.stage is LiveStage.RUNS
    hosts = expand_hosts(job.hosts) if runs and job.hosts else ()
    state = ("suspended" if job.state == "SUSPENDED" else "running") if runs else "pending"
    known: dict[str, Any] = {
        "cluster": cluster,
        "jobid": job.id,
        "state": state,
        "queue_time": _moment(job.submit),
        "start_time": _moment(job.start) if runs else None,
        "eligible_time": _moment(job.eligible),
        "req_walltime_sec": job.limit_s if job.limit_s < UNLIMITED_S else None,
        "resource_req": {"num_host": len(hosts) or job.min_nodes or 1},
        "per_host": [{"node_id": host} for host in hosts] if runs else None,
        "user_identifier": job.user or None,
        "accounting_group": job.account or None,
        "partition": job.partition or None,
        "job_name": job.name or None,
        "attempt": job.restarts + 1 if job.restarts else None,
        "wait_reason": None if runs else _reason(job),
    }
    return {name: value for name, value in known.items() if value is not None}


def _reason(job: LiveJob) -> str | None:
    """Return why the job waits; Slurm's word if the scheduler has none for a held job."""
    if job.held and not job.reason.startswith(_HELD):
        return _HELD
    return job.reason or None


def _moment(epoch_s: int | None) -> str | None:
    return None if epoch_s is None else format_time(datetime.fromtimestamp(epoch_s, UTC))
