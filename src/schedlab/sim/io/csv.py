"""CSV: a plain table for any CSV reader, with the descriptions in a file beside it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from schedlab.atomic import atomic_write
from schedlab.errors import InputError
from schedlab.sim.io.description import from_json, to_json
from schedlab.sim.io.format import ScheduleTable
from schedlab.sim.io.table import joint_frame
from schedlab.sim.schedule import Schedule


def description_path(path: Path) -> Path:
    """Return ``FILE.meta.json`` for ``FILE``."""
    return path.with_name(path.name + ".meta.json")


def beside(path: Path) -> tuple[Path, ...]:
    """Return the path of the description."""
    return (description_path(path),)


def write(schedules: Sequence[Schedule], path: Path) -> None:
    """Write a header line, then one line per job and policy."""
    with atomic_write(path) as temporary:
        joint_frame(schedules).write_csv(temporary)
    with atomic_write(description_path(path)) as temporary:
        temporary.write_text(to_json(schedules) + "\n", encoding="utf-8")


def read(path: Path) -> ScheduleTable:
    """Read any CSV with the columns of a schedule; the description beside it may be absent.

    Everything is read as text, so that a user named "007" keeps that name.
    """
    import polars as pl

    try:
        frame = pl.read_csv(path, infer_schema=False)
    except (pl.exceptions.PolarsError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: not a CSV table: {error}") from None
    description = description_path(path)
    if not description.is_file():
        return ScheduleTable(frame)
    try:
        return ScheduleTable(frame, from_json(description.read_bytes()))
    except (OSError, InputError) as error:
        raise InputError(f"{description}: {error}") from None
