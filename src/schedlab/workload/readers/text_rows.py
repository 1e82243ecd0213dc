"""Rows of text fields, gathered into a table piece by piece to stay lean in memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from schedlab.errors import InputError
from schedlab.workload.readers.records import and_more
from schedlab.workload.workload import Array

if TYPE_CHECKING:
    import polars as pl

Row = tuple[int, Sequence[str | None]]

_ROWS_PER_PIECE = 1 << 16


class RowTable:
    """Rows with their line numbers; every row must have as many fields as there are names."""

    def __init__(self, path: Path, names: Sequence[str]) -> None:
        self._path = path
        self._names = names
        self._bad: list[tuple[int, str]] = []

    def gather(self, rows: Iterable[Row]) -> tuple[pl.DataFrame, Array]:
        """A frame of texts and the line number of each row."""
        import polars as pl

        schema = dict.fromkeys(self._names, pl.String)
        pieces, lines = [pl.DataFrame(schema=schema)], []
        good = self._well_formed(rows)
        while piece := list(islice(good, _ROWS_PER_PIECE)):
            numbers, fields = zip(*piece, strict=True)
            by_column = zip(*fields, strict=True)
            pieces.append(
                pl.DataFrame(dict(zip(self._names, by_column, strict=True)), schema=schema)
            )
            lines.append(np.asarray(numbers, dtype=np.int64))
        if self._bad:
            line, reason = self._bad[0]
            raise InputError.at(self._path, line, reason + and_more(len(self._bad)))
        return pl.concat(pieces), np.concatenate([np.empty(0, np.int64), *lines])

    def _well_formed(self, rows: Iterable[Row]) -> Iterator[Row]:
        for line, fields in rows:
            if len(fields) == len(self._names):
                yield line, fields
            else:
                self._bad.append((line, f"{len(fields)} fields; must have {len(self._names)}"))
