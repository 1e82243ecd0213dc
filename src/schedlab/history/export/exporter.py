"""The base class of exporters, which write job records in one format as they come."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

Record = dict[str, Any]
"""A standard job record, as JSON has it."""


@dataclass(frozen=True)
class Extent:
    """What must be known of all jobs before the first one is written.

    Args:
        name: name of the history.
        nodes: number of nodes.
        inferred: whether the number of nodes is not given, but the number used, or the most that
            one job asked for.
        find_preceding: finds the ids of the jobs on which others depend.
    """

    name: str
    nodes: int
    inferred: bool
    find_preceding: Callable[[], frozenset[str]]


class Exporter(ABC):
    """Writes records in one format, and holds only some of them in memory at a time."""

    suffixes: ClassVar[tuple[str, ...]] = ()
    """Endings of file names, with the dot."""
    is_folder: ClassVar[bool] = False
    """Whether it writes a folder, not a file."""

    @abstractmethod
    def write(self, records: Iterable[Record], path: Path, extent: Extent) -> None:
        """Write all records, in order of submission, to a file or folder that does not exist."""

    @abstractmethod
    def texts(self, path: Path) -> Iterator[str]:
        """Yield every text in the output that could hold a name, to be searched for names."""


VOCABULARY = frozenset({"state", "job_type", "schema_version"})
"""Items whose texts are words of the schema, even if a user has such a name."""


def texts_in(value: Any) -> Iterator[str]:
    """Yield all texts in a JSON value, except keys, which are words of the schema."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, each in value.items():
            if key not in VOCABULARY:
                yield from texts_in(each)
    elif isinstance(value, list):
        for each in value:
            yield from texts_in(each)


def lines_of(path: Path) -> Iterator[str]:
    """Yield the lines of a text file."""
    with path.open(encoding="utf-8") as stream:
        yield from stream
