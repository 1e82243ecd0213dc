"""Columns for which a format has no field, but for which it leaves room."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from schedlab.workload.readers.frame_records import Labels, frame_records
from schedlab.workload.readers.records import Records
from schedlab.workload.workload import COLUMNS

OPTIONAL = frozenset(name for name, column in COLUMNS.items() if not column.required)
"""Columns that a workload can be without."""


def with_further(
    records: Records, further: Mapping[str, Sequence[Any]], labels: Labels | None = None
) -> tuple[Records, Labels]:
    """Return the records with these columns added, and the labels of all columns with names.

    Args:
        records: what the fields of the format hold.
        further: numbers or texts by column, None where a job has none.
        labels: those of the records' own columns.
    """
    import polars as pl

    series = [
        pl.Series(name, _alike(records, name, each), strict=False) for name, each in further.items()
    ]
    found, names = frame_records(records.path, pl.DataFrame(series), records.lines)
    columns = {**records.columns, **found.columns}
    return replace(records, columns=columns), {**(labels or {}), **names}


def _alike(records: Records, name: str, values: Sequence[Any]) -> list[Any]:
    """Return the values as numbers, or as texts if some of them are texts."""
    for place, value in enumerate(values):
        if not isinstance(value, int | float | str | None):
            raise records.error(place, f"{name} is {value!r}; must be a number or a text")
    if any(isinstance(value, str) for value in values):
        return [None if value is None else str(value) for value in values]
    number = float if any(isinstance(value, float) for value in values) else int
    return [None if value is None else number(value) for value in values]
