"""What slurmctld's log shows: the phases of its loops, and when it knew of each job."""

from __future__ import annotations

import gzip
import math
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO

from schedlab.command_files import input_file
from schedlab.slurm.clocks import KNOWN_LOOP_S, LATEST_ANSWER_S, LIMITS_S, TICK_S, Clocks
from schedlab.slurm.dump.findings import ImportReport
from schedlab.slurm.parameters import SlurmParameters

_MAIN = "sched: Running job scheduler"
_WHOLE_QUEUE = "full queue"
_BACKFILL = "_attempt_backfill: beginning"
_PRIORITY = "MULTIFACTOR plugin loaded"
_KILL = "Time limit exhausted"
_SUBMIT = re.compile(r"_slurm_rpc_submit_batch_job: JobId=(\d+) ")
_SUBMIT_TAKES_S = 0.0005


def clocks_of_log(
    path: Path, epoch_s: int, last_s: float, parameters: SlurmParameters, report: ImportReport
) -> Clocks | None:
    """Return the phases that a log with ``SlurmctldDebug=debug`` and ``DebugFlags=Backfill`` shows.

    Args:
        path: the log; its times are taken as UTC.
        epoch_s: the moment of time 0 of the history.
        last_s: the last submission of the history.
        parameters: periods of the loops.
        report: receives a remark if the log does not show the phases.
    """
    seen: dict[str, list[float]] = {_MAIN: [], _BACKFILL: [], _PRIORITY: [], _KILL: []}
    full: list[float] = []
    for moment_s, line in _lines(path):
        for what, moments in seen.items():
            if what in line:
                moments.append(moment_s - epoch_s)
        if _MAIN in line and _WHOLE_QUEUE in line:
            full.append(moment_s - epoch_s)
    tests = _tests(seen[_KILL])
    ticks = _ticks(seen[_MAIN], tests)
    turns = set(ticks)
    needs_backfill = parameters.scheduler.type == "sched/backfill"
    if not ticks or not full or (needs_backfill and not seen[_BACKFILL]):
        report.note(
            f"{path.name}: does not tell when the schedulers ran; with SlurmctldDebug=debug and "
            "DebugFlags=Backfill it does. The twin draws the phases of its loops."
        )
        return None
    if ticks[0] > last_s or ticks[-1] < 0:
        report.note(f"{path.name}: its times, taken as UTC, lie outside the history: not used.")
        return None
    calc_s = parameters.priority.calc_period_s
    loaded_s = seen[_PRIORITY][0] if seen[_PRIORITY] else ticks[0]
    return Clocks(
        tick_s=ticks[0],
        backfill_s=seen[_BACKFILL][0] if seen[_BACKFILL] else ticks[0],
        limits_s=_limits_s(seen[_KILL], ticks[0], parameters, epoch_s),
        priority_s=loaded_s + calc_s,
        full_s=full[0] - KNOWN_LOOP_S - parameters.scheduler.sched_interval_s,
        ticks=tuple(ticks),
        backfills=tuple(seen[_BACKFILL]),
        limits=tuple(tests),
        after_kills=tuple(run_s for run_s in seen[_MAIN] if run_s not in turns),
        submit_delay_s=0.0,
    )


def submissions_of_log(path: Path, epoch_s: int) -> dict[str, float]:
    """Return when slurmctld knew of each job or array, by its number, on the history's clock."""
    found: dict[str, float] = {}
    for moment_s, line in _lines(path):
        if match := _SUBMIT.search(line):
            found.setdefault(match[1], moment_s - epoch_s - _SUBMIT_TAKES_S)
    return found


def _lines(path: Path) -> Iterator[tuple[float, str]]:
    with _open(path) as log:
        for line in log:
            try:
                moment = datetime.fromisoformat(line[1 : line.index("]")])
            except ValueError:
                continue
            yield moment.replace(tzinfo=UTC).timestamp(), line


def _open(path: Path) -> TextIO:
    input_file(path)
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8", errors="replace")
    return path.open(encoding="utf-8", errors="replace")


def _tests(kills: list[float]) -> list[float]:
    """Return tests of time limits that found jobs: the first kill of each."""
    found: list[float] = []
    for kill_s in kills:
        if not found or kill_s - found[-1] > LATEST_ANSWER_S:
            found.append(kill_s)
    return found


def _ticks(runs: list[float], tests: list[float]) -> list[float]:
    """Return turns of the loop: tests of limits, and runs of the main scheduler that it made.

    Such runs come a whole number of turns after the turn before them.
    """
    found: list[float] = []
    for moment_s, is_test in sorted([(x, True) for x in tests] + [(x, False) for x in runs]):
        if is_test:
            found.append(moment_s)
            continue
        if any(0 < moment_s - test_s < LATEST_ANSWER_S for test_s in tests):
            continue
        turns = (moment_s - found[-1]) / TICK_S if found else 0.0
        if abs(turns - round(turns)) < 0.2 + 0.002 * turns:
            found.append(moment_s)
    return found


def _limits_s(
    kills: list[float], first_s: float, parameters: SlurmParameters, epoch_s: int
) -> float:
    """Return a test of time limits before the first turn."""
    boot_epoch_s = parameters.control.boot_epoch_s
    known_s = first_s if boot_epoch_s is None else boot_epoch_s - epoch_s
    known_s = math.floor(kills[0]) if kills else known_s
    return known_s - LIMITS_S * math.ceil((known_s - first_s) / LIMITS_S)
