"""Read Grid Engine's file of ended jobs as it grows."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from schedlab.errors import PeerError
from schedlab.live.peer import Ended
from schedlab.live.queue import UNLIMITED_S, LiveJob, LiveStage
from schedlab.workload.readers.grid_engine_row import Row, parse_row, requests_in, seconds_in

TAIL_BYTES = 16 << 20
"""Number of bytes at the end of the file to learn from: some ten thousand jobs."""
KEPT = 50_000
"""Maximum number of ended jobs that are kept until they are asked for."""
RESCHEDULED = frozenset({24, 25})
"""The values of ``failed`` for runs that were requeued: migrating, or rescheduling."""
_CUT_S = 2  # start and end are written in whole seconds


class Accounting:
    """Reads the accounting file from a place on.

    Args:
        path: the file.
        back: number of bytes before the present end of the file at which to begin.
    """

    def __init__(self, path: Path, back: int = 1 << 20) -> None:
        self._path = path
        try:
            self._place = max(path.stat().st_size - back, 0)
        except OSError:
            self._place = 0
        self._is_inside = self._place > 0  # the place may be within a line
        self._ended: dict[str, Ended] = {}

    def ended(self, names: list[str]) -> dict[str, Ended]:
        """Return how jobs ended; PeerError if the file cannot be read."""
        for row in self._rows():
            self._ended[_name(row)] = _state(row), _epoch(row.started), _epoch(row.ended)
        for name in list(self._ended)[:-KEPT]:
            del self._ended[name]
        return {name: self._ended[name] for name in names if name in self._ended}

    def jobs(self) -> Iterator[LiveJob]:
        """Yield the jobs that have run."""
        for row in self._rows():
            if row.started is not None and row.ended is not None and row.submitted is not None:
                yield LiveJob(
                    id=_name(row),
                    stage=LiveStage.ENDED,
                    state=_state(row),
                    user=row.owner,
                    submit=int(row.submitted.timestamp()),
                    limit_s=_limit_s(row) or UNLIMITED_S,
                    start=_epoch(row.started),
                    end=_epoch(row.ended),
                    cpus=row.slots,
                )

    def _rows(self) -> Iterator[Row]:
        try:
            with self._path.open("rb") as file:
                if file.seek(0, 2) < self._place:  # the file was rotated, and begins again
                    self._place, self._is_inside = 0, False
                file.seek(self._place)
                for line in file:
                    if not line.endswith(b"\n"):
                        return
                    self._place += len(line)
                    if not self._is_inside and (row := _row(line)) is not None:
                        yield row
                    self._is_inside = False
        except OSError as error:
            raise PeerError(f"{self._path}: {error.strerror}") from None


def _row(line: bytes) -> Row | None:
    """Return the row of a job that has ended; None for any other line."""
    text = line.decode("utf-8", errors="replace").rstrip("\n")
    if not text or text.startswith("#"):
        return None
    try:
        row = parse_row(text)
    except ValueError:
        return None
    return None if row.is_slave or row.failed in RESCHEDULED else row


def _name(row: Row) -> str:
    return f"{row.job}.{row.task}" if row.task else str(row.job)


def _limit_s(row: Row) -> int | None:
    asked = requests_in(row.category)
    return seconds_in(asked.get("h_rt")) or seconds_in(asked.get("s_rt"))


def _state(row: Row) -> str:
    limit_s = _limit_s(row)
    if limit_s and row.started is not None and row.ended is not None:
        ran_s = (row.ended - row.started).total_seconds()
        if ran_s >= limit_s - _CUT_S and (row.failed or row.exit_status > 128):
            return "TIMEOUT"
    return "COMPLETED" if not (row.failed or row.exit_status) else "FAILED"


def _epoch(moment: datetime | None) -> int | None:
    return None if moment is None else int(moment.timestamp())
