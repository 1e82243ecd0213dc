"""Schedules as files: saved, loaded and exported."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from schedlab.atomic import require_writable
from schedlab.command_files import input_file
from schedlab.errors import InputError, ParameterError, SchedlabError, UnknownNameError
from schedlab.sim.io import batsim_read, batsim_write, chrome_trace, csv, parquet, swf
from schedlab.sim.io.format import ScheduleFormat
from schedlab.sim.io.table import schedules_of
from schedlab.sim.schedule import Schedule

FORMATS: dict[str, ScheduleFormat] = {
    "parquet": ScheduleFormat((".parquet", ".pq"), parquet.write, parquet.read),
    "batsim": ScheduleFormat(
        ("_jobs.csv",), batsim_write.write, batsim_read.read, batsim_write.beside, single=True
    ),
    "csv": ScheduleFormat((".csv",), csv.write, csv.read, csv.beside),
    "swf": ScheduleFormat((".swf", ".swf.gz"), swf.write, single=True),
    "chrome-trace": ScheduleFormat((".json", ".json.gz"), chrome_trace.write),
}


def save_schedules(
    schedules: Schedule | Sequence[Schedule], path: str | Path, format: str | None = None
) -> None:
    """Write one or more schedules to a file, in the format that the ending of its name gives.

    Parquet and CSV can be loaded again; Batsim's ``_jobs.csv``, SWF and Chrome-trace JSON are for
    other programs.
    """
    schedules = [schedules] if isinstance(schedules, Schedule) else list(schedules)
    check_saving([schedule.policy for schedule in schedules], path, format)
    _format(Path(path), format).write(schedules, Path(path))


def check_saving(policies: Sequence[str], path: str | Path, format: str | None = None) -> None:
    """Refuse, before anything is simulated, what ``save_schedules`` would refuse afterwards."""
    path = Path(path)
    if not policies:
        raise ParameterError(f"{path}: there is no schedule to save")
    twice = {name for name in policies if policies.count(name) > 1}
    if twice:
        raise ParameterError(f'two schedules of policy "{min(twice)}"; a file holds one per policy')
    known = _format(path, format)
    if known.single and len(policies) != 1:
        raise ParameterError(f"{path}: this format holds one schedule; {len(policies)} were given")
    for each in (path, *known.beside(path)):
        require_writable(each)


def load_schedules(
    path: str | Path, format: str | None = None, *, nodes: int | None = None
) -> list[Schedule]:
    """Read the schedules in a Parquet or CSV file, one per policy, or in a file of Batsim.

    Args:
        path: the file.
        format: its format, if its name does not show it.
        nodes: size of the machine. Default: the one that the file names, or the peak use if it
            names none.
    """
    path = Path(path)
    read = _format(path, format).read
    if read is None:
        loadable = ", ".join(name for name, known in FORMATS.items() if known.read)
        raise InputError(f"{path}: schedules can be loaded only from {loadable}")
    try:
        return schedules_of(read(input_file(path)), nodes)
    except InputError:
        raise
    except (OSError, SchedlabError) as error:
        raise InputError(f"{path}: {error}") from None


def _format(path: Path, name: str | None) -> ScheduleFormat:
    if name is not None:
        if name not in FORMATS:
            raise UnknownNameError("schedule format", name, FORMATS)
        return FORMATS[name]
    for known in FORMATS.values():
        if path.name.lower().endswith(known.suffixes):
            return known
    allowed = ", ".join(suffix for known in FORMATS.values() for suffix in known.suffixes)
    raise ParameterError(f"{path}: the name of a schedule file must end in one of {allowed}")
