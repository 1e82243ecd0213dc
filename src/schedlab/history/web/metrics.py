"""Counts of answered requests, as Prometheus reads them.

Each worker writes its counts to a file in a shared folder, and the worker that is asked adds them
up: otherwise the counts would jump from those of one worker to those of another. A worker writes
in the background, not when it counts a request: a busy disk may keep a writer waiting for seconds.
"""

from __future__ import annotations

import asyncio
import json
import math
import os
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from threading import Lock

from starlette.concurrency import run_in_threadpool

from schedlab.atomic import atomic_write
from schedlab.errors import OutputError

FOLDER = "SCHEDLAB_SERVICE_METRICS"
"""The environment variable that names the folder; without it a worker is alone."""

_BOUNDS_S = {
    **{bound: f"{bound:g}" for bound in (0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1.0, 2.5, 10.0)},
    math.inf: "+Inf",
}
_SHARED_EVERY_S = 1.0
_FAMILIES = {
    "schedlab_requests_total": ("counter", "Answered requests."),
    "schedlab_request_seconds": ("histogram", "Time until a request was answered to its end."),
}


class Metrics:
    """Counts by series: a name with labels, as Prometheus writes it."""

    def __init__(self, folder: Path | None = None) -> None:
        self._counts: defaultdict[str, float] = defaultdict(float)
        self._lock = Lock()
        self._folder = folder

    @classmethod
    def start(cls) -> Metrics:
        """Return the counts of this process, shared with other workers if there are any."""
        folder = os.environ.get(FOLDER)
        return cls(Path(folder) if folder else None)

    def count_request(self, method: str, route: str, status: int, took_s: float) -> None:
        """Count one more answer."""
        at = f'method="{method}",route="{route}"'
        with self._lock:
            self._counts[f'schedlab_requests_total{{{at},status="{status}"}}'] += 1
            for bound, name in _BOUNDS_S.items():
                bucket = f'schedlab_request_seconds_bucket{{{at},le="{name}"}}'
                self._counts[bucket] += took_s <= bound
            self._counts[f"schedlab_request_seconds_sum{{{at}}}"] += took_s
            self._counts[f"schedlab_request_seconds_count{{{at}}}"] += 1

    async def keep_sharing(self) -> None:
        """Share the counts again and again; without other workers there is nothing to do."""
        while self._folder is not None:
            await asyncio.sleep(_SHARED_EVERY_S)
            with suppress(OutputError):  # a full disk, say; the service goes on, and tries again
                await run_in_threadpool(self.share)

    def share(self) -> None:
        """Write the counts to the shared folder, if there is one."""
        if self._folder is not None:
            with self._lock:
                counts = dict(self._counts)
            with atomic_write(self._folder / f"{os.getpid()}.json") as path:
                path.write_text(json.dumps(counts))

    def lines(self) -> Iterator[str]:
        """Yield the counts of all workers in Prometheus's text format."""
        self.share()
        counts = self._of_all_workers()
        for family, (kind, help_text) in _FAMILIES.items():
            yield f"# HELP {family} {help_text}"
            yield f"# TYPE {family} {kind}"
            for series, value in counts.items():
                if series.startswith(family):
                    yield f"{series} {value:.12g}"

    def _of_all_workers(self) -> Mapping[str, float]:
        if self._folder is None:
            with self._lock:
                return dict(self._counts)
        total: defaultdict[str, float] = defaultdict(float)
        for path in sorted(self._folder.glob("*.json")):
            with suppress(FileNotFoundError):
                for series, value in json.loads(path.read_text()).items():
                    total[series] += value
        return total
