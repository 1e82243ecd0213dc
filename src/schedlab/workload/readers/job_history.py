"""Standard job records: one JSON object per job, on lines of their own or in one array."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from schedlab.errors import InputError
from schedlab.workload.job_history import HistoryTable, Record
from schedlab.workload.readers.reader import Reader, ReadOptions
from schedlab.workload.readers.records import Records
from schedlab.workload.readers.repair import repair
from schedlab.workload.readers.source import Source
from schedlab.workload.workload import Workload


class JobHistoryReader(Reader):
    """Reads what ``schedlab history export`` writes as JSON."""

    suffixes = (".jsonl", ".ndjson", ".json")

    def recognises(self, head: bytes) -> bool:
        """Recognise it by an item that every record has."""
        return b'"jobid"' in head

    def read(self, source: Source, options: ReadOptions) -> Workload:
        """Return the jobs that have ended, with their power and energy.

        They are numbered as they come.
        """
        return history_workload(_records(source), source.path, options, name=source.stem)


def history_workload(
    records: Iterable[Record], path: Path, options: ReadOptions, *, name: str
) -> Workload:
    """Return the workload of records that come from that file or store."""
    table = HistoryTable()
    try:
        columns = table.columns(records)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise InputError(
            f"{path}: record {table.records}: not a standard job record "
            f"({type(error).__name__}: {error}); see: schedlab history validate"
        ) from None
    if not columns:
        raise InputError(f"{path}: has no jobs that have ended")
    repaired, report = repair(Records(path, columns), options)
    return Workload(
        repaired, name=name, header=table.header(), labels=table.labels(), report=report
    )


def _records(source: Source) -> Iterator[Record]:
    text = source.decoded()
    if text.lstrip().startswith("["):
        yield from _parsed(source, text, 1)
        return
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield _parsed(source, line, number)


def _parsed(source: Source, text: str, line: int) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        place = line + error.lineno - 1
        raise InputError.at(source.path, place, f"not JSON: {error.msg}") from None
