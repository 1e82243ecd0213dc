"""Writers of workload files, one per format."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from schedlab.atomic import atomic_write, require_writable
from schedlab.errors import OutputError, ParameterError
from schedlab.lookup import find_class, require_callable
from schedlab.workload.readers.source import plain_name
from schedlab.workload.workload import Workload, require_workload
from schedlab.workload.writers.batsim_json import BatsimJsonWriter
from schedlab.workload.writers.csv import CsvWriter
from schedlab.workload.writers.gwf import GwfWriter
from schedlab.workload.writers.gwf_sqlite import GwfSqliteWriter
from schedlab.workload.writers.parquet import ParquetWriter
from schedlab.workload.writers.swf import SwfWriter
from schedlab.workload.writers.writer import Writer

__all__ = ["WRITERS", "Writer", "check_writing", "write_workload"]

WRITERS: dict[str, type[Writer]] = {
    "swf": SwfWriter,
    "gwf": GwfWriter,
    "gwf-sqlite": GwfSqliteWriter,
    "batsim-json": BatsimJsonWriter,
    "parquet": ParquetWriter,
    "csv": CsvWriter,
}


def write_workload(
    workload: Workload, path: str | Path, *, format: str | None = None
) -> tuple[str, ...]:
    """Write the workload to a file, whole or not at all; ``.gz`` is compressed.

    Args:
        workload: the jobs.
        path: the file; an existing one is replaced.
        format: a name in ``WRITERS`` or ``package.module:Class``; without it the suffix decides.

    Returns:
        The workload's columns that the format cannot carry.
    """
    require_workload(workload)
    path = Path(path)
    writer = _writer(path, format)
    with (
        atomic_write(path) as temporary,
        _opened(temporary, path.suffix.lower() == ".gz") as stream,
    ):
        writer.write(workload, stream)
    return tuple(column for column in workload.columns if column not in writer.columns)


def check_writing(path: str | Path, *, format: str | None = None) -> None:
    """Refuse, before any work is done, what ``write_workload`` would refuse afterwards."""
    _writer(Path(path), format)
    require_writable(path)


def _writer(path: Path, format: str | None) -> Writer:
    name = format or _format_of(path)
    found = find_class("format", name, WRITERS)
    if not issubclass(found, Writer):
        raise ParameterError(f'format "{name}" is not a Writer')
    require_callable("format", name, found)
    return found()


def _format_of(path: Path) -> str:
    suffix = plain_name(path).suffix.lower()
    for name, writer in WRITERS.items():
        if suffix in writer.suffixes:
            return name
    known = ", ".join(suffix for writer in WRITERS.values() for suffix in writer.suffixes)
    raise OutputError(f"{path}: no format has this suffix; known: {known}")


@contextmanager
def _opened(path: Path, compressed: bool) -> Iterator[BinaryIO]:
    with path.open("wb") as file:
        if not compressed:
            yield file
            return
        # No name and no time inside, so that the same workload gives the same bytes;
        # level 4, as 6 takes four times as long to save three percent.
        with gzip.GzipFile(
            filename="", mode="wb", fileobj=file, mtime=0, compresslevel=4
        ) as packed:
            yield cast(BinaryIO, packed)
