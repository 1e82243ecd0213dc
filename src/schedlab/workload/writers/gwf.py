"""The text form of the Grid Workloads Format, of the Grid Workloads Archive."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, BinaryIO

from schedlab.errors import OutputError
from schedlab.workload.readers.gwf import GWF_COLUMNS, GWF_FIELDS
from schedlab.workload.workload import Workload
from schedlab.workload.writers.comment_header import header_text
from schedlab.workload.writers.swf import Table, swf_columns
from schedlab.workload.writers.writer import Writer

if TYPE_CHECKING:
    import polars as pl


class GwfWriter(Writer):
    """Writes lines of 29 fields under the header."""

    suffixes = (".gwf",)
    columns = frozenset({*GWF_COLUMNS.values(), "nodes"})

    def write(self, workload: Workload, stream: BinaryIO) -> None:
        """The header, then a line per job; blanks in names become ``_``."""
        labels = words_of(workload.labels)
        stream.write(header_text(workload, "#"))
        write_gwf_lines(workload, labels, stream)


def write_gwf_lines(jobs: Table, labels: Mapping[str, Sequence[str]], stream: BinaryIO) -> None:
    """A line of 29 fields per job; labels have no blanks."""
    frame = gwf_frame(jobs, labels)
    frame.write_csv(stream, include_header=False, separator=" ", quote_style="never")


def gwf_frame(workload: Table, labels: Mapping[str, Sequence[str]]) -> pl.DataFrame:
    """The 29 fields; those a workload has no column for are -1, and every job is UNITARY."""
    import polars as pl

    numbers = swf_columns(workload)
    fields = {}
    for field in GWF_FIELDS:
        column = GWF_COLUMNS.get(field)
        if column is None:
            value = "UNITARY" if field == "JobStructure" else "-1"
            fields[field] = pl.repeat(value, len(workload), eager=True)
        elif column in labels:
            fields[field] = _names(numbers[column], labels[column])
        else:
            fields[field] = numbers[column]
    return pl.DataFrame(fields)


def _names(codes: pl.Series, labels: Sequence[str]) -> pl.Series:
    import polars as pl

    return codes.replace_strict(range(len(labels)), labels, default="-1", return_dtype=pl.String)


def words_of(labels: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """The labels as GWF can write them, of the columns that it has."""
    carried = labels.keys() & GWF_COLUMNS.values()
    return {column: _words(column, labels[column]) for column in sorted(carried)}


def _words(column: str, labels: Sequence[str]) -> list[str]:
    """The labels without blanks, which separate fields; two must not become one."""
    words = ["_".join(label.split()) or "-1" for label in labels]
    if len(set(words)) < len(words):
        raise OutputError(f"names in column {column} are not distinct without blanks, as GWF needs")
    return words
