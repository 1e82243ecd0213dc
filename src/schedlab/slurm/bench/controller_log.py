"""Slurmctld's log of a replay: the lines of that time, and exact starts and ends."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from schedlab.atomic import atomic_write

BEFORE_S = 3600.0
"""Lines from this time before a replay are kept, because they show the phases of the loops."""
_STARTS = {
    "main": re.compile(r"sched: Allocate JobId=(?:(\d+)_(\d+)\(\d+\)|(\d+)) NodeList=(\S+)"),
    "backfill": re.compile(
        r"backfill: (?:_start_job: )?Started JobId=(?:(\d+)_(\d+)\(\d+\)|(\d+)) in \S+ on (\S+)"
    ),
}
_END = re.compile(
    r"(?:_job_complete|job_complete): JobId=(?:(\d+)_(\d+)\(\d+\)|(\d+)) done|"
    r"Time limit exhausted for JobId=(?:(\d+)_(\d+)\(\d+\)|(\d+))"
)


def copy_log(log: Path, folder: Path, begin_s: float) -> None:
    """Write slurmctld.log.gz, with times in UTC, and starts.csv.

    Args:
        log: the log of this machine's slurmctld, with local times.
        folder: the folder of the replay.
        begin_s: the moment of offset 0.
    """
    starts: list[list[str]] = []
    running: dict[tuple[str, str], list[str]] = {}
    with (
        atomic_write(folder / "slurmctld.log.gz") as temporary,
        gzip.open(temporary, "wt", encoding="utf-8") as copy,
    ):
        for moment_s, line in _lines(log):
            if moment_s < begin_s - BEFORE_S:
                continue
            stamp = datetime.fromtimestamp(moment_s, UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3]
            copy.write(f"[{stamp}]{line}")
            _note(line, f"{moment_s - begin_s:.3f}", starts, running)
    header = "job|jobid|task|start_offset_s|started_by|nodes|end_offset_s"
    with atomic_write(folder / "starts.csv") as temporary:
        text = "\n".join([header, *("|".join(each) for each in starts)]) + "\n"
        temporary.write_text(text, encoding="utf-8")


def _note(
    line: str, offset: str, starts: list[list[str]], running: dict[tuple[str, str], list[str]]
) -> None:
    for by, pattern in _STARTS.items():
        if match := pattern.search(line):
            job, task = (match[1], match[2]) if match[1] else (match[3], "")
            starts.append(["", job, task, offset, by, match[4], ""])
            running[job, task] = starts[-1]
            return
    if match := _END.search(line):
        found = [each or "" for each in match.groups()]
        job, task = (found[0] or found[3], found[1] or found[4])
        ended = running.pop((job or found[2] or found[5], task), None)
        if ended is not None:
            ended[-1] = offset


def _lines(log: Path) -> Iterator[tuple[float, str]]:
    """Yield the moment of every line, and the text after it."""
    with log.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            stamp, bracket, rest = line[1:].partition("]")
            try:
                moment_s = datetime.fromisoformat(stamp).timestamp()
            except ValueError:
                continue
            if bracket:
                yield moment_s, rest
