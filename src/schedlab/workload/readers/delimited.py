"""Lines of text split into fields, all at once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from schedlab.errors import InputError
from schedlab.workload.readers.records import and_more
from schedlab.workload.workload import Array

if TYPE_CHECKING:
    import polars as pl


FIELD_END = "\x1f"
"""ASCII's own separator of fields, which no field contains."""


def split_lines(
    path: Path, lines: pl.DataFrame, separator: str, names: Sequence[str], width: int
) -> tuple[pl.DataFrame, Array]:
    """Return the first fields of each line as columns of these names, and the number of each line.

    Args:
        path: the file, for messages.
        lines: columns ``line`` and ``number``.
        separator: what stands between two fields.
        names: the names of the fields that are kept.
        width: the number of fields that a line must have.
    """
    texts, numbers = lines["line"], lines["number"].to_numpy().astype(np.int64)
    widths = texts.str.count_matches(separator, literal=True).to_numpy() + 1
    bad = np.flatnonzero(widths != width)
    if len(bad):
        reason = f"{widths[bad[0]]} fields; must have {width}{and_more(len(bad))}"
        raise InputError.at(path, int(numbers[bad[0]]), reason)
    fields = texts.str.splitn(separator, len(names) + 1).struct.unnest()
    kept = fields.select(fields.columns[: len(names)])
    kept.columns = list(names)
    return kept, numbers


def numbered_lines(text: str, trim: str) -> pl.DataFrame:
    """Return lines that are not empty, without these characters at both ends, and their numbers."""
    import polars as pl

    lines = pl.DataFrame({"line": text.split("\n")}, schema={"line": pl.String})
    return (
        lines.with_row_index("number", offset=1)
        .with_columns(pl.col("line").str.strip_chars(trim))
        .filter(pl.col("line") != "")
    )
