"""The conformance test for readers: the rules every reader must keep, in sentences."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

from schedlab.errors import InputError, SchedlabError, WorkloadError
from schedlab.workload import Workload
from schedlab.workload.readers import Reader, ReadOptions
from schedlab.workload.readers.source import Source

_CUTS = 40
"""The number of damaged copies of a file that are read, of each kind."""


def check_reader(reader: type[Reader], *files: str | Path) -> None:
    """Read files, whole and damaged; raise WorkloadError with a sentence if a rule is broken.

    Args:
        reader: the class.
        files: undamaged files of its format. Keep them small: each is read some hundred times.
    """
    if not files:
        raise WorkloadError("check_reader needs a file of the format")
    for path in map(Path, files):
        _Case(reader, Source.load(path)).check()


class _Case:
    def __init__(self, reader: type[Reader], source: Source) -> None:
        self.reader, self.source = reader, source

    def check(self) -> None:
        """Check one file by the rules."""
        workload = self.attempt(self.source.raw)
        if isinstance(workload, SchedlabError):
            raise workload
        if not isinstance(workload, Workload):
            self.fail(f"read() must return a Workload, not a {type(workload).__name__}")
        if len(workload) == 0:
            self.fail("the file must hold jobs: nothing else can be checked")
        if self.attempt(self.source.raw) != workload:
            self.fail("two readings of a file must give the same workload")
        packed = self.attempt(gzip.compress(self.source.data))
        if isinstance(packed, Workload) and packed != workload:
            self.fail("a packed file must give the same workload: read source.data or source.text")
        self._check_strict(workload)
        for damaged in self._damaged():
            self.attempt(damaged)

    def _check_strict(self, workload: Workload) -> None:
        """Check that strict refuses a file with repairs or drops, and changes nothing otherwise."""
        changed = any(workload.report.repaired.values()) or any(workload.report.dropped.values())
        try:
            strict = self.reader().read(self.source, ReadOptions(strict=True))
        except InputError:
            if not changed:
                self.fail("strict must read a file in which nothing is repaired or dropped")
        else:
            if changed:
                self.fail("strict must refuse a file in which something is repaired or dropped")
            if strict != workload:
                self.fail("strict must give the same workload of a sound file")

    def _damaged(self) -> Iterator[bytes]:
        """Yield copies that end too soon, and copies with one wrong byte."""
        data = self.source.data
        for place in range(0, len(data), max(len(data) // _CUTS, 1)):
            yield data[:place]
            yield data[:place] + b"\xff" + data[place + 1 :]

    def attempt(self, data: bytes) -> Workload | SchedlabError:
        """Read this content; return the workload or the SchedlabError.

        Any other exception breaks a rule.
        """
        try:
            return self.reader().read(Source(self.source.path, data), ReadOptions())
        except SchedlabError as error:
            if isinstance(error, InputError) and not str(error).startswith(str(self.source.path)):
                self.fail(f'an error must begin with the name of the file, not "{error}"')
            return error  # a WorkloadError says that the remaining jobs contradict each other
        except Exception as error:
            self.fail(
                "a file that cannot be read must raise an InputError, not a "
                f"{type(error).__name__} ({error})"
            )

    def fail(self, rule: str) -> NoReturn:
        """Raise a WorkloadError: which rule was broken, by which reader, and with which file."""
        raise WorkloadError(f"{rule}; {self.reader.__name__} broke this on {self.source.path}")
