"""The Standard Workload Format of the Parallel Workloads Archive."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO, Protocol

import numpy as np

from schedlab.workload.readers.swf import SWF_FIELDS
from schedlab.workload.workload import Array, Workload
from schedlab.workload.writers.comment_header import header_text
from schedlab.workload.writers.writer import Writer

if TYPE_CHECKING:
    import polars as pl


class SwfWriter(Writer):
    """Writes lines of 18 numbers under the header."""

    suffixes = (".swf",)
    columns = frozenset({*SWF_FIELDS, "nodes"})

    def write(self, workload: Workload, stream: BinaryIO) -> None:
        """Write the header, then a line per job."""
        stream.write(header_text(workload, ";", _default_header(workload)))
        write_swf_lines(workload, stream)


class SwfTable(Protocol):
    """Jobs by columns, as a workload has them; they need not be fit for the simulator."""

    def __len__(self) -> int:
        """Return the number of jobs."""

    def __getitem__(self, column: str) -> Array:
        """Return the column; its missing value everywhere if it is not known."""


def write_swf_lines(jobs: SwfTable, stream: BinaryIO) -> None:
    """Write a line of 18 numbers per job."""
    import polars as pl

    frame = pl.DataFrame(swf_columns(jobs))
    frame.write_csv(stream, include_header=False, separator=" ", quote_style="never")


def swf_columns(workload: SwfTable) -> dict[str, pl.Series]:
    """Return the 18 fields as integers, or as texts where there are fractions."""
    columns = {name: workload[name] for name in SWF_FIELDS if name != "allocated_procs"}
    columns["allocated_procs"] = _allocated(workload)
    return {name: _numbers(name, columns[name]) for name in SWF_FIELDS}


def _allocated(workload: SwfTable) -> Array:
    """Return the source's count where a reader gets the right ``nodes`` from it, else ``nodes``."""
    allocated, requested = workload["allocated_procs"], workload["requested_procs"]
    read_back = np.where(allocated > 0, allocated, requested)
    return np.where(read_back == workload["nodes"], allocated, workload["nodes"])


def _numbers(name: str, values: Array) -> pl.Series:
    import polars as pl

    if values.dtype.kind == "i":
        return pl.Series(name, values)
    known = np.where(np.isfinite(values), values, -1.0)
    whole = (np.abs(known) < 2.0**53) & (known == np.rint(known))
    integers = pl.Series(np.where(whole, known, 0).astype(np.int64))
    if whole.all():
        return integers.alias(name)
    texts = pl.Series(known).cast(pl.String)
    return integers.cast(pl.String).zip_with(pl.Series(whole), texts).alias(name)


def _default_header(workload: Workload) -> dict[str, list[str]]:
    """Return names of queues and partitions, and the version where there is no header at all."""
    header = {} if workload.header else {"Version": ["2.2"]}
    for column in ("queue", "partition"):
        if column in workload.labels:
            names = enumerate(workload.labels[column])
            header[column.capitalize()] = [f"{code} {name}" for code, name in names]
    return header
