"""Tables of texts or numbers turned into records."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from schedlab.errors import InputError, UnknownNameError
from schedlab.workload.readers.records import Records, malformed
from schedlab.workload.workload import COLUMNS, Array

if TYPE_CHECKING:
    import polars as pl

CODED = ("user", "group", "queue", "partition", "application")
"""Columns that may hold names instead of numbers."""

Labels = dict[str, tuple[str, ...]]


def check_names(path: Path, names: Iterable[str]) -> None:
    """Every column is known, comes once, and none that a workload needs is absent."""
    seen = set()
    for name in names:
        if name not in COLUMNS:
            raise InputError(f"{path}: {UnknownNameError('column', name, COLUMNS)}")
        if name in seen:
            raise InputError(f"{path}: column {name} comes twice")
        seen.add(name)
    for name, column in COLUMNS.items():
        if column.required and name not in seen:
            raise InputError(f"{path}: has no column {name}, which a workload needs")


def frame_records(
    path: Path, frame: pl.DataFrame, lines: Array | None = None
) -> tuple[Records, Labels]:
    """The records of a frame whose columns are named as in ``COLUMNS``, and labels of its codes.

    An empty text or a null stands for what is missing.
    """
    columns: dict[str, Array] = {}
    labels: Labels = {}
    where = lines if lines is not None else range(1, len(frame) + 1)
    for series in frame:
        name = series.name
        if series.dtype == "String":
            series = series.replace("", None)
        if series.dtype == "String" and name in CODED:
            columns[name], names = _coded(series)
            if names:
                labels[name] = names
        else:
            columns[name] = _numbers(path, series, where)
    return Records(path, columns, lines), labels
