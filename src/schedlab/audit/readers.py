"""Readers of schedules that other programs and real clusters made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from schedlab.errors import InputError, PlatformError, UnknownNameError
from schedlab.platform import Platform, platform_from_header
from schedlab.sim import JobOutcome, Schedule, load_schedules
from schedlab.workload import Workload, read_workload
from schedlab.workload.readers.source import Source


@dataclass(frozen=True)
class Observed:
    """A schedule from another program or a real cluster, and what had to be assumed to read it."""

    schedule: Schedule
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class ScheduleReader:
    """A format of schedule files: how to recognise and read it."""

    suffixes: tuple[str, ...]
    read: Callable[[Path, int | None], list[Observed]]
    """Read the schedules of the file, on the given nodes or on those that the file names."""
    recognises: Callable[[bytes], bool] = lambda first_line: True
    """Whether a file with such a suffix and this first line has this format."""


def size_note(observed: Schedule, nodes: int | None) -> list[str]:
    """Return the message for a file without the size of the machine."""
    if nodes is not None or "platform" in observed.provenance:
        return []
    taken = f"{observed.platform.nodes:,} nodes, the peak use"
    return [f"the size of the machine is not given; taken are {taken}"]


def read_swf(path: Path, nodes: int | None) -> list[Observed]:
    """Return the trace as a schedule: start = submission + wait, end = start + run time.

    A job withdrawn while it waited has no start and leaves the queue after its wait.
    """
    workload = read_workload(path, format="swf", cancelled="replay")
    wait_s = workload["wait_s"]
    started = (wait_s >= 0) & (workload["cancel_after_s"] < 0)
    if not started.any():
        raise InputError(f"{path}: has no wait times (field 3), so no job has a start")
    start_s = np.where(started, workload["submit_s"] + wait_s, -1)
    schedule = Schedule(
        workload,
        _platform(path, workload, nodes),
        policy=workload.name,
        start_s=start_s,
        end_s=np.where(started, start_s + workload["run_s"], -1),
        eligible_s=workload["submit_s"],
        first_reserved_s=np.full(len(workload), -1),
        state=np.where(started, JobOutcome.COMPLETED, JobOutcome.CANCELLED).astype(np.int8),
    )
    changes = replace(workload.report, noticed={})
    return [Observed(schedule, tuple(changes.lines()))]


def _platform(path: Path, workload: Workload, nodes: int | None) -> Platform:
    if nodes is not None:
        return Platform.homogeneous(nodes)
    try:
        return platform_from_header(workload)
    except PlatformError as error:
        raise InputError(f"{path}: {error}") from None


def read_table(path: Path, nodes: int | None) -> list[Observed]:
    """Return the schedules of the table, one per policy it names."""
    return read_as("csv" if path.suffix.lower() == ".csv" else "parquet", path, nodes)


def read_as(format: str, path: Path, nodes: int | None) -> list[Observed]:
    """Return the schedules in a file of that format, with what had to be assumed."""
    return [
        Observed(schedule, (*schedule.workload.report.lines(), *size_note(schedule, nodes)))
        for schedule in load_schedules(path, format, nodes=nodes)
    ]


def is_batsim(first_line: bytes) -> bool:
    """Return whether the line names a column that only Batsim has."""
    return b"requested_number_of_" in first_line


def read_batsim(path: Path, nodes: int | None) -> list[Observed]:
    """Return the jobs of one simulation."""
    return read_as("batsim", path, nodes)


SCHEDULE_READERS: dict[str, ScheduleReader] = {
    "swf": ScheduleReader((".swf", ".swf.gz"), read_swf),
    "batsim": ScheduleReader((".csv",), read_batsim, is_batsim),
    "schedlab": ScheduleReader((".csv", ".parquet", ".pq"), read_table),
}


def read_observed(
    path: str | Path, *, format: str | None = None, nodes: int | None = None
) -> list[Observed]:
    """Return the schedules in a file: one, or one per policy in a table of schedlab.

    Args:
        path: the file.
        format: a name in ``SCHEDULE_READERS``; without it the suffix and the first line decide.
        nodes: size of the machine. Default: what the file says.
    """
    name = format or _format_of(Source.load(path))
    if name not in SCHEDULE_READERS:
        raise UnknownNameError("schedule format", name, SCHEDULE_READERS)
    found = SCHEDULE_READERS[name].read(Path(path), nodes)
    if not found:
        raise InputError(f"{path}: has no jobs")
    return found


def find_observed(found: Sequence[Observed], name: str | None, policy: str) -> Observed:
    """Return the schedule with this name.

    Without a name, return the only schedule, or the schedule with the name of the policy.
    """
    by_name = {observed.schedule.policy: observed for observed in found}
    if name is not None and name not in by_name:
        raise UnknownNameError("schedule", name, by_name)
    if name is None and len(found) > 1 and policy not in by_name:
        raise InputError(f"the file holds schedules of {', '.join(by_name)}; choose one to audit")
    return found[0] if name is None and len(found) == 1 else by_name[name or policy]


def _format_of(source: Source) -> str:
    first_line = source.raw.partition(b"\n")[0]
    for name, reader in SCHEDULE_READERS.items():
        if source.path.name.lower().endswith(reader.suffixes) and reader.recognises(first_line):
            return name
    suffixes = sorted({suffix for each in SCHEDULE_READERS.values() for suffix in each.suffixes})
    raise InputError(
        f"{source.path}: the name of a schedule file must end in one of {', '.join(suffixes)}"
    )
