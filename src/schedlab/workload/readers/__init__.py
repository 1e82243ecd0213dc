"""Readers of workload files, one per format."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from schedlab.errors import InputError, ParameterError
from schedlab.lookup import find_class, require_callable
from schedlab.workload.readers.alibaba_gpu import AlibabaGpuReader
from schedlab.workload.readers.batsim_json import BatsimJsonReader
from schedlab.workload.readers.csv import CsvReader
from schedlab.workload.readers.gwf import GwfReader
from schedlab.workload.readers.gwf_sqlite import GwfSqliteReader
from schedlab.workload.readers.job_history import JobHistoryReader
from schedlab.workload.readers.parquet import ParquetReader
from schedlab.workload.readers.reader import Cancelled, Procs, Reader, ReadOptions
from schedlab.workload.readers.source import Source
from schedlab.workload.readers.swf import SwfReader
from schedlab.workload.workload import Workload

__all__ = ["READERS", "ReadOptions", "Reader", "Source", "read_workload"]

READERS: dict[str, type[Reader]] = {
    "swf": SwfReader,
    "gwf": GwfReader,
    "gwf-sqlite": GwfSqliteReader,
    "job-history": JobHistoryReader,
    "batsim-json": BatsimJsonReader,
    "parquet": ParquetReader,
    "alibaba-gpu": AlibabaGpuReader,
    "csv": CsvReader,
}


def read_workload(
    path: str | Path,
    *,
    format: str | None = None,
    strict: bool = False,
    procs: Procs = "allocated",
    cancelled: Cancelled = "drop",
    flops_per_s: float = 1e6,
    rename: Mapping[str, str] | None = None,
) -> Workload:
    """Return the workload in a file.

    What is repaired or dropped is counted in the workload's ``report``.

    Args:
        path: the file, or ``-`` for standard input; gzip is unpacked.
        format: a name in ``READERS`` or ``package.module:Class``; without it the file's suffix
            decides, then its content.
        strict: refuse a file in which anything would have to be repaired or dropped.
        procs: which count of processors becomes ``nodes``, where the file has both; the other
            one stands in where it is missing.
        cancelled: what becomes of a job that was withdrawn while it waited: ``"drop"`` it,
            ``"replay"`` its wait and withdrawal, or make it ``"short"``, a run of 10 s.
        flops_per_s: the speed of a host, for Batsim profiles that give amounts of work.
        rename: our names of columns by those in the file, for CSV and Parquet; ``-`` leaves a
            column out. Names match without regard to case.
    """
    options = ReadOptions(strict, procs, cancelled, flops_per_s, rename or {})
    source = Source.load(path)
    name = format or _format_of(source)
    found = find_class("format", name, READERS)
    if not issubclass(found, Reader):
        raise ParameterError(f'format "{name}" is not a Reader')
    require_callable("format", name, found)
    if rename and not found.has_names:
        raise ParameterError(f"{source.path}: format {name} has no names of columns to rename")
    return (
        found()
        .read(source, options)
        .record(
            "read",
            format=name,
            file=source.path.name,
            sha256=source.sha256,
            options={key: value for key, value in asdict(options).items() if value != {}},
        )
    )


def _format_of(source: Source) -> str:
    """Return the format by suffix, then by content."""
    named = [name for name, reader in READERS.items() if source.suffix in reader.suffixes]
    if len(named) == 1:
        return named[0]
    head = source.data[:4096]
    for name in named or READERS:
        if READERS[name]().recognises(head):
            return name
    if named:
        return named[-1]
    raise InputError(
        f"{source.path}: not a known workload format; known formats: {', '.join(READERS)}"
    )
