"""Grid Engine's ``accounting`` file: Son of Grid Engine 8.1 and its heirs at Univa and Altair."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from schedlab.history.ingest.grid_engine_job import RESCHEDULED, record_of
from schedlab.history.ingest.records import made
from schedlab.history.ingest.source import AttemptCounter, Fault
from schedlab.history.ingest.text_input import ReadPosition, TextInput
from schedlab.history.schema.job import JobRecord
from schedlab.workload.readers.grid_engine_row import Row, parse_row

SETTLE_S = 60
"""How long after a job's end rows of its parallel tasks may still arrive."""

REACH_BYTES = 1 << 30
"""How far back in the file earlier attempts of a job are looked for: some million rows."""

ORPHAN_S = 30 * 86400
"""How long rows of parallel tasks wait for the row of their job."""


@dataclass
class _Run:
    """The rows of one run of a job or array task that have come so far."""

    offset: int
    line: int
    slaves: list[Row] = field(default_factory=list)
    master: Row | None = None
    ended: datetime | None = None
    """When its last row was written, as far as the file tells."""


@dataclass
class _Runs:
    """The runs that may still get rows, by job and task."""

    open: dict[str, _Run] = field(default_factory=dict)
    now: datetime | None = None
    swept: datetime | None = None

    def add(self, row: Row, place: ReadPosition) -> Iterator[_Run]:
        """Add the row at that place, and yield the runs that can then get no more rows."""
        self.now = row.ended or self.now
        yield from self._settled(self.now)
        key = f"{row.job}.{row.task}"
        run = self.open.get(key)
        if run is not None and run.master is not None and not row.is_slave:
            yield self.open.pop(key)  # the job was tried again
            run = None
        if run is None:
            run = self.open[key] = _Run(place.offset, place.number)
        run.ended = self.now
        if row.is_slave:
            run.slaves.append(row)
        else:
            run.master = row

    def _settled(self, now: datetime | None) -> Iterator[_Run]:
        if now is None or (self.swept and (now - self.swept).total_seconds() <= SETTLE_S):
            return
        self.swept = now
        for key, run in list(self.open.items()):
            waits_s = ORPHAN_S if run.master is None else SETTLE_S
            if (now - (run.ended or now)).total_seconds() > waits_s:
                yield self.open.pop(key)


@dataclass
class GridEngine:
    """Reads ``accounting``, which only grows, from a file or from what a command prints.

    A parallel job whose environment does not sum up its tasks has several rows: they become one
    record with all its hosts. The next reading begins at the first row whose job may still get
    more of them. ``gpu_resources`` are the names under which ``-l`` asks for accelerators.
    """

    name: str
    file: str | None = None
    command: tuple[str, ...] | None = None
    cluster: str | None = None
    gpu_resources: tuple[str, ...] = ("gpu", "gpus", "ngpus", "cuda")

    def __post_init__(self) -> None:
        self.cursor = ""
        self._input = TextInput(self.file, self.command)

    def read(self, since: str | None = None) -> Iterator[JobRecord | Fault]:
        """Yield the jobs, array tasks and attempts that ended since then."""
        place = ReadPosition.parse(since)
        attempts = AttemptCounter(place.memory.get("attempts"), REACH_BYTES)
        runs = _Runs()
        for line in self._input.lines(place):
            if line and not line.startswith("#"):
                yield from self._take(line, place, runs, attempts)
        for run in runs.open.values():
            if run.offset < place.offset:
                place.offset, place.line = run.offset, run.line - 1
            if run.master is not None:
                yield from self._records(run, attempts)
        place.memory = {"attempts": attempts.known(place.offset)}
        self.cursor = str(place)

    def _take(
        self, line: str, place: ReadPosition, runs: _Runs, attempts: AttemptCounter
    ) -> Iterator[JobRecord | Fault]:
        try:
            row = parse_row(line)
        except ValueError as error:
            yield Fault(f"{self._input.label}:{place.number}", str(error))
            return
        for run in runs.add(row, place):
            yield from self._records(run, attempts)

    def _records(self, run: _Run, attempts: AttemptCounter) -> Sequence[JobRecord | Fault]:
        return made(f"{self._input.label}:{run.line}", self._record, run, attempts)

    def _record(self, run: _Run, attempts: AttemptCounter) -> list[JobRecord]:
        row = run.master
        if row is None:
            raise ValueError(f"parallel tasks of job {run.slaves[0].job} without its own row")
        put_back = row.failed in RESCHEDULED
        attempt = attempts.number(f"{row.job}.{row.task}", run.offset, put_back=put_back)
        if put_back and row.submitted is None:
            return []  # 8.1.9 records only that there was a rescheduled attempt
        return [record_of(row, run.slaves, self.cluster, attempt, self.gpu_resources)]
