"""Traces of the workload archives, SWF and GWF, as sources of job records."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from schedlab.history.ingest.archive_job import NUMBERS, Document, add_numbers
from schedlab.history.ingest.records import made
from schedlab.history.ingest.source import Fault
from schedlab.history.ingest.text_input import Place, TextInput
from schedlab.history.schema.job import JobRecord
from schedlab.workload.readers.gwf import GWF_FIELDS
from schedlab.workload.readers.swf import SWF_FIELDS

_NAMES = ("user_identifier", "accounting_group", "application", "queue", "partition")
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
        """The jobs of the lines since then; parts of a job that has a line for all are not."""
        place, label = Place.parse(since), self._input.label
        for line in self._input.lines(place):
            text = line.text.strip()
            if text.startswith(self.comment):
                if start := _START.match(text):
                    place.memory["epoch_s"] = int(start[1])
            elif text:
                epoch_s = place.memory.get("epoch_s", 0)
                yield from made(f"{label}:{line.number}", self._records, text.split(), epoch_s)
        self.cursor = str(place)

    def _records(self, words: Sequence[str], epoch_s: int) -> Sequence[JobRecord]:
        if len(words) != self.fields:
            raise ValueError(f"{len(words)} fields; a line has {self.fields}")
        record = add_numbers(self.names(words), _numbers(words[:NUMBERS]), epoch_s)
        return () if record is None else (record,)

    @abstractmethod
    def names(self, words: Sequence[str]) -> Document:
        """The items that are no numbers, of a line's words."""


@dataclass
class SwfTrace(_Trace):
    """Reads the Standard Workload Format of the Parallel Workloads Archive."""

    comment = ";"
    fields = len(SWF_FIELDS)

    def names(self, words: Sequence[str]) -> Document:
        """Numbers stand for names in SWF; they are kept as texts."""
        names = _shared_names(words, self.cluster)
        if words[16] != "-1":
            names |= {"dependency": [words[16]], "think_time_sec": int(words[17])}
        return names


@dataclass
class GwfTrace(_Trace):
    """Reads the Grid Workloads Format of the Grid Workloads Archive, in its text form."""

    comment = "#"
    fields = len(GWF_FIELDS)

    def names(self, words: Sequence[str]) -> Document:
        """The names that SWF has as numbers, and the project."""
        names = _shared_names(words, self.cluster)
        if words[28] != "-1":
            names["project"] = words[28]
        return names


def _shared_names(words: Sequence[str], cluster: str | None) -> Document:
    """Fields 1 and 12 to 16, which both formats have."""
    names: Document = {"jobid": words[0]}
    if cluster is not None:
        names["cluster"] = cluster
    for item, word in zip(_NAMES, words[NUMBERS:], strict=False):
        if word != "-1":
            names[item] = word
    return names


def _numbers(words: Sequence[str]) -> list[int | float]:
    try:
        return list(map(int, words))
    except ValueError:
        return list(map(_number, words))


def _number(word: str) -> float:
    try:
        return float(word)
    except ValueError:
        raise ValueError(f'"{word}" is no number') from None
