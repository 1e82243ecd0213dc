"""Readers of schedules that other programs and real clusters made."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from schedlab.audit.readers.batsim import is_batsim, read_batsim
from schedlab.audit.readers.observed import Observed, ScheduleReader
from schedlab.audit.readers.swf import read_swf
from schedlab.audit.readers.table import read_table
from schedlab.errors import InputError, UnknownNameError
from schedlab.workload.readers.source import Source

__all__ = ["SCHEDULE_READERS", "Observed", "ScheduleReader", "choose_observed", "read_observed"]

SCHEDULE_READERS: dict[str, ScheduleReader] = {
    "swf": ScheduleReader((".swf", ".swf.gz"), read_swf),
    "batsim": ScheduleReader((".csv",), read_batsim, is_batsim),
    "schedlab": ScheduleReader((".csv", ".parquet", ".pq"), read_table),
}


def read_observed(
    path: str | Path, *, format: str | None = None, nodes: int | None = None
) -> list[Observed]:
    """The schedules in a file: one, or one per policy in a table of our own.

    Args:
        path: the file.
        format: a name in ``SCHEDULE_READERS``; without it the suffix and the first line decide.
        nodes: size of the machine; by default what the file tells.
    """
    name = format or _format_of(Source.load(path))
    if name not in SCHEDULE_READERS:
        raise UnknownNameError("schedule format", name, SCHEDULE_READERS)
    found = SCHEDULE_READERS[name].read(Path(path), nodes)
    if not found:
        raise InputError(f"{path}: has no jobs")
    return found


def choose_observed(found: Sequence[Observed], name: str | None, policy: str) -> Observed:
    """The schedule of that name; without one the only schedule, or the one named as the policy."""
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
