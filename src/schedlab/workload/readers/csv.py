"""Our own CSV: a header row with names of ``COLUMNS``, then a row per job."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from typing import TYPE_CHECKING

from schedlab.errors import InputError
from schedlab.workload.readers.delimited import FIELD_END, numbered_lines, split_lines
from schedlab.workload.readers.frame_records import frame_records, our_names
from schedlab.workload.readers.reader import Reader, ReadOptions
from schedlab.workload.readers.repair import repair
from schedlab.workload.readers.source import Source
from schedlab.workload.workload import Array, Workload

if TYPE_CHECKING:
    import polars as pl


class CsvReader(Reader):
    """Reads rows of fields between commas, ``|``, ``;`` or tabs; names may stand for users."""

    suffixes = (".csv",)
    has_names = True

    def recognises(self, head: bytes) -> bool:
        """Recognise it by a first line that names the column of job numbers."""
        return b"job_id" in head.partition(b"\n")[0].lower()

    def read(self, source: Source, options: ReadOptions) -> Workload:
        """Return the jobs, with names of users and the like as labels."""
        frame, lines = (_quoted if b'"' in source.text else _plain)(source, options.names())
        records, labels = frame_records(source.path, frame, lines, options.factors())
        columns, report = repair(records, options)
        return Workload(columns, name=source.stem, labels=labels, report=report)


def _plain(source: Source, rename: Mapping[str, str]) -> tuple[pl.DataFrame, Array]:
    """Return the table of a file without quotes."""
    lines = numbered_lines(source.decoded(), trim="\r")
    separator = _separator(lines["line"][0])
    names = our_names(source.path, lines["line"][0].split(separator), rename)
    return split_lines(source.path, lines[1:], separator, names, len(names))


def _separator(header: str) -> str:
    """Return the character between the names: a comma, or what is used in its place."""
    return next((each for each in ",|;\t" if each in header), ",")


def _quoted(source: Source, rename: Mapping[str, str]) -> tuple[pl.DataFrame, Array]:
    """Return the table of a file with quotes, which may hold separators and line ends."""
    import polars as pl

    text = source.decoded()
    separator = _separator(text.lstrip().partition("\n")[0])
    rows = csv.reader(io.StringIO(text, newline=""), strict=True, delimiter=separator)
    try:
        lines = [(rows.line_num, FIELD_END.join(row)) for row in rows if row]
    except csv.Error as error:
        raise InputError.at(source.path, rows.line_num, str(error)) from None
    names = our_names(source.path, lines[0][1].split(FIELD_END), rename)
    table = pl.DataFrame(lines[1:], {"number": pl.Int64, "line": pl.String}, orient="row")
    return split_lines(source.path, table, FIELD_END, names, len(names))
