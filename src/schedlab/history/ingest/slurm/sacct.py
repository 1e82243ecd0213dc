"""What both forms of ``sacct`` output share: where it comes from and how far it was read."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import IO, ClassVar

from schedlab.history.ingest.clock import SiteClock
from schedlab.history.ingest.commands import output_of
from schedlab.history.ingest.records import made
from schedlab.history.ingest.slurm.cursor import OVERLAP_S, SlurmCursor
from schedlab.history.ingest.slurm.job import SlurmJob, records_of
from schedlab.history.ingest.slurm.squeue import Squeue
from schedlab.history.ingest.source import AttemptCounter, Fault, fingerprint
from schedlab.history.ingest.text_input import open_file
from schedlab.history.schema.job import JobRecord

JobAt = tuple[str, Callable[[], SlurmJob]]
"""The place of a job in the output, and a function that makes the job from its rows."""

_BEFORE_SLURM_S = 1_000_000_000  # sacct refuses earlier moments


@dataclass
class Sacct(ABC):
    """Reads a file that ``sacct`` wrote, or asks ``sacct`` itself.

    Without a file it runs ``command``, to which it adds the options: all users, states and
    requeued attempts, and the time to begin at. It asks for epoch seconds; a command that does
    not pass the environment on, such as ``ssh``, needs ``time_zone`` to say what the clocks of
    the other machine show. ``queue_command``, such as ``squeue``, tells when the scheduler last
    looked at each job, why jobs wait, and which jobs are held or not yet eligible.
    """

    name: str
    file: str | None = None
    command: tuple[str, ...] = ("sacct",)
    cluster: str | None = None
    time_zone: str = "UTC"
    queue_command: tuple[str, ...] | None = None

    environment: ClassVar[dict[str, str]] = {}

    def __post_init__(self) -> None:
        self.cursor = ""
        self.clock = SiteClock(self.time_zone)

    def read(self, since: str | None = None) -> Iterator[JobRecord | Fault]:
        """Yield the jobs that waited, ran or ended since then; all without a cursor."""
        at = SlurmCursor.parse(since)
        self.cursor = str(at)
        if self.file is not None and fingerprint(self.file) == at.file:
            return
        began_s = time.time()
        attempts = AttemptCounter(at.attempts)
        queue = Squeue(at.evaluated, at.queued, began_s - OVERLAP_S, self.clock)
        if self.queue_command is not None and self.file is None:
            yield from queue.ask(self.queue_command)
        with self._open(at.since_s) as stream:
            for found in self.jobs(stream, self.file or self.command[0]):
                if isinstance(found, Fault):
                    yield found
                    continue
                where, make = found
                yield from made(where, self._records, make, attempts, queue)
        for job in queue.others(began_s):
            yield from made(f"job {job.jobid}", records_of, self._placed(job), attempts)
        self.cursor = str(at.after(attempts, began_s, self.file, queue.kept, queue.queued))

    @abstractmethod
    def options(self) -> tuple[str, ...]:
        """Return the options of ``sacct`` besides those for all users, states and attempts."""

    @abstractmethod
    def jobs(self, stream: IO[bytes], label: str) -> Iterable[JobAt | Fault]:
        """Return every job of the output with its place."""

    def _records(
        self, make: Callable[[], SlurmJob], attempts: AttemptCounter, queue: Squeue
    ) -> list[JobRecord]:
        job = self._placed(make())
        queue.complete(job)
        return records_of(job, attempts)

    def _placed(self, job: SlurmJob) -> SlurmJob:
        job.cluster = job.cluster or self.cluster or ""
        return job

    def _open(self, since_s: int) -> AbstractContextManager[IO[bytes]]:
        if self.file is not None:
            return open_file(self.file)
        window = f"--starttime=uts{max(since_s, _BEFORE_SLURM_S)}"
        command = (*self.command, "--allusers", "--duplicates", window, *self.options())
        return output_of(command, {"TZ": "UTC", **self.environment})
