"""The text form of the Grid Workloads Format, of the Grid Workloads Archive."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, BinaryIO
from urllib.parse import quote

from schedlab.errors import OutputError
from schedlab.workload.readers.further import OPTIONAL
from schedlab.workload.readers.gwf import FURTHER_FIELD, GWF_COLUMNS, GWF_FIELDS
from schedlab.workload.workload import COLUMNS, Workload
from schedlab.workload.writers.comment_header import header_text
from schedlab.workload.writers.swf import SwfTable, swf_columns
from schedlab.workload.writers.writer import Writer

if TYPE_CHECKING:
    import polars as pl


_FURTHER = OPTIONAL - set(GWF_COLUMNS.values())
_SAFE = "/:+*&|(),.@!~"
"""Signs that are written as is, beside letters and digits: no blank and none of ``;%=``."""


class GwfWriter(Writer):
    """Writes lines of 29 fields under the header."""

    suffixes = (".gwf",)
    columns = frozenset(COLUMNS)

    def write(self, workload: Workload, stream: BinaryIO) -> None:
        """Write the header, then a line per job; blanks in names become ``_``."""
        labels = words_of(workload.labels)
        stream.write(header_text(workload, "#"))
        write_gwf_lines(workload, labels, stream, further_texts(workload))


def write_gwf_lines(
    jobs: SwfTable,
    labels: Mapping[str, Sequence[str]],
    stream: BinaryIO,
    further: pl.Series | None = None,
) -> None:
    """Write a line of 29 fields per job; labels have no blanks."""
    frame = gwf_frame(jobs, labels, further)
    frame.write_csv(stream, include_header=False, separator=" ", quote_style="never")


def further_texts(workload: Workload) -> pl.Series | None:
    """Return columns without a field in GWF as a text per job; None if the workload has none."""
    import polars as pl

    names = [name for name in workload.columns if name in _FURTHER]
    if not names:
        return None
    parts = []
    for name in names:
        values = workload[name]
        known = pl.Series((values != COLUMNS[name].missing) & (values == values))
        told = [f"{name}={quote(str(each), safe=_SAFE)}" for each in workload.labelled(name)]
        parts.append(pl.Series(name, told).zip_with(known, pl.Series([None], dtype=pl.String)))
    joined = pl.DataFrame(parts).select(pl.concat_str("*", separator=";", ignore_nulls=True))
    return joined.to_series().replace("", "-1")


def gwf_frame(
    workload: SwfTable, labels: Mapping[str, Sequence[str]], further: pl.Series | None = None
) -> pl.DataFrame:
    """Return the 29 fields; those a workload has no column for are -1, and every job is UNITARY."""
    import polars as pl

    numbers = swf_columns(workload)
    numbers["account"] = pl.Series("account", workload["account"])
    fields = {}
    for field in GWF_FIELDS:
        column = GWF_COLUMNS.get(field)
        if field == FURTHER_FIELD and further is not None:
            fields[field] = further
        elif column is None:
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
    """Return the labels of the columns that GWF has, as it can write them."""
    carried = labels.keys() & GWF_COLUMNS.values()
    return {column: _words(column, labels[column]) for column in sorted(carried)}


def _words(column: str, labels: Sequence[str]) -> list[str]:
    """Return the labels without blanks, which separate fields; two must not become one."""
    words = ["_".join(label.split()) or "-1" for label in labels]
    if len(set(words)) < len(words):
        raise OutputError(f"names in column {column} are not distinct without blanks, as GWF needs")
    return words
