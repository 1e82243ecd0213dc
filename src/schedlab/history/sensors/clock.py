"""Read times in the columns of a table, with or without a zone, as seconds of the epoch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

EPOCH = "_epoch_s"
_NUMBERS = {"epoch": 1.0, "epoch_ms": 1e-3}
_ISO = "%Y-%m-%dT%H:%M:%S%.f"
_OFFSET = r"[+-]\d{2}:?\d{2}$"


def with_epoch(
    frame: pl.DataFrame, column: str, form: str | None, zone: str, keys: Sequence[str]
) -> pl.DataFrame:
    """Return the rows whose time can be read, with that time in the column ``EPOCH``.

    Args:
        frame: the table.
        column: column of the times.
        form: format as in strptime, ``epoch`` or ``epoch_ms``; ISO 8601 if None.
        zone: zone of times that do not give theirs.
        keys: columns that tell apart the series in the table.
    """
    import polars as pl

    times = frame[column]
    if times.dtype.is_numeric() or form in _NUMBERS:
        seconds = times.cast(pl.Float64, strict=False) * _NUMBERS.get(form or "epoch", 1.0)
        return frame.with_columns(seconds.alias(EPOCH)).filter(pl.col(EPOCH).is_finite())
    if times.dtype == pl.String:
        frame = frame.with_columns(_parsed(times, form).alias(column))
    if frame[column].dtype == pl.Date:
        frame = frame.with_columns(pl.col(column).cast(pl.Datetime("us")))
    if getattr(frame[column].dtype, "time_zone", None) is None:
        frame = _located(frame, column, zone, keys)
    frame = frame.with_columns((pl.col(column).dt.epoch("us") / 1e6).alias(EPOCH))
    return frame.drop_nulls(EPOCH)


def _parsed(times: pl.Series, form: str | None) -> pl.Series:
    import polars as pl

    if form is not None:
        return times.str.strptime(pl.Datetime("us"), form, strict=False)
    texts = times.str.strip_chars().str.replace(" ", "T", literal=True)
    texts = texts.str.replace_all("/", "-", literal=True).str.replace("Z$", "+00:00")
    texts = texts.str.replace(r"T(\d{2}:\d{2})($|[+-])", "T${1}:00${2}")
    has_offset = texts.str.contains(_OFFSET).any()
    return texts.str.strptime(pl.Datetime("us"), _ISO + ("%z" if has_offset else ""), strict=False)


def _located(frame: pl.DataFrame, column: str, zone: str, keys: Sequence[str]) -> pl.DataFrame:
    """Turn local times into moments; in a repeated hour, rows after a step back are later."""
    import polars as pl

    local = pl.col(column)
    early, late = (
        local.dt.replace_time_zone(zone, ambiguous=each, non_existent="null")
        for each in ("earliest", "latest")
    )
    frame = frame.with_columns(early.alias("_early"), late.alias("_late"))
    twice = pl.col("_early") != pl.col("_late")
    if frame.select(twice.any()).item():
        again = (local.diff().dt.total_microseconds() <= 0).fill_null(False) & twice
        passed = again.cast(pl.Int32).cum_sum()
        second = (passed.over(list(keys)) if keys else passed) > 0
        chosen = pl.when(twice & second).then("_late").otherwise("_early")
    else:
        chosen = pl.col("_early")
    return frame.with_columns(chosen.alias(column)).drop("_early", "_late")
