"""Traces of the workload archives, SWF and GWF, as sources of job records."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from schedlab.history.ingest.archive_job import NUMBERS, Document, add_numbers
from schedlab.history.ingest.records import UNUSABLE, refusal
from schedlab.history.ingest.source import Fault
from schedlab.history.ingest.text_input import ReadPosition, TextInput
from schedlab.history.schema.job import JobRecord
from schedlab.workload.readers.gwf import GWF_FIELDS
from schedlab.workload.readers.swf import SWF_FIELDS

_NAMES = tuple(
    enumerate(("user_identifier", "accounting_group", "application", "queue", "partition"), NUMBERS)
)
"""The places of the names that both formats have, fields 12 to 16."""
_START = re.compile(r"\W*UnixStartTime:\s*(\d+)")


@dataclass
class _Trace(ABC):
    """Reads a line for each job; times count from ``UnixStartTime``, or else from 1970."""

    name: str
    file: str | None = None
    command: tuple[str, ...] | None = None
    cluster: str | None = None

    comment: ClassVar[str]
    fields: ClassVar[int]

    def __post_init__(self) -> None:
        self.cursor = ""
        self._input = TextInput(self.file, self.command)

    def read(self, since: str | None = None) -> Iterator[JobRecord | Fault]:
        """Yield the jobs of the lines since that cursor.

        Parts of a job are left out if the job has a line for all of them.
        """
        place, label = ReadPosition.parse(since), self._input.label
        for line in self._input.lines(place):
            words = line.split()
            if not words:
                continue
            if words[0].startswith(self.comment):
                if start := _START.match(line):
                    place.memory["epoch_s"] = int(start[1])
                continue
            try:
                record = self._record(words, place.memory.get("epoch_s", 0))
            except UNUSABLE as error:
                yield from refusal(f"{label}:{place.number}", error)
            else:
                if record is not None:
                    yield record
        self.cursor = str(place)

    def _record(self, words: Sequence[str], epoch_s: int) -> JobRecord | None:
        if len(words) != self.fields:
            raise ValueError(f"{len(words)} fields; a line has {self.fields}")
        document: Document = {"jobid": words[0]}
        if self.cluster is not None:
            document["cluster"] = self.cluster
        for place, item in _NAMES:
            if words[place] != "-1":
                document[item] = words[place]
        self.add_own(document, words)
        return add_numbers(document, _numbers(words[:NUMBERS]), epoch_s)

    @abstractmethod
    def add_own(self, document: Document, words: Sequence[str]) -> None:
        """Add the items that only this format has, from the words of a line."""


@dataclass
class SwfTrace(_Trace):
    """Reads the Standard Workload Format of the Parallel Workloads Archive."""

    comment = ";"
    fields = len(SWF_FIELDS)

    def add_own(self, document: Document, words: Sequence[str]) -> None:
        """Add the job that precedes this one. Numbers stand for names, and are kept as texts."""
        if words[16] != "-1":
            document["dependency"], document["think_time_sec"] = [words[16]], int(words[17])


@dataclass
class GwfTrace(_Trace):
    """Reads the Grid Workloads Format of the Grid Workloads Archive, in its text form."""

    comment = "#"
    fields = len(GWF_FIELDS)

    def add_own(self, document: Document, words: Sequence[str]) -> None:
        """Add the project."""
        if words[28] != "-1":
            document["project"] = words[28]


def _numbers(words: Sequence[str]) -> list[int | float]:
    try:
        return list(map(int, words))
    except ValueError:
        return list(map(_number, words))


def _number(word: str) -> float:
    try:
        return float(word)
    except ValueError:
        raise ValueError(f'"{word}" is not a number') from None
