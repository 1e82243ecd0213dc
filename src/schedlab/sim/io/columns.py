"""Columns of a table that may come as numbers or as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from schedlab.errors import WorkloadError

if TYPE_CHECKING:
    import polars as pl


ROW = "row of the file"
"""The column with the row of each job in the file, counted from 1."""


def words(frame: pl.DataFrame, name: str) -> pl.Series:
    """Return the column as text, empty where nothing is given."""
    import polars as pl

    return frame[name].cast(pl.String).fill_null("").str.strip_chars()


def numbers(
    frame: pl.DataFrame, name: str, dtype: type = np.int64, missing: float | None = None
) -> NDArray[Any]:
    """Return the column as numbers, ``missing`` where nothing is given; ``12.0`` is an integer."""
    import polars as pl

    wanted = pl.Float64() if dtype is np.float64 else pl.Int64()
    read = _unchanged(frame[name], wanted)
    if read.null_count():
        read = read.fill_null(_unchanged(frame[name].cast(pl.Float64, strict=False), wanted))
    if read.null_count():
        text = words(frame, name)
        given = ~text.is_in(["", "NaN"]) if missing is not None else True
        wrong = (read.is_null() & given).arg_true()
        if len(wrong):
            kind = "a number" if dtype is np.float64 else "an integer"
            raise WorkloadError(
                f'row {frame[ROW][wrong[0]]}: {name} is "{text[wrong[0]]}"; must be {kind}'
            )
        read = read.fill_null(missing)
    return read.to_numpy().astype(dtype)


def _unchanged(values: pl.Series, wanted: pl.DataType) -> pl.Series:
    """Return the values as the wanted type, null where that would change them."""
    cast = values.cast(wanted, strict=False)
    if not values.dtype.is_float() or wanted.is_float():
        return cast
    return cast.set((cast.cast(values.dtype) != values).fill_null(True), None)


def codes(
    frame: pl.DataFrame, name: str, labels: Sequence[str] | None
) -> tuple[NDArray[np.int64], Sequence[str]]:
    """Return the column as codes with labels: the known ones, then texts in order of appearance.

    A column of integers without labels is its own code and has no labels.
    """
    import polars as pl

    text = words(frame, name)
    if labels is None:
        try:
            return numbers(frame, name, missing=-1), ()
        except WorkloadError:
            labels = ()
    seen = text.filter(text != "").unique(maintain_order=True)
    names = list(dict.fromkeys([*labels, *seen]))
    code = {name: place for place, name in enumerate(names)}
    return text.replace_strict({**code, "": -1}, return_dtype=pl.Int64).to_numpy(), names
